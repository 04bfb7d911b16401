"""10 million steps of games, states and copies, in which the process does not grow.

    memory.py [STEPS]
"""

import copy
import pickle
import sys

import numpy as np
import referee_games as rg


def size():
    """The resident memory in MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


def main(steps="10000000"):
    games = rg.VecGame("siam", n=1024, seed=1)
    single = rg.Game("giantslayer")
    draw = np.random.default_rng(1)
    _, mask, _ = games.reset()
    done, least = 0, None
    while done < int(steps):
        counts = mask.sum(1)
        picked = (draw.random(len(counts)) * counts).astype(np.int64)
        places = np.nonzero(mask)[1]
        _, mask, _, _, _ = games.step(places[np.concatenate(([0], np.cumsum(counts)[:-1])) + picked])
        state = single.start(seed=done)
        for _ in range(20):
            if not state.is_over:
                state.play(int(state.actions()[0]))
        state = copy.copy(pickle.loads(pickle.dumps(state)))
        state.observation(0), state.mask(), state._repr_svg_()
        done += len(counts)
        # The first million fills what is kept.
        if least is None and done > int(steps) // 10:
            least = size()
    grown = size() - least
    print(f"{done} steps: {size():.1f} MB, {grown:+.1f} since the first tenth")
    sys.exit(grown > 3)


if __name__ == "__main__":
    main(*sys.argv[1:])
