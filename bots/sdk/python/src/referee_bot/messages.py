"""What the referee says and a bot answers, as objects; without any reading and writing."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Mapping, Union

#: The share of a limit that is spent; the rest is for a machine that does other things.
SHARE = 0.8
#: Milliseconds that are kept back besides, for the way of the answer.
RESERVE_MS = 10.0
#: A game clock is divided as if this many moves were still to come.
MOVES_TO_GO = 25

#: A message, as JSON has it.
Message = dict[str, Any]


@dataclass(frozen=True)
class Move:
    """A move with what to log about it: customary fields are `depth`, `nodes`, `value` (the
    outcome that is expected, 0 to 1), `pv` (a list of moves), `text` and, where `turn.lines` asks
    for them, `lines` (the best first, each with `value` and `pv`)."""

    move: str
    info: Mapping[str, Any] = field(default_factory=dict)


class Resign:
    """Giving the match up: see `RESIGN`."""


#: Returned from `choose`, it gives the match up.
RESIGN = Resign()


@dataclass(frozen=True)
class NoMove:
    """Nothing to play, with a reason for the log: the match is lost by the fault `no_move`."""

    reason: str | None = None


#: What `choose` may return.
Choice = Union[str, Move, Resign, NoMove]


@dataclass(frozen=True)
class Played:
    """A ply that was made: a move or, without a seat, what chance brought."""

    seat: int | None
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
    #: The position at the start; `None` in games with hidden information.
    state: Any
    #: The time control.
    time: dict[str, Any]
    #: `max_plies` and `repetition`.
    limits: dict[str, Any]
    #: What the bot may know of the start, in games with hidden information.
    observation: Any = None
    #: Whether the match ends when all bots offer the same.
    takes_offers: bool = False

    @classmethod
    def read(cls, message: Message) -> Match:
        """The match that a message `start` announces."""
        return cls(
            id=message["match"],
            game=message["game"],
            options=message.get("options") or {},
            seat=message["seat"],
            role=message.get("role", ""),
            players=message.get("players", []),
            state=message.get("state"),
            time=message.get("time") or {},
            limits=message.get("limits") or {},
            observation=message.get("observation"),
            takes_offers=message.get("offers") is True,
        )


@dataclass(frozen=True)
class Turn:
    """What `turn` says, and how much time there is."""

    match: Match
    #: Plies made so far.
    ply: int
    #: All plies since the bot's last turn, its own first; only its own in games with hidden
    #: information.
    moves: list[Played]
    #: The position now; `None` for bots that do not want it, and in games with hidden information.
    state: Any
    #: All legal moves; empty for bots that do not want them.
    legal: list[str]
    #: Limits in milliseconds, as the protocol has them.
    clock: dict[str, Any]
    #: When the turn began, by `time.monotonic()`.
    began: float
    #: All that the bot may know now, in place of `state` in games with hidden information.
    observation: Any = None
    #: What the bot perceived of each step since its last turn, in games with hidden information: a
    #: list a step, often empty.
    sees: list[list[Any]] = field(default_factory=list)
    #: What the others offered with their last moves: `seat`, `kind` and, to settle, `outcome` and
    #: `scores`.
    offers: list[dict[str, Any]] = field(default_factory=list)
    #: How many best lines an analysis would like to see in `info`; `None` in a match.
    lines: int | None = None

    @classmethod
    def read(cls, match: Match, message: Message, began: float) -> Turn:
        """The turn that a message `turn` gives to the bot."""
        return cls(
            match=match,
            ply=message["ply"],
            moves=[Played(move.get("seat"), move["move"]) for move in message.get("moves", [])],
            state=message.get("state"),
            legal=message.get("legal") or [],
            clock=message.get("clock") or {},
            began=began,
            observation=message.get("observation"),
            sees=message.get("sees") or [],
            offers=message.get("offers") or [],
            lines=message.get("lines"),
        )

    def budget(self) -> float:
        """Seconds to spend on this move, from its beginning: a safe part of what the clock
        allows, and a second where there is no clock."""
        limits: list[float] = []
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

    def last_ply(self, horizon: int | None) -> int | None:
        """Where playouts from here should stop: at the match's limit, or `horizon` plies on."""
        limits: list[int | None] = [self.match.limits.get("max_plies")]
        if horizon is not None:
            limits.append(self.ply + horizon)
        return min((limit for limit in limits if limit is not None), default=None)


def _usable(limit_ms: float) -> float:
    return max(0.0, limit_ms * SHARE - RESERVE_MS)


def answer(choice: Choice, turn: Turn) -> Message:
    """The message for what `choose` returned."""
    if isinstance(choice, Resign):
        return {"type": "resign"}
    if isinstance(choice, NoMove):
        fault: Message = {"type": "fault", "code": "no_move"}
        return fault if choice.reason is None else {**fault, "message": choice.reason}
    move = Move(choice) if isinstance(choice, str) else choice
    # A bot without types may return anything, for instance nothing.
    if not isinstance(move, Move):
        raise TypeError(
            f"choose() returned {choice!r}, not a text out of turn.legal, a Move, RESIGN "
            "or a NoMove"
        )
    message: Message = {"type": "move", "move": move.move, "ply": turn.ply}
    if move.info:
        message["info"] = dict(move.info)
    return message
