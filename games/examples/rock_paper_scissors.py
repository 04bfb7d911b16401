#!/usr/bin/env python3
"""Rock, paper, scissors, best of N: both players act at once.

What to learn from it:

- `to_move` answers a list: these seats act at once, and nobody learns what the others chose before
  all have chosen.
- The step that `apply` gets is then a dict from each seat to its move: {0: "rock", 1: "paper"}.

    referee play rock-paper-scissors --rules "python3 games/examples/rock_paper_scissors.py" --human one --bot random
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bots/sdk/python/src"))

from referee_rules import Game, Int, Result, require, run  # noqa: E402

#: What each beats.
BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}


class RockPaperScissors(Game):
    id = "rock-paper-scissors"
    title = "Rock, paper, scissors"
    summary = "Choose at once; paper beats rock, rock beats scissors, scissors beat paper."
    roles = ["one", "two"]
    symmetric = True
    notation = [("rock", "beats scissors"), ("paper", "beats rock"), ("scissors", "beat paper")]
    guide = """\
# Rock, paper, scissors

Both players choose `rock`, `paper` or `scissors` at the same time. Paper beats rock, rock beats
scissors, scissors beat paper: the winner of a round gets a point, equal choices give none. Whoever
has more points after N rounds wins; the match ends earlier when nobody can catch up any more.
"""
    rounds = Int(default=9, min=1, max=999, help="How many rounds there are at most.")

    def start(self, rng):
        return {"wins": [0, 0], "round": 0}

    def to_move(self, state):
        return [0, 1]

    def legal(self, state, seat):
        return list(BEATS)

    def apply(self, state, step):
        one, two = step[0], step[1]
        wins = list(state["wins"])
        if one != two:
            wins[0 if BEATS[one] == two else 1] += 1
        return {"wins": wins, "round": state["round"] + 1}

    def result(self, state):
        wins = state["wins"]
        left = self.rounds - state["round"]
        if left == 0:
            return Result(wins, "all_rounds")
        # Nobody can catch up, not even to a draw.
        return Result(wins, "decided") if abs(wins[0] - wins[1]) > left else None

    def scores(self, state):
        return state["wins"]

    def from_json(self, fields):
        wins, round = fields["wins"], fields["round"]
        require(len(wins) == 2 and min(wins) >= 0, "wins", "are not two numbers from 0")
        require(sum(wins) <= round <= self.rounds, "round", "does not fit the wins")
        return fields

    def view(self, state):
        one, two = state["wins"]
        note = f"after {state['round']} of {self.rounds} rounds: {one} to {two}"
        return {"shape": "square", "cells": [], "pieces": [], "notes": [note]}


if __name__ == "__main__":
    run(RockPaperScissors)
