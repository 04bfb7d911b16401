#!/usr/bin/env python3
"""Plays every game one ply ahead, from nothing but `state` and `legal`. Python 3, standard
library only."""

import json
import random
import re
import sys
from collections import Counter

CELL = re.compile(r"[a-z]\d+")


def points(state, cell):
    """The fish or points of a cell, in games that have them: rows of digits, the top row first."""
    rows = state.get("fish") or state.get("points") or []
    column, row = ord(cell[0]) - ord("a"), len(rows) - int(cell[1:])
    there = 0 <= row < len(rows) and column < len(rows[row]) and rows[row][column].isdigit()
    return int(rows[row][column]) if there else 0


def choose(state, legal, rng):
    """First what captures (`x`) or pushes (`>`) most, then the cell with the most points, then the
    shot (`/`) at the cell that matters to the fewest moves."""
    cells = {move: CELL.findall(move) for move in legal}
    named = Counter(cell for move in legal for cell in cells[move])

    def worth(move):
        # A move names the cell that it begins on, if there is one, then that where it goes.
        target = cells[move][:2][-1:]
        return (
            move.count("x") + move.count(">"),
            points(state, target[0]) if target else 0,
            -named[cells[move][-1]] if "/" in move else 0,
        )

    worths = [worth(move) for move in legal]
    best = max(worths)
    return rng.choice([move for move, worth in zip(legal, worths) if worth == best])


def play(lines, send):
    """Answers the referee's messages."""
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            send({"type": "hello", "protocol": 1, "name": "one-ply-python"})
        elif message["type"] == "start":
            # Made from text, a generator is the same in every process: the match can be repeated.
            rng = random.Random(f"{message['match']} {message['seat']}")
            send({"type": "ready"})
        elif message["type"] == "turn":
            move = choose(message["state"], message["legal"], rng)
            send({"type": "move", "move": move, "ply": message["ply"]})
        elif message["type"] == "error":
            print(f"lost by {message['code']}: {message['message']}", file=sys.stderr)
        elif message["type"] == "quit":
            break


if __name__ == "__main__":
    # `flush` is not a detail: a message that waits in a buffer is a timeout.
    play(sys.stdin, lambda message: print(json.dumps(message), flush=True))
