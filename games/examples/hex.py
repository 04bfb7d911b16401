#!/usr/bin/env python3
"""Hex: a board of hexagons, and a swap.

What to learn from it:

- A move need not be a cell: `swap` is one like any other.
- `from_json` refuses states that no match can be in. Whatever it does not foresee is refused, too:
  a state that makes the other methods fail, or that would not come back as it went in.
- `view` with the shape `hex`: `x` counts half widths of a cell, so each row is one further right.

    referee play hex --rules "python3 games/examples/hex.py" --options '{"size":5}' --human vertical --bot mcts
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bots/sdk/python/src"))

from referee_rules import Bool, Game, Int, Result, require, run  # noqa: E402

STONES = "VH"
EMPTY = "."
#: The six neighbours of a cell: rows down, columns to the right.
NEIGHBOURS = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]


class Hex(Game):
    id = "hex"
    title = "Hex"
    summary = "Join your two edges with a chain of stones."
    roles = ["vertical", "horizontal"]
    notation = [
        ("c2", "put a stone on c2: column c from the left, row 2 from the top"),
        ("swap", "take over the first stone, mirrored"),
    ]
    guide = """\
# Hex

Two players put stones on the cells of a rhombus of hexagons in turn; stones never move. `vertical`
begins, and wins with an unbroken chain of stones (`V`) from the top row to the bottom row;
`horizontal` (`H`) with one from the left column to the right column. One of the two always comes
to be, so there are no draws.

A move is a cell: the column's letter from the left, and the row's number from the top.

Because it is good to begin, `horizontal` may answer the first stone with `swap`: the stone becomes
theirs, on the cell that is mirrored at the long diagonal (`b4` becomes `d2`). With the option `swap`
off, nobody may.
"""
    size = Int(default=11, min=2, max=19, help="How many cells an edge has.")
    swap = Bool(default=True, help="Whether the first stone may be taken over.")

    def start(self, rng):
        return {"rows": [EMPTY * self.size] * self.size, "turn": 0}

    def to_move(self, state):
        return state["turn"]

    def legal(self, state, seat):
        rows = state["rows"]
        free = [name(row, column) for row, stones in enumerate(rows)
                for column, stone in enumerate(stones) if stone == EMPTY]
        if self.swap and seat == 1 and len(free) == self.size**2 - 1:
            free.append("swap")
        return free

    def apply(self, state, step):
        rows, turn = state["rows"], state["turn"]
        if step == "swap":
            (taken,) = cells(rows, "V")
            rows, (column, row) = self.start(None)["rows"], taken
        else:
            row, column = int(step[1:]) - 1, ord(step[0]) - ord("a")
        stones = rows[row]
        stones = stones[:column] + STONES[turn] + stones[column + 1:]
        return {"rows": rows[:row] + [stones] + rows[row + 1:], "turn": 1 - turn}

    def result(self, state):
        last = 1 - state["turn"]
        if not self.joined(state["rows"], STONES[last]):
            return None
        return Result([1, 0] if last == 0 else [0, 1], "edges_joined")

    def joined(self, rows, stone):
        """Whether a chain of these stones joins its two edges."""
        own = set(cells(rows, stone))
        along = 0 if stone == "V" else 1  # the coordinate that goes from edge to edge
        chain = [place for place in own if place[along] == 0]
        own.difference_update(chain)
        while chain:
            row, column = chain.pop()
            if (row, column)[along] == self.size - 1:
                return True
            near = {(row + down, column + right) for down, right in NEIGHBOURS} & own
            own -= near
            chain.extend(near)
        return False

    def actions(self):
        cells = [name(row, column) for row in range(self.size) for column in range(self.size)]
        return cells + ["swap"] * self.swap

    def from_json(self, fields):
        rows, turn = fields["rows"], fields["turn"]
        fit = all(len(row) == self.size and set(row) <= {*STONES, EMPTY} for row in rows)
        require(len(rows) == self.size and fit, "rows", "do not fit the board")
        require(turn in (0, 1), "turn", "is neither 0 nor 1")
        vertical, horizontal = (len(cells(rows, stone)) for stone in STONES)
        surplus = (0, -1) if turn == 0 else (1, 0)
        require(vertical - horizontal in surplus, "rows", "have too many stones of one player")
        require(not self.joined(rows, STONES[turn]), "rows", "have a chain of who is to move")
        return fields

    def view(self, state):
        size, rows = self.size, state["rows"]
        places = [(row, column) for row in range(size) for column in range(size)]
        return {
            "shape": "hex",
            "cells": [{"name": name(row, column), "x": 2 * column + row, "y": size - 1 - row,
                       "ground": "open"} for row, column in places],
            "pieces": [{"cell": name(row, column), "kind": "stone", "seat": seat, "glyph": stone}
                       for seat, stone in enumerate(STONES) for row, column in cells(rows, stone)],
            "notes": ["V: from the top to the bottom; H: from the left to the right"],
        }


def cells(rows, stone):
    """Where such stones are: row and column, counted from 0."""
    return [(row, column) for row, stones in enumerate(rows)
            for column, there in enumerate(stones) if there == stone]


def name(row, column):
    """The name of a cell."""
    return f"{chr(ord('a') + column)}{row + 1}"


if __name__ == "__main__":
    run(Hex)
