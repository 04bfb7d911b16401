#!/usr/bin/env python3
"""Nim: a heap, from which two players take in turn. Python 3, standard library only; the folder
`referee_rules` speaks the protocol."""

from referee_rules import Game, Int, Result, require, run


class Nim(Game):
    id = "nim"
    title = "Nim"
    summary = "Take from the heap; taking the last one wins."
    roles = ["first", "second"]
    symmetric = True
    notation = [("take2", "take two of the heap")]
    guide = """\
# Nim

There is one heap. Two players take from it in turn, at least one and at most three at a time.
Whoever takes the last one wins.
"""
    heap = Int(default=21, min=1, max=100, help="How many there are at the start.")
    most = Int(default=3, min=1, max=10, help="How many a player may take at a time.")

    def start(self, rng):
        return {"left": self.heap, "turn": 0}

    def to_move(self, state):
        return state["turn"]

    def legal(self, state, seat):
        return [f"take{count}" for count in range(1, min(self.most, state["left"]) + 1)]

    def apply(self, state, step):
        # A new state: the old one is still needed.
        return {"left": state["left"] - int(step[len("take"):]), "turn": 1 - state["turn"]}

    def result(self, state):
        if state["left"] > 0:
            return None
        winner = 1 - state["turn"]
        return Result([int(seat == winner) for seat in (0, 1)], "heap_empty")

    def from_json(self, fields):
        """Checks a state that comes from outside."""
        require(0 <= fields["left"] <= self.heap, "left", "does not fit the heap")
        require(fields["turn"] in (0, 1), "turn", "is neither 0 nor 1")
        return fields


if __name__ == "__main__":
    run(Nim)
