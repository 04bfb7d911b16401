"""A game with its options, loaded: what stays the same during a match."""

from __future__ import annotations

import math
import os
import signal
import sys
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import pyspiel

from .catalogue import FRACTION_SCALE, Entry, Value, roles
from .errors import RulesError

#: How long OpenSpiel may take to load a game with options that nobody has tried, in seconds.
TRIAL_SECONDS = 4


@dataclass(frozen=True)
class Setup:
    """A loaded game."""

    entry: Entry
    #: OpenSpiel's game.
    game: Any
    #: The number of seats.
    seats: int
    #: Scores are returns times this.
    scale: int

    @property
    def roles(self) -> list[str]:
        """What the seats are called."""
        return roles(self.seats)

    @staticmethod
    def returns(state: Any) -> list[float]:
        """What each seat has got so far; nothing, where OpenSpiel knows that only at the end."""
        try:
            return [float(value) for value in state.returns()]
        except pyspiel.SpielError:
            if state.is_terminal():
                raise
            return [0.0] * state.num_players()

    def scores(self, returns: Sequence[float]) -> list[int]:
        """Returns as whole numbers."""
        return [round(value * self.scale) for value in returns]

    def outcome(self, returns: Sequence[float]) -> list[float]:
        """What returns are worth, from 0 to 1: the share of the others that a seat is ahead of, ties
        counting half. A single seat has what it got, between the least and the most that it could."""
        if self.seats == 1:
            least, most = self.game.min_utility(), self.game.max_utility()
            return [min(1.0, max(0.0, (returns[0] - least) / (most - least)))]
        # Sums that were added up in another order are equal all the same.
        values = [round(value, 6) for value in returns]
        return [
            (sum((value > other) + 0.5 * (value == other) for other in values) - 0.5)
            / (self.seats - 1)
            for value in values
        ]

    def text(self, state: Any, seat: int) -> str:
        """What OpenSpiel tells a seat in a state: all that the seat knows where the game has that
        (information state), else what it sees at the moment (observation)."""
        if self.entry.type.provides_information_state_string:
            return str(state.information_state_string(seat))
        if self.entry.type.provides_observation_string:
            return str(state.observation_string(seat))
        return ""


def load(entry: Entry, options: Mapping[str, Any]) -> Setup:
    """Loads a game; raises `RulesError` if an option is wrong."""
    parameters = _parameters(entry, options)
    if parameters != dict(entry.fixed):
        _try_out(entry, parameters)
    try:
        game = pyspiel.load_game(entry.short_name, parameters)
        game.new_initial_state()
    except (pyspiel.SpielError, MemoryError, ValueError) as error:
        raise _refused(entry, parameters, _first_line(error)) from error
    _check_kind(entry, game)
    seats = game.num_players()
    if seats == 1 and not _bounded(game):
        message = f"with one seat {entry.id} has no bounds that its result could be measured by"
        raise RulesError("bad_option", message)
    scale = 1 if entry.whole(seats, parameters) else FRACTION_SCALE
    return Setup(entry, game, seats, scale)


def _parameters(entry: Entry, options: Mapping[str, Any]) -> dict[str, Value]:
    """The parameters that differ from their defaults: OpenSpiel has defaults that it does not tell,
    and keeps them if nothing is said."""
    defaults = entry.parameters()
    parameters: dict[str, Value] = dict(entry.fixed)
    for name, given in options.items():
        if name not in defaults:
            known = ", ".join(defaults) or "none"
            raise RulesError("bad_option", f"{entry.id} has no option `{name}`; it has {known}")
        value = _value(entry, name, given, defaults[name])
        if value != defaults[name]:
            parameters[name] = value
    return parameters


def _value(entry: Entry, name: str, given: Any, default: Value) -> Value:
    """The value of an option, with the type that OpenSpiel wants."""
    option = entry.options()[name]
    if option["type"] == "bool" and isinstance(given, bool):
        return given
    if option["type"] == "int" and isinstance(given, int) and not isinstance(given, bool):
        if option["min"] <= given <= option["max"]:
            return given
        bounds = f"{option['min']} to {option['max']}"
        raise RulesError("bad_option", f"`{name}` is {given}, but may be {bounds}")
    if isinstance(default, float):
        return _number(name, given)
    if option["type"] == "text" and isinstance(given, str):
        return given
    kinds = {"bool": "true or false", "int": "a whole number", "text": "a text"}
    raise RulesError("bad_option", f"`{name}` must be {kinds[option['type']]}")


def _number(name: str, given: Any) -> float:
    try:
        number = float(given) if isinstance(given, (str, int, float)) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise RulesError("bad_option", f"`{name}` must be a number, such as \"7.5\"")
    return number


def _try_out(entry: Entry, parameters: Mapping[str, Value]) -> None:
    """Loads the game in a child process first: with some parameters OpenSpiel does not raise an
    error but crashes, and that should not end this program."""
    sys.stdout.flush()
    try:
        child = os.fork()
    except (AttributeError, OSError):
        return
    if child == 0:
        try:
            signal.alarm(TRIAL_SECONDS)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            state = pyspiel.load_game(entry.short_name, dict(parameters)).new_initial_state()
            state.clone()
        except BaseException:  # Errors that are raised are for the parent to see.
            pass
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise _refused(entry, parameters, "it crashes")


def _refused(entry: Entry, parameters: Mapping[str, Value], why: str) -> RulesError:
    shown = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return RulesError("bad_option", f"OpenSpiel does not load {entry.id} with {shown}: {why}")


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _check_kind(entry: Entry, game: Any) -> None:
    """Refuses parameters that make a game of another kind than `hello` promised."""
    kind = game.get_type()
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise RulesError("bad_option", "with these options OpenSpiel draws chance inside")
    hidden = kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    if hidden and not entry.hidden:
        raise RulesError("bad_option", "with these options the game has hidden information")


def _bounded(game: Any) -> bool:
    """Whether it is known between which numbers returns are."""
    try:
        least, most = game.min_utility(), game.max_utility()
    except pyspiel.SpielError:
        return False
    return math.isfinite(least) and math.isfinite(most) and least < most
