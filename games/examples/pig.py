#!/usr/bin/env python3
"""Pig: a game with a die.

What to learn from it:

- Chance acts like a player: where `to_move` answers `CHANCE`, `chance` gives what can come of it,
  with probabilities, and `apply` gets what came of it as its step. The game itself never draws: so
  matches can be repeated, and both matches of a pair get the same luck.
- `scores` says how it would end if play stopped here, for matches that a limit ends.

    referee play pig --rules "python3 games/examples/pig.py" --human first --bot mcts
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bots/sdk/python/src"))

from referee_rules import CHANCE, Game, Int, Result, require, run  # noqa: E402


class Pig(Game):
    id = "pig"
    title = "Pig"
    summary = "Roll as often as you dare: a 1 costs you all that you rolled in this turn."
    roles = ["first", "second"]
    symmetric = True
    max_plies = 10000  # who rolls on for ever may wait for ever
    notation = [("roll", "roll the die"), ("hold", "keep the points of this turn"),
                ("4", "the die shows 4")]
    guide = """\
# Pig

Two players roll a die in turn. In your turn you `roll` as often as you like, and add up what it
shows. If it shows 1, you get nothing for this turn, and the turn ends. If you `hold`, you keep the
sum, and the turn ends. You have to roll at least once. Whoever has 100 points, those of the present
turn included, wins at once.
"""
    target = Int(default=100, min=2, max=1000, help="How many points win.")
    sides = Int(default=6, min=2, max=20, help="How many sides the die has.")

    def start(self, rng):
        # `sum` are the points of this turn; `rolling` while the die is in the air.
        return {"points": [0, 0], "turn": 0, "sum": 0, "rolling": False}

    def to_move(self, state):
        return CHANCE if state["rolling"] else state["turn"]

    def legal(self, state, seat):
        return ["roll", "hold"] if state["sum"] > 0 else ["roll"]

    def chance(self, state):
        return {str(side): 1 / self.sides for side in range(1, self.sides + 1)}

    def apply(self, state, step):
        points, turn = list(state["points"]), state["turn"]
        if step == "roll":
            return {**state, "rolling": True}
        if step == "hold":
            points[turn] += state["sum"]
        elif step != "1":
            return {**state, "sum": state["sum"] + int(step), "rolling": False}
        return {"points": points, "turn": 1 - turn, "sum": 0, "rolling": False}

    def result(self, state):
        points = self.scores(state)
        return Result(points, "target_reached") if max(points) >= self.target else None

    def scores(self, state):
        points = list(state["points"])
        points[state["turn"]] += state["sum"]
        return points

    def from_json(self, fields):
        points, turn, sum = fields["points"], fields["turn"], fields["sum"]
        require(len(points) == 2 and min(points) >= 0, "points", "are not two numbers from 0")
        require(turn in (0, 1), "turn", "is neither 0 nor 1")
        require(sum >= 0, "sum", "is below 0")
        require(isinstance(fields["rolling"], bool), "rolling", "is neither true nor false")
        over = max(self.scores(fields)) >= self.target
        require(not (over and fields["rolling"]), "rolling", "is true, but the game is over")
        return fields

    def view(self, state):
        first, second = state["points"]
        name, now = self.roles[state["turn"]], state["sum"]
        notes = [f"first {first}, second {second}", f"{name} has rolled {now} in this turn"]
        return {"shape": "square", "cells": [], "pieces": [], "notes": notes}


if __name__ == "__main__":
    run(Pig)
