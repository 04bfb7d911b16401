#!/usr/bin/env python3
"""Monte Carlo tree search in 40 lines, for any game of two seats: the state walks down the tree with `play`
and comes back with `undo`. Plays a few games against random moves.

    mcts.py [GAME] [PLAYOUTS] [GAMES]
"""

import math
import random
import sys

import referee_games as rg


class Node:
    def __init__(self, state):
        self.seat = None if state.is_over else state.to_move[0]
        self.untried = [] if state.is_over else state.actions().tolist()
        self.children, self.visits, self.total = {}, 0, 0.0

    def choose(self):
        """The child with the highest upper bound (UCT); totals are for the seat that moves here."""
        log = math.log(self.visits)
        return max(self.children.items(),
                   key=lambda item: item[1].total / item[1].visits + math.sqrt(log / item[1].visits))


def search(state, playouts, draw):
    root = Node(state)
    for _ in range(playouts):
        node, path = root, [root]
        while not node.untried and node.children:
            action, node = node.choose()
            state.play(action)
            path.append(node)
        if node.untried:
            action = node.untried.pop(draw.randrange(len(node.untried)))
            state.play(action)
            node.children[action] = Node(state)
            path.append(node.children[action])
        outcome = state.outcome or state.game.playouts(state, 1, seed=draw.getrandbits(60))[0]
        for parent, child in zip(path, path[1:]):
            child.visits, child.total = child.visits + 1, child.total + outcome[parent.seat]
            state.undo()
        root.visits += 1
    return root


def most_visited(root):
    return max(root.children, key=lambda action: root.children[action].visits)


def main(name="paper-penguins", playouts="100", games="10"):
    game, draw, points = rg.Game(name), random.Random(1), 0.0
    for number in range(int(games)):
        state, own = game.start(seed=number), number % 2
        while not state.is_over and state.ply < 300:
            if state.to_move[0] == own:
                state.play(most_visited(search(state, int(playouts), draw)))
            else:
                state.play(draw.choice(state.actions().tolist()))
        points += state.outcome_now[own]
    print(f"{points:g} points of {games} against random moves in {name}")
    return points


if __name__ == "__main__":
    main(*sys.argv[1:])
