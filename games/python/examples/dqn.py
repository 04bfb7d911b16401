#!/usr/bin/env python3
"""Deep Q learning in numpy: Paper Pen-guins 4×4 in two minutes, with many games at once.

    dqn.py [SECONDS] [SEED]

The network learns what each action is worth for the seat to move; what comes after is worth the best
action of the next seat, with the sign turned round if that is the other one. Afterwards it plays against
random moves, and `referee solve` says how many of its moves in the middle of games give nothing away.
"""

import json
import subprocess
import sys
import time

import numpy as np
import referee_games as rg
from referee_games._program import program

GAMES, HIDDEN, BATCH, MEMORY, RATE = 64, 128, 256, 50_000, 1e-3


class Values:
    """What each action is worth: one hidden layer, and Adam."""

    def __init__(self, game, draw):
        sizes = [int(np.prod(game.observation_shape)), HIDDEN, game.num_actions]
        self.weights = []
        for inputs, outputs in zip(sizes, sizes[1:]):
            self.weights += [draw.normal(0, np.sqrt(2 / inputs), (inputs, outputs)), np.zeros(outputs)]
        self.weights[2] *= 0.1
        self.means = [np.zeros_like(array) for array in self.weights]
        self.squares = [np.zeros_like(array) for array in self.weights]
        self.steps = 0

    def copy(self):
        other = object.__new__(Values)
        other.weights = [array.copy() for array in self.weights]
        return other

    def __call__(self, seen):
        w1, b1, w2, b2 = self.weights
        return np.maximum(seen.reshape(len(seen), -1) @ w1 + b1, 0) @ w2 + b2

    def learn(self, seen, actions, wanted):
        w1, b1, w2, b2 = self.weights
        inputs = seen.reshape(len(seen), -1)
        hidden = np.maximum(inputs @ w1 + b1, 0)
        values, rows = hidden @ w2 + b2, np.arange(len(seen))
        error = np.zeros_like(values)
        error[rows, actions] = np.clip(values[rows, actions] - wanted, -1, 1) / len(seen)
        back = error @ w2.T * (hidden > 0)
        grads = [inputs.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        self.steps += 1
        for at, grad in enumerate(grads):
            self.means[at] = 0.9 * self.means[at] + 0.1 * grad
            self.squares[at] = 0.999 * self.squares[at] + 0.001 * grad**2
            mean, square = self.means[at] / (1 - 0.9**self.steps), self.squares[at] / (1 - 0.999**self.steps)
            self.weights[at] -= RATE * mean / (np.sqrt(square) + 1e-8)


def best(values, mask):
    return np.where(mask, values, -np.inf).argmax(1)


def train(game, seconds, draw):
    games = rg.VecGame(game, n=GAMES, seed=int(draw.integers(2**31)))
    seen, mask, seats = (array.copy() for array in games.reset())
    network = Values(game, draw)
    target, memory, at, count = network.copy(), None, 0, 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        curious = max(0.05, 1 - 2 * spent / seconds)
        actions = best(network(seen), mask)
        wild = draw.random(GAMES) < curious
        actions[wild] = [draw.choice(np.flatnonzero(row)) for row in mask[wild]]
        after, next_mask, next_seats, rewards, done = games.step(actions)
        got = rewards[np.arange(GAMES), seats]
        sign = np.where(next_seats == seats, 1.0, -1.0) * ~done
        rows = (seen, actions, got, after.copy(), next_mask.copy(), sign)
        if memory is None:
            memory = [np.zeros((MEMORY, *row.shape[1:]), row.dtype) for row in rows]
        places = np.arange(at, at + GAMES) % MEMORY
        for array, row in zip(memory, rows):
            array[places] = row
        at, count = (at + GAMES) % MEMORY, min(MEMORY, count + GAMES)
        seen, mask, seats = after.copy(), next_mask.copy(), next_seats.copy()
        if count < 10 * BATCH:
            continue
        for _ in range(2):
            picked = draw.integers(count, size=BATCH)
            old, action, reward, new, legal, turn = (array[picked] for array in memory)
            # The network chooses what comes next, the target says what it is worth.
            follow = best(network(new), legal)
            wanted = reward + turn * target(new)[np.arange(BATCH), follow]
            network.learn(old, action, wanted)
            if network.steps % 500 == 0:
                target = network.copy()
    return network


def against_random(game, network, count, draw):
    """The share of points against random moves, from both seats."""
    points = 0.0
    for number in range(count):
        state, own = game.start(seed=10_000 + number), number % 2
        while not state.is_over:
            if state.to_move[0] == own:
                state.play(int(best(network(state.observation(own)[None]), state.mask()[None])[0]))
            else:
                state.play(int(draw.choice(state.actions())))
        points += state.outcome[own]
    return points / count


def perfect_moves(game, network, count, draw):
    """The share of positions in which the network's move keeps the outcome of best play, and the share in
    which a random one does."""

    def solved(state):
        if state.is_over:
            return state.outcome
        answer = subprocess.run(
            [program(), "solve", game.name, "--options", json.dumps(game.options), "--state", state.json(),
             "--question", "win", "--memory", "16 MiB", "--format", "json"],
            capture_output=True, text=True, check=True)
        return json.loads(answer.stdout)["outcome"]

    kept = [0, 0]
    for number in range(count):
        state = game.start(seed=20_000 + number)
        for _ in range(int(draw.integers(4, 9))):
            state.play(int(draw.choice(state.actions())))
            if state.is_over:
                break
        if state.is_over:
            continue
        seat, worth = state.to_move[0], solved(state)
        moves = [int(best(network(state.observation(seat)[None]), state.mask()[None])[0]),
                 int(draw.choice(state.actions()))]
        for place, action in enumerate(moves):
            state.play(action)
            kept[place] += solved(state)[seat] == worth[seat]
            state.undo()
    return kept[0] / count, kept[1] / count


def main(seconds="120", seed="1"):
    draw = np.random.default_rng(int(seed))
    game = rg.Game("paper-penguins", size=4)
    network = train(game, float(seconds), draw)
    print(f"{network.steps} steps of learning")
    share = against_random(game, network, 400, draw)
    print(f"{share:.1%} of the points against random moves")
    own, others = perfect_moves(game, network, 100, draw)
    print(f"{own:.0%} of its moves keep what best play gets; {others:.0%} of random ones do")
    return share


if __name__ == "__main__":
    main(*sys.argv[1:])
