#!/usr/bin/env python3
"""Writes games of Monte Carlo tree search against itself, to learn from.

    selfplay.py OUT.npz [GAME] [PLAYOUTS] [GAMES] [SEED]

`OUT.npz` has, for each position: `observation` as the seat to move sees it, `visits`, the share of the
search that each action got, and `result`, 2·outcome − 1 of that seat at the end.
"""

import random
import sys

import numpy as np
import referee_games as rg
from mcts import most_visited, search

#: So many actions of a game are drawn by their visits, for variety.
DRAWN = 8


def one_game(game, playouts, draw):
    """The positions of a game."""
    state, story = game.start(seed=draw.getrandbits(60)), []
    while not state.is_over and state.ply < (game.max_plies or 1000):
        root = search(state, playouts, draw)
        visits = np.zeros(game.num_actions, np.float32)
        for action, child in root.children.items():
            visits[action] = child.visits
        visits /= visits.sum()
        story.append((state.observation(root.seat), visits, root.seat))
        if len(story) <= DRAWN:
            action = draw.choices(list(root.children), [child.visits for child in root.children.values()])[0]
        else:
            action = most_visited(root)
        state.play(action)
    outcome = state.outcome_now
    return [(seen, visits, 2 * outcome[seat] - 1) for seen, visits, seat in story]


def main(out, name="paper-penguins", playouts="200", games="10", seed="1"):
    game, draw, positions = rg.Game(name), random.Random(int(seed)), []
    for _ in range(int(games)):
        positions += one_game(game, int(playouts), draw)
    seen, visits, results = map(np.stack, zip(*positions))
    np.savez_compressed(out, observation=seen, visits=visits, result=results.astype(np.float32))
    print(f"{len(positions)} positions of {games} games of {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
