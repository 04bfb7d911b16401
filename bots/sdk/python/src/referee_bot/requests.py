"""Requests to the forward model and what its answers mean; without any reading and writing."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Sequence, Union, cast

#: A request, or the `ok` of an answer.
Object = dict[str, Any]

#: A step: a move, what chance brings or, where several act at once, the choices of all by their
#: seats' numbers and `chance`: `{"0": "rock", "1": "paper"}`.
Step = Union[str, Mapping[str, str]]


class ModelError(Exception):
    """A request that the model refused; the position is what it was before."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        #: A word of the protocol, such as `illegal_move`; `gone` if the process has ended.
        self.code = code


@dataclass(frozen=True)
class Position:
    """What the model says about a position. What was not asked for by `want` is `None`."""

    #: Plies since the start.
    ply: int
    #: The seat to move; `None` when the game is over. In games where that happens, a list of
    #: several that act at once, perhaps with `"chance"`, or `"chance"` alone.
    to_move: Any
    #: `None`, or `scores`, `outcome` and `reason`.
    result: dict[str, Any] | None
    #: All legal moves; none when the game is over. Where several act at once, a dictionary of them by
    #: seat (`"0"`); for chance, one of outcomes with their probabilities.
    legal: Any = None
    #: The position as the game writes it.
    state: Any = None
    #: A text that is equal exactly for equal positions, for transposition tables.
    key: str | None = None
    #: The outcome that the reference evaluation expects, from 0 to 1 a seat.
    value: list[float] | None = None
    #: The board, for drawing.
    view: Any = None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None


@dataclass(frozen=True)
class Child:
    """A legal move and the position after it, which has a `key`."""

    move: str
    position: Position


@dataclass(frozen=True)
class Playout:
    """Means of random games."""

    #: What each seat got, from 0 (lost) to 1 (won).
    outcome: list[float]
    #: How long they were.
    plies: float
    #: How many games were played, if `ms` limited them.
    count: int | None = None


def program(command: Sequence[str] | None) -> list[str]:
    """The command of the model's process."""
    return [*(command or [os.environ.get("REFEREE", "referee")]), "model"]


def missing(command: Sequence[str]) -> ModelError:
    """The error if there is no such program."""
    text = f"there is no program `{command[0]}`: name it in REFEREE, or put it on the PATH"
    return ModelError("gone", text)


def gone() -> ModelError:
    """The error if the process does not answer any more."""
    return ModelError("gone", "the model's process has ended")


def new(
    game: str,
    options: Object | None,
    state: Any,
    seed: int,
    max_plies: int | None,
    observation: Any = None,
) -> Object:
    """A request that sets up a position."""
    request: Object = {"op": "new", "game": game, "options": options or {}}
    if observation is not None:
        request["observation"] = observation
    else:
        request.update({"seed": seed} if state is None else {"state": state})
    if max_plies is not None:
        request["max_plies"] = max_plies
    return request


def play(steps: Iterable[Step]) -> Object:
    """A request that makes steps."""
    moves = [step if isinstance(step, str) else dict(step) for step in steps]
    return {"op": "play", "moves": moves}


def sample(seat: int, count: int, seed: int) -> Object:
    """A request for states that a seat cannot tell from the present one."""
    return {"op": "sample", "as": seat, "count": count, "seed": seed}


def wanting(request: Object, want: Iterable[str]) -> Object:
    """The request, with what the answer should hold."""
    names = list(want)
    return {**request, "want": names} if names else request


def random_games(op: str, count: int | None, seed: int, ms: int | None) -> Object:
    """A request for random games."""
    request: Object = {"op": op, "seed": seed}
    limits = {"count": count, "ms": ms}
    request.update({name: limit for name, limit in limits.items() if limit is not None})
    return request


def encoded(requests: Iterable[Object]) -> bytes:
    """Requests as lines."""
    return b"".join(json.dumps(request).encode() + b"\n" for request in requests)


def ok(line: bytes) -> Object:
    """What an answer's line says, or the error that it reports."""
    if not line:
        raise gone()
    answer = cast(Object, json.loads(line))
    if "error" in answer:
        raise ModelError(answer["error"]["code"], answer["error"]["message"])
    return cast(Object, answer["ok"])


def position(answer: Object) -> Position:
    """The position that an answer describes."""
    optional = ("legal", "state", "key", "value", "view")
    extras = {name: answer[name] for name in optional if name in answer}
    # Where only an observation was set up, there is no position.
    where = (answer.get("ply", 0), answer.get("to_move"), answer.get("result"))
    return Position(*where, **extras)


def children(answer: Object) -> list[Child]:
    """The moves and positions of an answer to `children`."""
    return [Child(child["move"], position(child)) for child in answer["children"]]


def playout(answer: Object) -> Playout:
    """The means of an answer to `playout`."""
    return Playout(answer["outcome"], answer["plies"], answer.get("count"))
