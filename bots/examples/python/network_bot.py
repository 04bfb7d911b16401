#!/usr/bin/env python3
"""Plays with a neural network: PUCT over `referee_games`, with numpy, or with onnxruntime for networks
in that format. `games/python/examples/train.py` trains such networks.

    network_bot.py NETWORK.npz|NETWORK.onnx [--playouts N] [--leaves N] [--rollouts N]

A network has, as `.npz`, the arrays w1, b1 (a hidden layer), w2, b2 (a second one), wp, bp (a number for
each action) and wv, bv (the value for the seat to move, before tanh). As ONNX, its input is the batch of
observations, its outputs are the numbers of actions and the values.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import numpy as np
import referee_games as rg

sys.path.append(str(Path(__file__).resolve().parents[2] / "sdk/python/src"))

from referee_bot import Bot, Move  # noqa: E402

#: How much the network's opinion of moves counts against what was found out about them.
CURIOSITY = 1.5
#: The value of a move that was not tried yet is that of its position, less this.
CAUTION = 0.2


class Network:
    """Two hidden layers of numpy."""

    def __init__(self, arrays):
        self.arrays = arrays

    @classmethod
    def load(cls, path):
        if str(path).endswith(".onnx"):
            return OnnxNetwork(path)
        with np.load(path) as file:
            return cls({name: file[name] for name in file.files})

    def __call__(self, observations):
        """The logits of all actions, and the values for the seats to move, of a batch."""
        a = self.arrays
        inputs = observations.reshape(len(observations), -1)
        hidden = np.maximum(inputs @ a["w1"] + a["b1"], 0)
        hidden = np.maximum(hidden @ a["w2"] + a["b2"], 0)
        return hidden @ a["wp"] + a["bp"], np.tanh(hidden @ a["wv"] + a["bv"])[:, 0]


class OnnxNetwork:
    """A network that onnxruntime evaluates."""

    def __init__(self, path):
        import onnxruntime

        self.session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        self.input = self.session.get_inputs()[0].name

    def __call__(self, observations):
        logits, values = self.session.run(None, {self.input: observations})
        return logits, values.reshape(-1)


class Node:
    """A position in which a seat is to move: its actions, and what was found out about them."""

    __slots__ = ("actions", "children", "priors", "seat", "value", "values", "visits")

    def __init__(self, seat, actions, logits, value):
        weights = np.exp(logits[actions] - logits[actions].max())
        self.seat, self.actions, self.value = seat, actions, value
        self.priors = weights / weights.sum()
        #: Sums of values for the seat that is to move here.
        self.values = np.zeros(len(actions))
        self.visits = np.zeros(len(actions))
        self.children = [None] * len(actions)

    def best(self):
        """The place of the action to try next."""
        total = self.visits.sum()
        tried = np.where(self.visits > 0, self.values / np.maximum(self.visits, 1), self.value - CAUTION)
        wanted = tried + CURIOSITY * self.priors * np.sqrt(total + 1) / (1 + self.visits)
        return int(wanted.argmax())


class Search:
    """PUCT from a position of a game of two seats. Leaves wait to be evaluated in one batch; until then
    their paths count as lost, so that the next leaf is another one. With `rollouts`, half of a leaf's
    value is the mean result of that number of random games from it."""

    def __init__(self, state, rollouts=0):
        self.state, self.root, self.rollouts = state, None, rollouts
        self.waiting, self.leaves = [], 0

    def select(self):
        """Walks to a leaf and returns what the network is to see; None if the leaf needs no network."""
        state, node, path = self.state, self.root, []
        while node is not None and not state.is_over:
            at = node.best()
            path.append((node, at))
            node.visits[at] += 1
            node.values[at] -= 1
            state.play(int(node.actions[at]))
            node = node.children[at]
        if state.is_over:
            worth = 2 * state.outcome[0] - 1
            self._back_up(path, worth)
            seen = None
        else:
            seat = state.to_move[0]
            seen = state.observation(seat)
            self.waiting.append((path, seat, state.actions(), self._roll_out()))
        for _ in path:
            state.undo()
        return seen

    def _roll_out(self):
        """The mean result of random games from here for seat 0, from −1 to 1; None if none are played."""
        if not self.rollouts:
            return None
        self.leaves += 1
        outcome, _ = self.state.game.playouts(self.state, self.rollouts, seed=self.leaves)
        return 2 * outcome[0] - 1

    def expand(self, logits, values):
        """Takes the network's opinions of the leaves that wait, in their order."""
        for (path, seat, actions, rolled_out), logit, value in zip(self.waiting, logits, values):
            worth = float(value) if seat == 0 else -float(value)
            if rolled_out is not None:
                worth = (worth + rolled_out) / 2
            node = Node(seat, actions, logit, worth if seat == 0 else -worth)
            if path:
                parent, at = path[-1]
                parent.children[at] = node
            else:
                self.root = node
            self._back_up(path, worth)
        self.waiting = []

    def _back_up(self, path, worth):
        """Adds a value, for seat 0, to all moves of a path, in place of the loss that was assumed."""
        for node, at in path:
            node.values[at] += 1 + (worth if node.seat == 0 else -worth)


def think(searches, network, playouts, leaves=1):
    """Spends playouts on each of some searches, all of whose leaves are evaluated together; a look at the
    position itself costs nothing."""
    spent = 0
    while True:
        new = [search for search in searches if search.root is None]
        count = 1 if new else min(leaves, playouts - spent)
        if count <= 0:
            break
        spent += 0 if new else count
        batch = [search.select() for search in new or searches for _ in range(count)]
        batch = [seen for seen in batch if seen is not None]
        if not batch:
            continue
        logits, values = network(np.stack(batch))
        first = 0
        for search in searches:
            last = first + len(search.waiting)
            search.expand(logits[first:last], values[first:last])
            first = last


def game_of(match):
    """The rules of a match: of a game that is built in, or of a sheet that the referee has."""
    for source in json.loads(os.environ.get("REFEREE_RULES", "[]")):
        sheet = Path(source["dir"]) / source["command"][0]
        if sheet.suffix == ".kif" and sheet.stem == match.game:
            return rg.Game(str(sheet))
    return rg.Game(match.game, **match.options)


class NetworkBot(Bot):
    name = "network"

    def __init__(self, network, playouts, leaves, rollouts):
        super().__init__()
        self.network, self.playouts, self.leaves, self.rollouts = network, playouts, leaves, rollouts
        self.game = None

    def started(self, match):
        self.game = game_of(match)
        if self.game.num_actions is None or self.game.observation_shape is None or self.game.seats != 2:
            raise SystemExit(f"network: {match.game} is not a game of two seats with numbers and planes")

    def choose(self, turn):
        search = Search(self.game.state(turn.state), self.rollouts)
        think([search], self.network, self.playouts, self.leaves)
        # A move may be several actions, all found in the same tree.
        node, parts = search.root, []
        while True:
            at = int(node.visits.argmax())
            parts.append(int(node.actions[at]))
            search.state.play(parts[-1])
            if not search.state.begun or node.children[at] is None:
                break
            node = node.children[at]
        while search.state.begun:
            parts.append(int(search.state.actions()[-1]))
            search.state.play(parts[-1])
        move = next(text for text in turn.legal if self.matches(text, parts))
        value = search.root.values.sum() / max(1, search.root.visits.sum())
        return Move(move, info={"nodes": int(search.root.visits.sum()), "value": round((value + 1) / 2, 4)})

    def matches(self, text, parts):
        """Whether these actions make this move; the last one may be that which ends it."""
        own = self.game.parts(text)
        return own == parts or (own == parts[:-1] and self.game.text(parts[-1]) == "stop")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", type=Path)
    parser.add_argument("--playouts", type=int, default=100)
    parser.add_argument("--leaves", type=int, default=1, help="leaves that are evaluated in one batch")
    parser.add_argument("--rollouts", type=int, default=0, help="random games from each leaf, half of its value")
    arguments = parser.parse_args()
    network = Network.load(arguments.network)
    NetworkBot(network, arguments.playouts, arguments.leaves, arguments.rollouts).run()


if __name__ == "__main__":
    main()
