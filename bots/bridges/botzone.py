#!/usr/bin/env python3
"""Seats a bot that was written for Botzone: its Amazons is ours on 8x8.

    python3 botzone.py [--simple] BOT [ARGUMENT]...

The bot may end after each move, or say that it wants to be kept running. `--simple` is for bots that
read plain numbers instead of JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess

from referee_bot import Bot, Match, Move, NoMove, Turn

KEPT = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
FIELDS = ("x0", "y0", "x1", "y1", "x2", "y2")
COLUMNS = "abcdefgh"
START = {"a3", "c1", "f1", "h3"}


class Botzone(Bot):
    name = "botzone"
    games = ["amazons"]
    wants_state = wants_legal = False

    def __init__(self, command: list[str], simple: bool) -> None:
        self.command, self.simple = command, simple
        self.process: subprocess.Popen | None = None

    def started(self, match: Match) -> None:
        self.is_theirs = set(match.state["amazons"][0]) == START and not match.state["arrows"]
        self.end()
        # In turns, as the bot sees them: what it was asked, what it answered.
        self.requests = [] if match.seat else [[-1] * len(FIELDS)]
        self.responses: list[list[int]] = []

    def ended(self, result: dict) -> None:
        self.end()

    def end(self) -> None:
        if self.process:
            with contextlib.suppress(BrokenPipeError), self.process as process:
                process.kill()
        self.process = None

    def choose(self, turn: Turn) -> Move | NoMove:
        if not self.is_theirs:
            return NoMove("Botzone plays Amazons from the start on 8x8 (`size = 8`)")
        for played in turn.moves:
            own = played.seat == turn.match.seat
            (self.responses if own else self.requests).append(numbers(played.move))
        if self.process:
            question = [self.requests[-1]]
        else:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, text=True)
            question = None
        # A bot that has ended before it reads may have answered.
        with contextlib.suppress(BrokenPipeError):
            print(self.question(question), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        try:
            move = [int(word) for word in answer.split()] if self.simple else response(answer)
            move = text(move)
        except (ValueError, KeyError, TypeError, AttributeError):
            self.end()
            return NoMove(f"the bot's answer is no move: {answer[:200]!r}")
        # A bot that wants to be kept says so in its next line; else it ends.
        if not any(line.strip() == KEPT for line in iter(self.process.stdout.readline, "")):
            self.end()
        return Move(move)

    def question(self, only: list | None) -> str:
        """The whole history, or the last move for a bot that was kept running."""
        if self.simple:
            turns = zip(self.requests, [*self.responses, []])
            lines = only or [line for pair in turns for line in pair if line]
            head = [] if only else [[len(self.requests)]]
            return "\n".join(" ".join(map(str, line)) for line in head + lines)
        if only:
            return json.dumps(named(only[0]))
        history = {"requests": self.requests, "responses": self.responses}
        return json.dumps({key: [named(move) for move in moves] for key, moves in history.items()})


def named(move: list[int]) -> dict[str, int]:
    return dict(zip(FIELDS, move))


def response(line: str) -> list[int]:
    answer = json.loads(line)
    move = answer.get("response", answer)
    return [int(move[field]) for field in FIELDS]


def numbers(move: str) -> list[int]:
    """`d1-d7/g7` as three cells, each as column and row from 0."""
    cells = re.findall("[a-h][1-8]", move)
    return [number for cell in cells for number in (COLUMNS.index(cell[0]), int(cell[1]) - 1)]


def text(move: list[int]) -> str:
    if len(move) != len(FIELDS) or not all(0 <= number < len(COLUMNS) for number in move):
        raise ValueError(move)
    start, end, shot = (f"{COLUMNS[x]}{y + 1}" for x, y in zip(move[::2], move[1::2]))
    return f"{start}-{end}/{shot}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simple", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="BOT")
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("the command of a bot is missing")
    Botzone(arguments.command, arguments.simple).run()
