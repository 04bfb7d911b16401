"""What an author writes: a subclass of `Game`, with its options and what it answers."""

from __future__ import annotations

import difflib
import json
import random
from typing import Any, ClassVar, Generic, Mapping, NamedTuple, Sequence, TypeVar, Union
from typing import cast, overload

#: Who draws at random: see `Game.to_move`.
CHANCE = "chance"

#: Who acts: a seat, counted from 0, or `CHANCE`.
Actor = Union[int, str]

#: What happens in a step: the text of a move or of an outcome of chance; where several act at
#: once, a dict from each of them to its text.
Step = Any

#: What JSON can hold.
Json = Any

State = TypeVar("State")
Value = TypeVar("Value")


class BadOption(Exception):
    """An option's value that the game cannot be played with. Raise it in `start` for what the
    declarations of single options cannot express."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class BadState(Exception):
    """A state that no game can be in. Raise it in `from_json`."""


def require(condition: object, field: str, message: str) -> None:
    """Refuses a state with `BadState` unless the condition holds. `message` goes on after the
    field's name: `require(left >= 0, "left", "is below 0")`."""
    if not condition:
        raise BadState(f"`{field}` {message}")


class Result(NamedTuple):
    """How a game ended."""

    #: The game's points: a whole number a seat.
    scores: Sequence[int]
    #: Why it ended: a short word in snake_case.
    reason: str
    #: What the scores are worth, from 0 to 1 a seat. By default each seat gets the share of its
    #: rivals that it beat, and half for a tie: a win is 1, a draw 0.5.
    outcome: Sequence[float] | None = None


def ranked(scores: Sequence[int]) -> list[float]:
    """The outcome that belongs to scores: the share of rivals beaten, half for ties."""
    if len(scores) < 2:
        raise ValueError("a game of one seat needs an `outcome` in its Result")
    rivals = len(scores) - 1

    def worth(own: int) -> float:
        beaten = sum(score < own for score in scores)
        tied = sum(score == own for score in scores) - 1
        return (beaten + tied / 2) / rivals

    return [worth(own) for own in scores]


class Option(Generic[Value]):
    """An option of a game, declared as an attribute of its class. In the game's methods,
    `self.NAME` is the value that was chosen for the match."""

    def __init__(self, default: Value, help: str) -> None:
        self.default, self.help = default, help
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        if hasattr(Game, name) or name in Game.__annotations__ or name == "options":
            raise TypeError(f"an option of a game cannot be called `{name}`")
        self.name = name

    @overload
    def __get__(self, game: None, owner: type) -> Option[Value]: ...

    @overload
    def __get__(self, game: Game[Any], owner: type) -> Value: ...

    def __get__(self, game: Game[Any] | None, owner: type) -> Option[Value] | Value:
        return self if game is None else cast(Value, game.options[self.name])

    def describe(self) -> dict[str, Json]:
        """The option's entry in `hello`."""
        raise NotImplementedError

    def allows(self, value: Json) -> bool:
        """Whether a game can be played with this value."""
        raise NotImplementedError

    def allowed(self) -> str:
        """What values there are, to go on after "is not"."""
        raise NotImplementedError


class Int(Option[int]):
    """A whole number from `min` to `max`."""

    def __init__(self, default: int, *, min: int, max: int, help: str = "") -> None:
        super().__init__(default, help)
        self.min, self.max = min, max

    def describe(self) -> dict[str, Json]:
        limits = {"min": self.min, "max": self.max}
        return {"type": "int", **limits, "default": self.default, "help": self.help}

    def allows(self, value: Json) -> bool:
        number = isinstance(value, int) and not isinstance(value, bool)
        return number and self.min <= value <= self.max

    def allowed(self) -> str:
        return f"a whole number from {self.min} to {self.max}"


class Bool(Option[bool]):
    """True or false."""

    def __init__(self, default: bool = False, *, help: str = "") -> None:
        super().__init__(default, help)

    def describe(self) -> dict[str, Json]:
        return {"type": "bool", "default": self.default, "help": self.help}

    def allows(self, value: Json) -> bool:
        return isinstance(value, bool)

    def allowed(self) -> str:
        return "true or false"


class Text(Option[str]):
    """Any text."""

    def __init__(self, default: str = "", *, help: str = "") -> None:
        super().__init__(default, help)

    def describe(self) -> dict[str, Json]:
        return {"type": "text", "default": self.default, "help": self.help}

    def allows(self, value: Json) -> bool:
        return isinstance(value, str)

    def allowed(self) -> str:
        return "a text"


class Choice(Option[str]):
    """One of several words, the first one by default."""

    def __init__(self, *values: str, default: str | None = None, help: str = "") -> None:
        super().__init__(values[0] if default is None else default, help)
        self.values = values

    def describe(self) -> dict[str, Json]:
        values = list(self.values)
        return {"type": "choice", "values": values, "default": self.default, "help": self.help}

    def allows(self, value: Json) -> bool:
        return value in self.values

    def allowed(self) -> str:
        return "one of " + ", ".join(f"`{value}`" for value in self.values)


class Game(Generic[State]):
    """The rules of a game. An object of it is the game with the options of one match.

    States are values: `apply` returns a new one and leaves the old one as it is. A state holds all
    that matters for how play goes on; the number of plies made is kept for you. If it is a dict of
    what JSON can hold (without the names `ply` and `to_move`), nothing else is needed; otherwise
    write `to_json` and `from_json`.
    """

    #: The name in configurations: small letters, digits and `-`.
    id: ClassVar[str]
    #: The name for people; by default the id.
    title: ClassVar[str] = ""
    #: One sentence about how the game is played and won.
    summary: ClassVar[str] = ""
    #: What the seats are called, in order; for the largest number of them.
    roles: ClassVar[Sequence[str]]
    #: The smallest and the largest number of seats, if it depends on an option: see `seat_count`.
    seats: ClassVar[tuple[int, int] | None] = None
    #: Whether all seats play by the same rules and with the same pieces.
    symmetric: ClassVar[bool] = False
    #: Whether seats know different things: then `observation` and `sees` are needed.
    hidden: ClassVar[bool] = False
    #: How moves are written: pairs of a move and its meaning.
    notation: ClassVar[Sequence[tuple[str, str]]] = ()
    #: Where a match ends that does not set its own limit; `None` for no limit.
    max_plies: ClassVar[int | None] = None
    #: How often one position may occur, likewise.
    repetition: ClassVar[int | None] = None
    #: The rules for people, as Markdown.
    guide: ClassVar[str] = ""

    def __init__(self, options: Mapping[str, Json] | None = None) -> None:
        #: All options of the match, those that were left at their defaults included.
        self.options = self._read(options or {})

    # What every game needs.

    def start(self, rng: random.Random) -> State:
        """The state at the start. Only what is drawn from `rng` may be random."""
        raise NotImplementedError

    def to_move(self, state: State) -> Actor | Sequence[Actor]:
        """Who acts: a seat; a list of two or more seats that act at once, which may end with
        `CHANCE`; or `CHANCE` alone. It is not asked when the game is over."""
        raise NotImplementedError

    def legal(self, state: State, seat: int) -> Sequence[str]:
        """The moves of a seat that acts: texts, all different, at least one."""
        raise NotImplementedError

    def apply(self, state: State, step: Step) -> State:
        """The state after a step: a new one. `step` is a text, out of `legal` or `chance`; where
        several act at once, a dict from seats (and `CHANCE`) to their texts."""
        raise NotImplementedError

    def result(self, state: State) -> Result | None:
        """How the game ended; `None` while it goes on."""
        raise NotImplementedError

    # What some games need.

    def chance(self, state: State) -> Mapping[str, float]:
        """What can come of chance, with probabilities. The referee draws, never the game."""
        raise NotImplementedError

    def seat_count(self) -> int:
        """How many seats there are, for games with `seats`."""
        return len(self.roles)

    def to_json(self, state: State) -> dict[str, Json]:
        """The state as a dict for JSON, without `ply` and `to_move`."""
        if isinstance(state, dict):
            return state
        raise TypeError(f"a state that is no dict ({type(state).__name__}) needs `to_json`")

    def from_json(self, fields: dict[str, Json]) -> State:
        """The state that `to_json` made these fields of. Raise `BadState`, or anything else, if
        they make no sense. What does not come back as it went in is refused for you."""
        return cast(State, fields)

    def actions(self) -> Sequence[str]:
        """Every move that any position can have, each once, in an order that never changes: for
        programs that learn, the place of a move here is its number."""
        raise NotImplementedError

    def scores(self, state: State) -> Sequence[int]:
        """The points if play stopped here, for matches that a limit ends."""
        return [0] * self.seat_count()

    def key(self, state: State) -> str:
        """A text that is equal exactly for states that play on alike."""
        return json.dumps(self.to_json(state), sort_keys=True, separators=(",", ":"))

    def view(self, state: State) -> dict[str, Json]:
        """The board, for drawing: `shape`, `cells`, `pieces` and `notes`."""
        fields = self.to_json(state).items()
        notes = [f"{name}: {json.dumps(value)}" for name, value in fields]
        return {"shape": "square", "cells": [], "pieces": [], "notes": notes}

    # What games with hidden information need.

    def observation(self, state: State, seat: int) -> dict[str, Json]:
        """All that a seat knows: equal for two ways to get here exactly if the seat cannot tell
        them apart. `ply` and `to_move` are added, unless they are there."""
        return self.to_json(state)

    def sees(self, state: State, step: Step, seat: int) -> Sequence[Json]:
        """What a seat perceives of a step that is made in this state."""
        return [step]

    def sample(self, observation: Json, seat: int, rng: random.Random) -> State:
        """A state drawn from all those in which the seat would observe this, for bots that search
        over what may be."""
        raise NotImplementedError

    # The rest is for `Program`.

    @classmethod
    def declared(cls) -> dict[str, Option[Any]]:
        """The options in the order of their declaration, those of base classes first."""
        found: dict[str, Option[Any]] = {}
        for owner in reversed(cls.__mro__):
            for name, value in vars(owner).items():
                if isinstance(value, Option):
                    found[name] = value
        return found

    @classmethod
    def overrides(cls, method: str) -> bool:
        """Whether the author wrote this method."""
        return getattr(cls, method) is not getattr(Game, method)

    @classmethod
    def describe(cls) -> dict[str, Json]:
        """The game's entry in `hello`."""
        entry: dict[str, Json] = {
            "id": cls.id,
            "title": cls.title or cls.id,
            "summary": cls.summary,
            "roles": list(cls.roles),
            "symmetric": cls.symmetric,
            "hidden": cls.hidden,
            "options": {name: option.describe() for name, option in cls.declared().items()},
            "notation": [list(pair) for pair in cls.notation],
            "limits": {"max_plies": cls.max_plies, "repetition": cls.repetition},
        }
        if cls.overrides("chance"):
            # So that the referee draws what no bot can foresee.
            entry["chance"] = True
        if cls.seats is not None:
            entry["seats"] = list(cls.seats)
        if cls.guide:
            entry["guide"] = cls.guide
        return entry

    @classmethod
    def _read(cls, given: Mapping[str, Json]) -> dict[str, Json]:
        """Checks options, and completes them with the defaults."""
        declared = cls.declared()
        for name, value in given.items():
            if name not in declared:
                raise BadOption(name, _unknown(name, list(declared)))
            if not declared[name].allows(value):
                shown = json.dumps(value)
                shown = shown if len(shown) <= 40 else shown[:40] + "…"
                raise BadOption(name, f"{shown} is not {declared[name].allowed()}")
        return {name: given.get(name, option.default) for name, option in declared.items()}


def _unknown(name: str, known: list[str]) -> str:
    """The message for an option that does not exist."""
    if not known:
        return "there is no such option: this game has none"
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean `{near[0]}`? " if near else ""
    return f"there is no such option; {hint}allowed are " + ", ".join(f"`{n}`" for n in known)
