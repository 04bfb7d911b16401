#!/usr/bin/env python3
"""Connect Four: two players, one acts at a time, everybody sees everything.

The plainest kind of game, and the one to begin with. What to learn from it:

- A state is a dict of what JSON can hold. Here it is one text a column, from the bottom up, such as
  "XXO"; whose turn it is follows from the number of discs, so it need not be stored.
- A move names the cell in which the disc comes to rest. Programs that draw boards mark the cells
  that a move names.
- Options are attributes of the class; in its methods they are the values of the match.
- `view` says how the board looks, and `referee play` draws it.

    referee play connect-four --rules "python3 games/examples/connect_four.py" --human x --bot mcts
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bots/sdk/python/src"))

from referee_rules import Game, Int, Result, require, run  # noqa: E402

DISCS = "XO"
#: To the right, up, and along both diagonals.
DIRECTIONS = [(1, 0), (0, 1), (1, 1), (1, -1)]


class ConnectFour(Game):
    id = "connect-four"
    title = "Connect Four"
    summary = "Drop discs into columns; four of yours in a line win."
    roles = ["x", "o"]
    symmetric = True
    notation = [("d1", "drop a disc into column d; it comes to rest in row 1")]
    guide = """\
# Connect Four

Two players, `x` and `o`, drop discs into the columns of an upright board in turn; `x` begins. A disc
falls to the lowest free cell of its column. Whoever first has four discs in a line wins: across,
upright or diagonal. If the board is full before, it is a draw.

A move is the cell in which the disc comes to rest: the column's letter from the left, and the row's
number from the bottom.
"""
    columns = Int(default=7, min=1, max=20, help="How many columns there are.")
    rows = Int(default=6, min=1, max=20, help="How high they are.")
    line = Int(default=4, min=2, max=10, help="How many discs in a line win.")

    def start(self, rng):
        return {"columns": [""] * self.columns}

    def to_move(self, state):
        return sum(map(len, state["columns"])) % 2

    def legal(self, state, seat):
        heights = enumerate(map(len, state["columns"]))
        return [cell(column, height) for column, height in heights if height < self.rows]

    def apply(self, state, step):
        columns = list(state["columns"])  # a new list: the old state stays as it is
        columns[ord(step[0]) - ord("a")] += DISCS[self.to_move(state)]
        return {"columns": columns}

    def result(self, state):
        columns = state["columns"]
        last = 1 - self.to_move(state)
        # The last disc lies on top of its column.
        tops = [number for number, discs in enumerate(columns) if discs.endswith(DISCS[last])]
        if any(self.wins(columns, column) for column in tops):
            return Result([1, 0] if last == 0 else [0, 1], "line")
        if all(len(discs) == self.rows for discs in columns):
            return Result([0, 0], "board_full")
        return None

    def wins(self, columns, column):
        """Whether the disc on top of a column is part of a line."""
        row = len(columns[column]) - 1
        disc = columns[column][row]

        def reach(across, up):
            """How many discs like it follow in one direction."""
            count, x, y = 0, column + across, row + up
            while 0 <= x < len(columns) and 0 <= y < len(columns[x]) and columns[x][y] == disc:
                count, x, y = count + 1, x + across, y + up
            return count

        return any(
            1 + reach(across, up) + reach(-across, -up) >= self.line for across, up in DIRECTIONS
        )

    def actions(self):
        return [cell(column, row) for column in range(self.columns) for row in range(self.rows)]

    def from_json(self, fields):
        columns = fields["columns"]
        fit = all(len(discs) <= self.rows and set(discs) <= set(DISCS) for discs in columns)
        require(len(columns) == self.columns and fit, "columns", "do not fit the board")
        surplus = sum(discs.count("X") - discs.count("O") for discs in columns)
        require(surplus in (0, 1), "columns", "have more discs of one player than can be")
        return fields

    def view(self, state):
        places = [(x, y) for x in range(self.columns) for y in range(self.rows)]
        discs = [(x, y, disc) for x, column in enumerate(state["columns"])
                 for y, disc in enumerate(column)]
        return {
            "shape": "square",
            # A cell is two half widths wide.
            "cells": [{"name": cell(x, y), "x": 2 * x, "y": y, "ground": "open"}
                      for x, y in places],
            "pieces": [{"cell": cell(x, y), "kind": "disc", "seat": DISCS.index(disc),
                        "glyph": disc} for x, y, disc in discs],
            "notes": [],
        }


def cell(column, row):
    """The name of a cell; both are counted from 0."""
    return f"{chr(ord('a') + column)}{row + 1}"


if __name__ == "__main__":
    run(ConnectFour)
