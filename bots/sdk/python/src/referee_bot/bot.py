"""The loop of a bot: reads the referee's messages and answers with what `choose` says."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from dataclasses import dataclass, field
from typing import IO, Any, ClassVar, Union

from .model import Model

#: The share of a limit that is spent; the rest is for a machine that does other things.
SHARE = 0.8
#: Milliseconds that are kept back besides, for the way of the answer.
RESERVE_MS = 10.0
#: A game clock is divided as if this many moves were still to come.
MOVES_TO_GO = 25


@dataclass(frozen=True)
class Move:
    """A move with what to log about it: customary fields are `depth`, `nodes`, `value` (the
    outcome that is expected, 0 to 1), `pv` (a list of moves) and `text`."""

    move: str
    info: dict[str, Any] = field(default_factory=dict)


class Resign:
    """Giving the match up: see `RESIGN`."""


#: Returned from `choose`, it gives the match up.
RESIGN = Resign()

#: What `choose` may return.
Choice = Union[str, Move, Resign]


@dataclass(frozen=True)
class Played:
    """A move that was made."""

    seat: int
    move: str


@dataclass(frozen=True)
class Match:
    """What `start` says about the match."""

    #: The match's id: with the seat a good seed for random numbers.
    id: str
    game: str
    options: dict[str, Any]
    #: The bot's own seat, counted from 0.
    seat: int
    role: str
    #: All seats: `name` and `role`.
    players: list[dict[str, Any]]
    #: The position at the start.
    state: Any
    #: The time control.
    time: dict[str, Any]
    #: `max_plies` and `repetition`.
    limits: dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """What `turn` says, and how much time there is."""

    match: Match
    #: Plies made so far.
    ply: int
    #: All plies since the bot's last turn, its own first.
    moves: list[Played]
    #: The position now; `None` for bots that do not want it.
    state: Any
    #: All legal moves; empty for bots that do not want them.
    legal: list[str]
    #: Limits in milliseconds, as the protocol has them.
    clock: dict[str, Any]
    #: When the turn began, by `time.monotonic()`.
    began: float

    def budget(self) -> float:
        """Seconds to spend on this move, from its beginning: a safe part of what the clock
        allows, and a second where there is no clock."""
        limits = []
        if "move_ms" in self.clock:
            limits.append(_usable(self.clock["move_ms"]))
        remaining = self.clock.get("remaining_ms")
        left = remaining[self.match.seat] if remaining else None
        if left is not None:
            increment = SHARE * (self.clock.get("increment_ms") or 0)
            limits.append(min(_usable(left) / MOVES_TO_GO + increment, _usable(left)))
        return min(limits, default=1000.0) / 1000

    def time_left(self) -> float:
        """Seconds of the budget that are left now; negative when it is used up."""
        return self.began + self.budget() - time.monotonic()


class Bot:
    """A bot: a subclass implements `choose`, and calls `run` in its program.

    Standard output belongs to the protocol; use `log` for all else. (What is printed goes the same
    way while `run` runs.)
    """

    #: What the bot calls itself.
    name: ClassVar[str] = "bot"
    version: ClassVar[str | None] = None
    author: ClassVar[str | None] = None
    #: Ids of the games that it plays; `None` for all.
    games: ClassVar[list[str] | None] = None
    #: Without them, turns are quicker to read.
    wants_state: ClassVar[bool] = True
    wants_legal: ClassVar[bool] = True

    _model: Model | None = None
    _output: IO[str] = sys.stdout

    def choose(self, turn: Turn) -> Choice:
        """The move to make: a text out of `turn.legal`, a `Move`, or `RESIGN`."""
        raise NotImplementedError("a bot needs a method `choose`")

    def started(self, match: Match) -> None:
        """A match begins: forget the one before."""

    def ended(self, result: dict[str, Any]) -> None:
        """The match is over, with `scores`, `outcome`, `reason` and `faults`."""

    def fault(self, code: str, message: str) -> None:
        """The match was lost by a fault, which is printed on stderr."""
        self.log(f"lost by {code}: {message}")

    def log(self, *what: object) -> None:
        """Prints to stderr, which the referee keeps."""
        print(*what, file=sys.stderr, flush=True)

    def info(self, **fields: Any) -> None:
        """Tells for the log how thinking goes, at any time during `choose`."""
        self._send({"type": "info", **fields})

    @property
    def model(self) -> Model:
        """The forward model; its process is started at the first use."""
        if self._model is None:
            self._model = Model()
        return self._model

    def model_at(self, turn: Turn, horizon: int | None = None) -> Model:
        """The forward model, set up with the position of a turn. Playouts stop where the match
        does, and after `horizon` plies: in long games, short ones say more."""
        match, limits = turn.match, [turn.match.limits.get("max_plies")]
        if horizon is not None:
            limits.append(turn.ply + horizon)
        max_plies = min((limit for limit in limits if limit is not None), default=None)
        self.model.new(match.game, match.options, state=turn.state, max_plies=max_plies)
        return self.model

    def run(self, input: IO[str] | None = None, output: IO[str] | None = None) -> None:
        """Answers the referee's messages until `quit` or the end of the input. What is unknown
        is passed over."""
        self._output = output or sys.stdout
        # What is printed to see how the bot thinks would be taken for messages.
        with contextlib.redirect_stdout(sys.stderr):
            self._talk(input or sys.stdin)

    def _talk(self, lines: IO[str]) -> None:
        match: Match | None = None
        try:
            for line in lines:
                began = time.monotonic()
                message = json.loads(line) if line.strip() else {}
                kind = message.get("type")
                if kind == "hello":
                    self._send(self._hello())
                elif kind == "start":
                    match = _match(message)
                    self.started(match)
                    self._send({"type": "ready"})
                elif kind == "turn" and match is not None:
                    self._answer(_turn(match, message, began))
                elif kind == "error":
                    self.fault(message["code"], message["message"])
                elif kind == "end":
                    self.ended(message["result"])
                elif kind == "quit":
                    break
        finally:
            if self._model is not None:
                self._model.close()
                self._model = None

    def _hello(self) -> dict[str, Any]:
        hello = {
            "type": "hello",
            "protocol": 1,
            "name": self.name,
            "version": self.version,
            "author": self.author,
            "games": self.games,
            "wants": {"state": self.wants_state, "legal": self.wants_legal},
        }
        return {key: value for key, value in hello.items() if value is not None}

    def _answer(self, turn: Turn) -> None:
        choice = self.choose(turn)
        if isinstance(choice, Resign):
            self._send({"type": "resign"})
            return
        if isinstance(choice, str):
            choice = Move(choice)
        if not isinstance(choice, Move):
            raise TypeError(
                f"choose() returned {choice!r}, not a text out of turn.legal, a Move or RESIGN"
            )
        answer: dict[str, Any] = {"type": "move", "move": choice.move, "ply": turn.ply}
        if choice.info:
            answer["info"] = choice.info
        self._send(answer)

    def _send(self, message: dict[str, Any]) -> None:
        # What waits in a buffer is a timeout.
        print(json.dumps(message), file=self._output, flush=True)


def _usable(limit_ms: float) -> float:
    return max(0.0, limit_ms * SHARE - RESERVE_MS)


def _match(message: dict[str, Any]) -> Match:
    return Match(
        id=message["match"],
        game=message["game"],
        options=message.get("options") or {},
        seat=message["seat"],
        role=message.get("role", ""),
        players=message.get("players", []),
        state=message.get("state"),
        time=message.get("time") or {},
        limits=message.get("limits") or {},
    )


def _turn(match: Match, message: dict[str, Any], began: float) -> Turn:
    return Turn(
        match=match,
        ply=message["ply"],
        moves=[Played(move["seat"], move["move"]) for move in message.get("moves", [])],
        state=message.get("state"),
        legal=message.get("legal") or [],
        clock=message.get("clock") or {},
        began=began,
    )
