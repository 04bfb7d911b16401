"""The forward model: `referee model` as an object that knows the rules of all games."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Sequence


class ModelError(Exception):
    """A request that the model refused; the position is what it was before."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        #: A word of the protocol, such as `illegal_move`.
        self.code = code


@dataclass(frozen=True)
class Position:
    """What the model says about its position."""

    #: Plies since the start.
    ply: int
    #: The seat to move; `None` when the game is over.
    to_move: int | None
    #: `None`, or `scores`, `outcome` and `reason`.
    result: dict[str, Any] | None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None


@dataclass(frozen=True)
class Playout:
    """Means of random games."""

    #: What each seat got, from 0 (lost) to 1 (won).
    outcome: list[float]
    #: How long they were.
    plies: float


class Model:
    """One position of one game, in a child process `referee model`.

    The referee gives its bots its own path in the environment variable `REFEREE`; otherwise
    `referee` must be on the PATH, or `command` names the program. Call `new` first.

        with Model() as model:
            model.new("siam", seed=7)
            model.play(model.legal()[0])
            print(model.playout(100).outcome)
    """

    def __init__(self, command: Sequence[str] | None = None) -> None:
        if command is None:
            command = [os.environ.get("REFEREE", "referee")]
        try:
            self._process = subprocess.Popen(
                [*command, "model"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except FileNotFoundError as error:
            missing = f"there is no program `{command[0]}`: name it in REFEREE, or put it on the PATH"
            raise ModelError("gone", missing) from error
        # The number of answers that nobody waits for any more, to be skipped.
        self._unread = 0

    def new(
        self,
        game: str,
        options: dict[str, Any] | None = None,
        *,
        state: Any = None,
        seed: int = 0,
        max_plies: int | None = None,
    ) -> Position:
        """Sets up a position: `state`, or the start that belongs to `seed`. Playouts stop at
        `max_plies`, or where the game itself says."""
        request: dict[str, Any] = {"op": "new", "game": game, "options": options or {}}
        request.update({"seed": seed} if state is None else {"state": state})
        if max_plies is not None:
            request["max_plies"] = max_plies
        return _position(self._ask(request))

    def position(self) -> Position:
        """Where the model is."""
        return _position(self._ask({"op": "get"}))

    def legal(self) -> list[str]:
        """All legal moves; none when the game is over."""
        return self._get("legal")

    def state(self) -> Any:
        """The position as the game writes it."""
        return self._get("state")

    def key(self) -> str:
        """A text that is equal exactly for equal positions, for transposition tables."""
        return self._get("key")

    def view(self) -> Any:
        """The board, for drawing."""
        return self._get("view")

    def play(self, *moves: str) -> Position:
        """Plays all of these moves, or none if one of them is not legal (`ModelError`)."""
        return _position(self._ask({"op": "play", "moves": list(moves)}))

    def undo(self, count: int = 1) -> Position:
        """Takes back as many moves."""
        return _position(self._ask({"op": "undo", "count": count}))

    def perft(self, depth: int) -> int:
        """How many positions there are after exactly `depth` plies, counted by paths."""
        return self._ask({"op": "perft", "depth": depth})["nodes"]

    def playout(self, count: int = 1, seed: int = 0) -> Playout:
        """Means of `count` random games from here."""
        return _playout(self._ask({"op": "playout", "count": count, "seed": seed}))

    def playouts(self, count: int = 1, seed: int = 0) -> dict[str, list[float]]:
        """For every legal move the mean outcome a seat of `count` random games after it."""
        return self._ask({"op": "playouts", "count": count, "seed": seed})["moves"]

    def playout_after(self, moves: Sequence[str], count: int = 1, seed: int = 0) -> Playout:
        """The same after these moves, which are taken back: one wait instead of three."""
        answers = self._ask_all(
            {"op": "play", "moves": list(moves)},
            {"op": "playout", "count": count, "seed": seed},
        )
        self._send({"op": "undo", "count": len(moves)})
        self._unread += 1
        return _playout(answers[1])

    def close(self) -> None:
        """Ends the process. The model is of no use afterwards."""
        stdin, stdout = self._pipes()
        with contextlib.suppress(BrokenPipeError):
            stdin.close()
        self._process.wait()
        stdout.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _get(self, what: str) -> Any:
        return self._ask({"op": "get", "want": [what]})[what]

    def _ask(self, request: dict[str, Any]) -> Any:
        return self._ask_all(request)[0]

    def _ask_all(self, *requests: dict[str, Any]) -> list[Any]:
        """Sends all requests before it reads, which saves waiting."""
        self._send(*requests)
        _, stdout = self._pipes()
        lines = [stdout.readline() for _ in range(self._unread + len(requests))]
        if not lines[-1]:
            raise ModelError("gone", "the model's process has ended")
        lines, self._unread = lines[self._unread :], 0
        return [_ok(json.loads(line)) for line in lines]

    def _send(self, *requests: dict[str, Any]) -> None:
        stdin, _ = self._pipes()
        try:
            stdin.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
            stdin.flush()
        except BrokenPipeError as error:
            raise ModelError("gone", "the model's process has ended") from error

    def _pipes(self) -> tuple[Any, Any]:
        return self._process.stdin, self._process.stdout


def _ok(answer: dict[str, Any]) -> Any:
    if "error" in answer:
        raise ModelError(answer["error"]["code"], answer["error"]["message"])
    return answer["ok"]


def _position(answer: dict[str, Any]) -> Position:
    return Position(answer["ply"], answer["to_move"], answer["result"])


def _playout(answer: dict[str, Any]) -> Playout:
    return Playout(answer["outcome"], answer["plies"])
