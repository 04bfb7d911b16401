"""A bot as an opponent: its process, and the protocol from the referee's side."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from typing import Any, cast

from ._native import Game, State
from ._program import program

_UNITS = {"ms": 1, "s": 1000, "m": 60_000}


def milliseconds(time: str) -> int:
    """A time with a unit, as in `100ms`."""
    found = re.fullmatch(r"(\d+)(ms|s|m)", time)
    if not found:
        raise ValueError(f"`{time}` is not a time: a whole number with ms, s or m, as in 100ms")
    return int(found[1]) * _UNITS[found[2]]


def _environment(game: Game) -> dict[str, str]:
    """The environment of a bot, which knows the rules as well."""
    environment = dict(os.environ)
    if game.source is not None:
        is_sheet = game.source.endswith(".kif")
        command = [game.source] if is_sheet else shlex.split(game.source)
        environment["REFEREE_RULES"] = json.dumps([{"command": command, "dir": os.getcwd()}])
    return environment


class Bot:
    """A process that answers turns."""

    def __init__(self, command: str, per_move: str, game: Game) -> None:
        words = shlex.split(command)
        if not words:
            raise ValueError("the command line of the bot is empty")
        self.name, self.per_move = words[0], milliseconds(per_move)
        if words[0] == "referee":
            words[0] = program()
        elif shutil.which(words[0]) is None:
            # The name of a reference bot is enough.
            words = [program(), "bot", *words]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=_environment(game))
        self.news: list[dict[str, Any]] = []
        self.seat = 0
        self._send({"type": "hello", "protocol": 1, "referee": "referee_games"})
        self._receive("hello")

    def start(self, game: Game, state: State, seat: int, seed: int) -> None:
        """Begins a match."""
        players = [{"name": "bot" if at == seat else "player", "role": role}
                   for at, role in enumerate(game.roles)]
        message = {"type": "start", "match": f"m-{seed}", "game": game.name, "options": game.options,
                   "seat": seat, "role": game.roles[seat], "players": players,
                   "time": {"per_move_ms": self.per_move, "startup_ms": 10_000, "margin_ms": 0},
                   "limits": {"max_plies": game.max_plies, "repetition": None}}
        self.seat, self.news = seat, []
        self._send({**message, **self._known(state)})
        self._receive("ready")

    def tell(self, seat: int, move: str) -> None:
        """Notes a move, for the bot's next turn."""
        self.news.append({"seat": seat, "move": move})

    def move(self, state: State) -> str:
        """The bot's move."""
        self._send({"type": "turn", "ply": state.ply, "moves": self.news,
                    "legal": state.legal(self.seat), "clock": {"move_ms": self.per_move},
                    **self._known(state)})
        self.news = []
        return cast(str, self._receive("move")["move"])

    def close(self) -> None:
        """Ends the process."""
        try:
            self._send({"type": "quit"})
            self.process.wait(timeout=2)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()

    def __del__(self) -> None:
        process = getattr(self, "process", None)
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()

    def _known(self, state: State) -> dict[str, Any]:
        if state.game.hidden:
            return {"observation": json.loads(state.observation_json(self.seat))}
        return {"state": json.loads(state.json())}

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise RuntimeError(f"the bot `{self.name}` has ended ({error})") from error

    def _receive(self, kind: str) -> dict[str, Any]:
        assert self.process.stdout
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("type") == kind:
                return cast("dict[str, Any]", message)
            if message.get("type") != "info":
                raise RuntimeError(f"the bot `{self.name}` answers {message.get('type')!r}, not {kind}: "
                                   f"{message.get('message', '')}")
        raise RuntimeError(f"the bot `{self.name}` has ended without an answer")
