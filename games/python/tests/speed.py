"""How fast the module is, on one thread and by CPU time, beside pyspiel in the same run.

    speed.py [SECONDS]     for each figure
"""

import random
import sys
import time

import numpy as np
import referee_games as rg

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0


def rate(act):
    """How many a second of what `act` does and counts."""
    done, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < SECONDS:
        done += act()
    return done / spent


def loop(game):
    """Random games in Python."""
    draw, seeds = random.Random(1), iter(range(10**9))

    def one():
        state = game.start(seed=next(seeds))
        while not state.is_over and state.ply < 300:
            actions = state.actions()
            state.play(int(actions[int(draw.random() * len(actions))]))
        return 1

    return rate(one)


def drawn(game):
    """The same with the choice of `random_action`."""
    seeds = iter(range(10**9))

    def one():
        state = game.start(seed=next(seeds))
        while not state.is_over and state.ply < 300:
            state.play(state.random_action())
        return 1

    return rate(one)


def playouts(game):
    """Random games by one call."""
    state, seeds = game.start(seed=1), iter(range(10**9))
    return rate(lambda: game.playouts(state, 500, seed=next(seeds), max_plies=300) and 500)


def steps(game, count):
    """Steps of many games with the choice in numpy."""
    games, draw = rg.VecGame(game, n=count), np.random.default_rng(1)
    arrays = list(games.reset())

    def one():
        counts = arrays[1].sum(1)
        picked = (draw.random(count) * counts).astype(np.int64)
        places = np.nonzero(arrays[1])[1]
        arrays[:] = games.step(places[np.concatenate(([0], np.cumsum(counts)[:-1])) + picked])[:3]
        return count

    return rate(one)


def spiel(name):
    """Random games of pyspiel in Python; None where it does not have the game."""
    try:
        import pyspiel
    except ImportError:
        return None
    if name not in pyspiel.registered_names():
        return None
    game = pyspiel.load_game(name)
    draw = random.Random(1)

    def one():
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(draw.random() * len(actions))])
        return 1

    return rate(one)


print("| game | loop over `actions`, games/s | loop over `random_action`, games/s | `playouts`, games/s | `VecGame`, steps/s | pyspiel, games/s |")
print("|---|---|---|---|---|---|")
for name in rg.games():
    game = rg.Game(name)
    count = 1024 if game.num_actions < 10_000 else 64
    other = spiel(name)
    other = "–" if other is None else f"{other:,.0f}"
    print(f"| {name} | {loop(game):,.0f} | {drawn(game):,.0f} | {playouts(game):,.0f} | {steps(game, count):,.0f} ({count}) | {other} |", flush=True)
