#!/usr/bin/env python3
"""Trains a network on the CPU, from nothing but games against itself, for
`bots/examples/python/network_bot.py`.

    train.py OUT.npz [--game NAME|SHEET] [--options JSON] [--minutes 20] [--seed 1]
    train.py OUT.npz --check 100     how far its values are from exact ones, of `referee solve`

Games are played side by side, so that the network sees many positions at once. It learns the
visits of a search (what to look at) and the ends of games (what positions are worth). Half of what the
search knows of a leaf are the results of random games, which are right more often than not before the
network knows anything. `selfplay.py` writes the same data to a file instead.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import referee_games as rg
from referee_games._program import program

sys.path.append(str(Path(__file__).resolve().parents[3] / "bots/examples/python"))

from network_bot import Network, Search, think  # noqa: E402

HIDDEN = 192
GAMES = 96
#: The most positions to learn from, the latest ones.
MEMORY = 100_000
BATCH = 256
#: Moves in a row that are drawn by their visits; later ones are those with the most visits.
DRAWN = 8
CELL = re.compile(r"([a-z])(\d+)")


def new_network(game, draw):
    """Small random numbers."""
    inputs, actions = int(np.prod(game.observation_shape)), game.num_actions
    sizes = {"1": (inputs, HIDDEN), "2": (HIDDEN, HIDDEN), "p": (HIDDEN, actions), "v": (HIDDEN, 1)}
    arrays = {}
    for name, size in sizes.items():
        scale = np.sqrt(2 / size[0]) * (0.1 if name in "pv" else 1)
        arrays["w" + name] = draw.normal(0, scale, size).astype(np.float32)
        arrays["b" + name] = np.zeros(size[1], np.float32)
    return Network(arrays)


class Trainer:
    """Adam on the cross entropy of visits and the squared error of values."""

    def __init__(self, network, rate=1e-3, decay=1e-4):
        self.network, self.rate, self.decay, self.steps = network, rate, decay, 0
        zeros = {name: np.zeros_like(array) for name, array in network.arrays.items()}
        self.mean, self.square = zeros, {name: array.copy() for name, array in zeros.items()}

    def learn(self, seen, visits, results):
        """One step; returns both losses."""
        a, count = self.network.arrays, len(seen)
        inputs = seen.reshape(count, -1)
        first = np.maximum(inputs @ a["w1"] + a["b1"], 0)
        second = np.maximum(first @ a["w2"] + a["b2"], 0)
        logits = second @ a["wp"] + a["bp"]
        # What is not legal was never visited, and the search does not ask about it.
        logits = np.where(visits >= 0, logits, -1e9)
        wanted = np.maximum(visits, 0)
        chances = np.exp(logits - logits.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        values = np.tanh(second @ a["wv"] + a["bv"])[:, 0]
        to_logits = (chances - wanted) / count
        to_values = (2 * (values - results) * (1 - values**2) / count)[:, None]
        grads = {"wp": second.T @ to_logits, "bp": to_logits.sum(0),
                 "wv": second.T @ to_values, "bv": to_values.sum(0)}
        back = (to_logits @ a["wp"].T + to_values @ a["wv"].T) * (second > 0)
        grads |= {"w2": first.T @ back, "b2": back.sum(0)}
        back = back @ a["w2"].T * (first > 0)
        grads |= {"w1": inputs.T @ back, "b1": back.sum(0)}
        self.steps += 1
        for name, grad in grads.items():
            grad = grad + self.decay * a[name]
            self.mean[name] = 0.9 * self.mean[name] + 0.1 * grad
            self.square[name] = 0.999 * self.square[name] + 0.001 * grad**2
            mean = self.mean[name] / (1 - 0.9**self.steps)
            square = self.square[name] / (1 - 0.999**self.steps)
            a[name] -= (self.rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)
        return -(wanted * np.log(chances + 1e-9)).sum(1).mean(), ((values - results) ** 2).mean()


def symmetries(game):
    """The ways to turn and mirror a square board that map actions to actions: how an observation is
    changed, and where each action goes."""
    if len(game.observation_shape) < 3:
        # The facts of a sheet: nobody knows how it could be turned.
        return [(lambda seen: seen, np.arange(game.num_actions))]
    _, rows, columns = game.observation_shape
    found = []
    for turned in (False, True)[: 1 + (rows == columns)]:
        for left in (False, True):
            for down in (False, True):
                def cell(match, turned=turned, left=left, down=down):
                    x, y = ord(match[1]) - ord("a"), int(match[2]) - 1
                    x, y = (y, x) if turned else (x, y)
                    x, y = columns - 1 - x if left else x, rows - 1 - y if down else y
                    return f"{chr(ord('a') + x)}{y + 1}"

                def image(seen, turned=turned, left=left, down=down):
                    seen = seen.swapaxes(-1, -2) if turned else seen
                    seen = seen[..., ::-1] if left else seen
                    return seen[..., ::-1, :] if down else seen

                try:
                    actions = [game.action(CELL.sub(cell, game.text(action)))
                               for action in range(game.num_actions)]
                except ValueError:
                    continue
                found.append((image, np.array(actions)))
    return found


class SelfPlay:
    """Games against itself, side by side."""

    def __init__(self, game, network, playouts, rollouts, draw):
        self.game, self.network, self.draw = game, network, draw
        self.playouts, self.rollouts = playouts, rollouts
        self.searches = [self.start() for _ in range(GAMES)]
        self.stories = [[] for _ in range(GAMES)]

    def start(self):
        return Search(self.game.start(seed=int(self.draw.integers(2**62))), self.rollouts)

    def step(self):
        """Makes a move in each game. Returns what was learnt of games that ended: observations, visits
        (−1 where an action is not legal) and results for the seat to move."""
        for search in self.searches:
            search.root = None
        think(self.searches, self.network, 0)
        for search in self.searches:
            # Chance at the root, so that no move is forgotten for ever.
            noise = self.draw.dirichlet(np.full(len(search.root.actions), 10 / len(search.root.actions)))
            search.root.priors = 0.75 * search.root.priors + 0.25 * noise
        think(self.searches, self.network, self.playouts)
        learnt = []
        for place, search in enumerate(self.searches):
            root, story = search.root, self.stories[place]
            visits = np.full(self.game.num_actions, -1, np.float32)
            visits[root.actions] = root.visits / root.visits.sum()
            guess = root.values.sum() / root.visits.sum()
            story.append((search.state.observation(root.seat), visits, root.seat, guess))
            if len(story) <= DRAWN:
                at = self.draw.choice(len(root.actions), p=root.visits / root.visits.sum())
            else:
                at = root.visits.argmax()
            search.state.play(int(root.actions[at]))
            if search.state.is_over:
                worth = 2 * search.state.outcome[0] - 1
                # The end says what is true, and the search what is likely: half of each is learnt.
                learnt += [(seen, visits, ((worth if seat == 0 else -worth) + guess) / 2)
                           for seen, visits, seat, guess in story]
                self.searches[place], self.stories[place] = self.start(), []
        return learnt


def train(arguments, game):
    draw = np.random.default_rng(arguments.seed)
    network = new_network(game, draw)
    trainer, images = Trainer(network), symmetries(game)
    play = SelfPlay(game, network, arguments.playouts, arguments.rollouts, draw)
    memory, losses = [], [0.0, 0.0]
    begun, told = time.process_time(), 0.0
    limit = 60 * arguments.minutes
    while (spent := time.process_time() - begun) < limit:
        learnt = play.step()
        memory = (memory + learnt)[-MEMORY:]
        if len(memory) < 10 * BATCH:
            continue
        trainer.rate = 1e-3 * (1 - 0.95 * spent / limit)
        for _ in range(arguments.steps):
            batch = [memory[at] for at in draw.integers(len(memory), size=BATCH)]
            image, actions = images[draw.integers(len(images))]
            seen = image(np.stack([seen for seen, _, _ in batch]))
            visits = np.empty((BATCH, game.num_actions), np.float32)
            visits[:, actions] = np.stack([visits for _, visits, _ in batch])
            results = np.array([result for _, _, result in batch], np.float32)
            loss = trainer.learn(np.ascontiguousarray(seen), visits, results)
            losses = [0.99 * old + 0.01 * new for old, new in zip(losses, loss)]
        if spent - told >= 30:
            told = spent
            print(f"{spent:6.0f} s  {trainer.steps:7} steps  {len(memory):6} positions  "
                  f"policy {losses[0]:.3f}  value {losses[1]:.3f}", flush=True)
            np.savez(arguments.out, **network.arrays)
    np.savez(arguments.out, **network.arrays)


def check(arguments, game):
    """Compares values with those of best play, in positions of random games near their middle."""
    network, draw = Network.load(arguments.out), np.random.default_rng(arguments.seed)
    errors, right, seeds = [], 0, 0
    while len(errors) < arguments.check:
        seeds += 1
        state = game.start(seed=seeds)
        for _ in range(int(draw.integers(4, 12))):
            if not state.is_over:
                state.play(int(draw.choice(state.actions())))
        if state.is_over:
            continue
        solved = subprocess.run(
            [program(), "solve", game.name, "--options", json.dumps(game.options), "--state", state.json(),
             "--question", "win", "--memory", "64 MiB", "--positions", "3000000", "--format", "json"],
            capture_output=True, text=True)
        answer = json.loads(solved.stdout) if solved.stdout else {}
        if not answer.get("solved"):
            continue
        seat = state.to_move[0]
        exact = 2 * answer["outcome"][seat] - 1
        value = float(network(state.observation(seat)[None])[1][0])
        errors.append(abs(value - exact))
        right += abs(value - exact) < 1
    print(f"{len(errors)} positions: the value is {np.mean(errors):.3f} from the exact one in the mean "
          f"(of 2), and on the right side in {right}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--game", default="paper-penguins")
    parser.add_argument("--options", type=json.loads, help='by default {"size": 5} for paper-penguins')
    parser.add_argument("--minutes", type=float, default=20, help="of CPU time")
    parser.add_argument("--playouts", type=int, default=40, help="for each move of a game against itself")
    parser.add_argument("--rollouts", type=int, default=16, help="random games from each leaf of a search")
    parser.add_argument("--steps", type=int, default=8, help="of learning, after each move of all games")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    options = arguments.options
    if options is None:
        options = {"size": 5} if arguments.game == "paper-penguins" else {}
    game = rg.Game(arguments.game, **options)
    if arguments.check:
        check(arguments, game)
    else:
        train(arguments, game)


if __name__ == "__main__":
    main()
