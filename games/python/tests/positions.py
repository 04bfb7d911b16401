"""10,000 positions of each game beside `referee model`: states, legal moves, keys, texts and masks.

    positions.py [POSITIONS]
"""

import json
import random
import subprocess
import sys

import numpy as np
import referee_games as rg
from referee_games._program import program

CASES = [(name, {}) for name in rg.games()]
CASES += [("amazons", {"size": 5}), ("amazon-penguins", {"board": "hex"}), ("penguins", {"players": 3}),
          ("penguins", {"setup": "laid"}), ("siam", {"opening_ban": True, "max_exits": 2}),
          ("elephant-run", {"ranged_jumps": True})]


class Model:
    def __init__(self):
        self.process = subprocess.Popen([program(), "model"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps({"id": 1, **request}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["ok"]


def compare(game, state, said):
    assert not state.begun
    assert json.loads(state.json()) == said["state"]
    assert state.key == said["key"]
    legal = state.legal()
    assert legal == said["legal"]
    assert state.scores == said["scores"]
    result = said["result"]
    assert (state.outcome, state.reason) == ((result["outcome"], result["reason"]) if result else (None, None))
    firsts = {game.parts(text)[0] for text in legal}
    assert firsts == set(state.actions().tolist()) == set(np.flatnonzero(state.mask()).tolist())
    for text in legal[:50]:
        parts = game.parts(text)
        if len(parts) == 1:
            assert game.text(parts[0]) == text and game.action(text) == parts[0]


def main(positions="10000"):
    model = Model()
    for name, options in CASES:
        game, draw, done, seed = rg.Game(name, **options), random.Random(1), 0, 0
        want = ["state", "legal", "key", "scores"]
        while done < int(positions):
            seed += 1
            state = game.start(seed=seed)
            said = model.ask(op="new", game=name, options=game.options, seed=seed, want=want)
            compare(game, state, said)
            while not state.is_over and state.ply < 300 and done < int(positions):
                text = draw.choice(state.legal())
                parts = game.parts(text)
                # By numbers, and by texts now and then.
                if draw.random() < 0.3:
                    state.play(text)
                else:
                    for part in parts:
                        state.play(part)
                    if state.begun:
                        state.play(game.action("stop"))
                said = model.ask(op="play", moves=[text], want=want)
                compare(game, state, said)
                done += 1
        print(f"ok: {done} positions of {name} {options or ''}")


if __name__ == "__main__":
    main(*sys.argv[1:])
