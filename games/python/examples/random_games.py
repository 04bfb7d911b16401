#!/usr/bin/env python3
"""What random games are worth to the seats of each game: a loop in Python beside `Game.playouts`.

    random_games.py [GAMES]
"""

import random
import sys
import time

import referee_games as rg

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 200

for name in rg.games():
    game, draw, plies, total = rg.Game(name), random.Random(1), 0, 0.0
    begun = time.process_time()
    for seed in range(COUNT):
        state = game.start(seed=seed)
        while not state.is_over and state.ply < 300:
            actions = state.actions()
            state.play(int(actions[int(draw.random() * len(actions))]))
        plies, total = plies + state.ply, total + state.outcome_now[0]
    took = time.process_time() - begun
    outcome, length = game.playouts(game.start(seed=1), COUNT, seed=1, max_plies=300)
    print(f"{name:16} seat 0 scores {total / COUNT:.2f} in {plies / COUNT:5.1f} plies, "
          f"{COUNT / took:6.0f} games a second; by playouts {outcome[0]:.2f} in {length:5.1f}")
