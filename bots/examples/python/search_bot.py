#!/usr/bin/env python3
"""Plays every game without knowing a rule: Monte Carlo tree search on the referee's forward
model. Uses the SDK, installed or where it lies in the repository."""

import math
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "sdk/python/src"))

from referee_bot import Bot, Move  # noqa: E402

#: Random games stop after this many plies: longer ones say less.
HORIZON = 80
#: Random games at a time.
BATCH = 4
#: After this many games with a move, the replies to it are searched, too.
READY = 8
#: How much moves that were tried less are preferred.
CURIOSITY = 0.4
#: A capture starts as if it had already won this many games.
TRUST = 2


class Node:
    """A move, what games after it came to for the seat that made it, and the answers to it."""

    def __init__(self, move, seat, outcome):
        self.move, self.seat = move, seat
        # What captures (`x`) deserves a closer look.
        bonus = TRUST * move.count("x")
        self.sum, self.games = outcome + bonus, 1 + bonus
        self.children = []

    def pick(self):
        """The child to try next: a good one, or one that is not known well (UCB1)."""
        total = math.log(sum(child.games for child in self.children) + 1)

        def promise(child):
            # As if half a game more had been won and half a game lost.
            mean = (child.sum + 0.5) / (child.games + 1)
            return mean + CURIOSITY * math.sqrt(total / child.games)

        return max(self.children, key=promise)


class SearchBot(Bot):
    name = "search-python"
    version = "1"
    wants_legal = False

    def choose(self, turn):
        model = self.model_at(turn, HORIZON)
        root = Node("", turn.match.seat, 0)
        self.expand(model, root, [])
        playouts = len(root.children)
        while turn.time_left() > 0 and len(root.children) > 1:
            self.try_line(model, root, seed=playouts)
            playouts += BATCH
        best = max(root.children, key=lambda child: child.games)
        return Move(best.move, {"value": best.sum / best.games, "nodes": playouts})

    def try_line(self, model, root, seed):
        """Follows the most promising moves, plays on at random, and remembers what that gave."""
        line, node = [], root
        while node.children:
            node = node.pick()
            line.append(node)
        moves = [node.move for node in line]
        if node.games >= READY:
            self.expand(model, node, moves)
        outcome = model.playout_after(moves, BATCH, seed).outcome
        for node in line:
            node.sum += BATCH * outcome[node.seat]
            node.games += BATCH

    def expand(self, model, node, moves):
        """Gives a node its children, each of which begins with one random game."""
        seat = model.play(*moves).to_move
        means = model.playouts(seed=node.games)
        node.children = [Node(move, seat, outcome[seat]) for move, outcome in means.items()]
        model.undo(len(moves))


if __name__ == "__main__":
    SearchBot().run()
