#!/usr/bin/env python3
"""Seats an engine that speaks UCI, such as Fairy-Stockfish, whose variant `amazons` is ours on 10x10.

    python3 uci.py [--variant NAME] [--option NAME=VALUE]... ENGINE [ARGUMENT]...
"""

from __future__ import annotations

import argparse
import subprocess

from referee_bot import Bot, Match, Move, NoMove, Turn


class Uci(Bot):
    name = "uci"
    games = ["amazons"]
    wants_legal = False

    def __init__(self, engine: list[str], variant: str, options: list[str]) -> None:
        # The engine ends with this process, because its input does.
        pipe = subprocess.PIPE
        self.engine = subprocess.Popen(engine, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        for line in self.ask("uci", until="uciok"):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ")
            # It would play chess, without a word.
            if line.startswith("option name UCI_Variant ") and f" var {variant} " not in f"{line} ":
                raise SystemExit(f"the engine was built without the variant `{variant}`")
        for option in [f"UCI_Variant={variant}", *options]:
            name, _, value = option.partition("=")
            self.tell(f"setoption name {name} value {value}")

    def tell(self, line: str) -> None:
        try:
            print(line, file=self.engine.stdin, flush=True)
        except BrokenPipeError:
            raise SystemExit(f"the engine ended before it read `{line}`") from None

    def ask(self, line: str, until: str):
        """The engine's answers, up to and with the one that begins with `until`."""
        self.tell(line)
        for answer in self.engine.stdout:
            yield answer.rstrip()
            if answer.startswith(until):
                return
        raise SystemExit(f"the engine ended instead of answering `{line}` with `{until}`")

    def started(self, match: Match) -> None:
        self.tell("ucinewgame")
        list(self.ask("isready", until="readyok"))

    def choose(self, turn: Turn) -> Move | NoMove:
        self.tell(f"position fen {fen(turn)}")
        info: dict = {}
        for line in self.ask(f"go {limits(turn)}", until="bestmove"):
            if line.startswith("info ") and " pv " in line:
                info = search_info(line)
                self.info(**info)
        best = line.split()[1]
        return NoMove(f"the engine says `{line}`") if best == "(none)" else Move(ours(best), info)


def fen(turn: Turn) -> str:
    """The position: light is white, and arrows are walls."""
    state = turn.state
    pieces = {cell: piece for piece, cells in zip("Qq", state["amazons"]) for cell in cells}
    pieces |= dict.fromkeys(state["arrows"], "*")
    size = turn.match.options.get("size", 10)
    columns = "abcdefghijkl"[: turn.match.options.get("columns", size)]
    rows = []
    for row in range(turn.match.options.get("rows", size), 0, -1):
        text = "".join(pieces.get(f"{column}{row}", ".") for column in columns)
        for blanks in range(len(columns), 0, -1):
            text = text.replace("." * blanks, str(blanks))
        rows.append(text)
    return f"{'/'.join(rows)} {'wb'[state['to_move']]} - - 0 {turn.ply // 2 + 1}"


def limits(turn: Turn) -> str:
    """A game clock goes to the engine as it is; of any other clock, a safe part."""
    remaining = turn.clock.get("remaining_ms")
    if not remaining or "move_ms" in turn.clock or None in remaining:
        return f"movetime {max(1, int(turn.budget() * 1000))}"
    white, black = (max(1, int(left)) for left in remaining)
    increment = int(turn.clock.get("increment_ms") or 0)
    return f"wtime {white} btime {black} winc {increment} binc {increment}"


def ours(move: str) -> str:
    """`d1d7,d7g7` in our notation: `d1-d7/g7`."""
    way, _, shot = move.partition(",")
    start, end = cells(way)
    return f"{start}-{end}/{cells(shot)[1]}"


def cells(pair: str) -> tuple[str, str]:
    second = next(at for at in range(1, len(pair)) if pair[at].isalpha())
    return pair[:second], pair[second:]


def search_info(line: str) -> dict:
    """`info depth 7 score cp 31 nodes 1200 pv …` for the log; `value` is the expected outcome."""
    words = line.split()
    info: dict = {"pv": [ours(move) for move in words[words.index("pv") + 1 :]]}
    for key in ("depth", "nodes"):
        if key in words:
            info[key] = int(words[words.index(key) + 1])
    if "score" in words:
        kind, score = words[words.index("score") + 1], int(words[words.index("score") + 2])
        info["value"] = float(score > 0) if kind == "mate" else 1 / (1 + 10 ** (-score / 400))
    return info


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="amazons", metavar="NAME")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("engine", nargs=argparse.REMAINDER, metavar="ENGINE")
    arguments = parser.parse_args()
    if not arguments.engine:
        parser.error("the command of an engine is missing")
    Uci(arguments.engine, arguments.variant, arguments.option).run()
