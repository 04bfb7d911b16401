"""A point in a match, in the terms of the protocol: who acts, what is legal, what follows."""

from __future__ import annotations

import itertools
import json
import random
from functools import cached_property
from math import prod
from typing import Any, Iterator, Mapping, Sequence, cast

from .game import CHANCE, Actor, BadState, Game, Json, Result, Step, ranked

#: More plies than any match has.
MOST_PLIES = 2**32 - 1


class IllegalStep(Exception):
    """A step that cannot be made here."""


class Position:
    """A state of a game, with the number of plies made so far."""

    def __init__(self, game: Game[Any], state: Any, ply: int = 0) -> None:
        self.game, self.state, self.ply = game, state, ply

    @classmethod
    def read(cls, game: Game[Any], given: Json) -> Position:
        """The position that `wire` describes. Raises `BadState` if it is none."""
        if not isinstance(given, dict):
            raise BadState("a state is an object")
        fields = dict(given)
        ply, to_move = fields.pop("ply", None), fields.pop("to_move", None)
        if not isinstance(ply, int) or isinstance(ply, bool) or not 0 <= ply <= MOST_PLIES:
            raise BadState("`ply` is not the number of plies made so far")
        try:
            position = cls(game, game.from_json(fields), ply)
            again = position.wire()
            position.check_actors()
        except BadState:
            raise
        except Exception as error:
            # An author need not foresee everything that is wrong.
            raise BadState(f"it makes no sense ({type(error).__name__}: {error})") from error
        if "to_move" in given and to_move != again["to_move"]:
            raise BadState(f"`to_move` is {to_move!r}; it must be {again['to_move']!r}")
        if {**again, "to_move": to_move} != {**given, "to_move": to_move}:
            raise BadState("there are other fields in it than this game has, or other values")
        return position

    @cached_property
    def result(self) -> Result | None:
        """How the game ended; `None` while it goes on."""
        return self.game.result(self.state)

    @cached_property
    def to_move(self) -> Json:
        """Who acts, as the protocol has it; `None` when the game is over."""
        if self.result is not None:
            return None
        turn = self.game.to_move(self.state)
        return turn if isinstance(turn, (int, str)) else list(turn)

    @property
    def actors(self) -> list[Actor]:
        """All who act."""
        turn = self.to_move
        if isinstance(turn, list):
            return turn
        return [] if turn is None else [cast(Actor, turn)]

    @cached_property
    def choices(self) -> dict[Actor, Sequence[str] | Mapping[str, float]]:
        """What each of those who act may do: a list of moves, or outcomes with probabilities."""
        game, state = self.game, self.state
        return {
            actor: game.chance(state) if isinstance(actor, str) else game.legal(state, actor)
            for actor in self.actors
        }

    @property
    def legal(self) -> Json:
        """What is legal, as the protocol has it."""
        plain = {
            str(actor): dict(choice) if isinstance(choice, Mapping) else list(choice)
            for actor, choice in self.choices.items()
        }
        if isinstance(self.to_move, list):
            return plain
        return next(iter(plain.values()), [])

    def wire(self) -> dict[str, Json]:
        """The state as the protocol has it: with `ply` and `to_move`."""
        return self._with_turn(self.game.to_json(self.state), "to_json")

    def observation(self, seat: int) -> dict[str, Json]:
        """What a seat knows."""
        known = self.game.observation(self.state, seat)
        if not isinstance(known, dict):
            raise TypeError(f"observation() returned {type(known).__name__}, not a dict")
        told = {"ply": self.ply, "to_move": self.to_move, **known}
        # In one order: otherwise the text could tell apart what is equal.
        return cast("dict[str, Json]", json.loads(json.dumps(told, sort_keys=True)))

    def scores(self) -> tuple[list[int], list[float]]:
        """Scores and outcome: those of the end, or if play stopped here."""
        result = self.result or Result(self.game.scores(self.state), "")
        scores = list(result.scores)
        if len(scores) != self.game.seat_count():
            seats = self.game.seat_count()
            raise ValueError(f"there are {len(scores)} scores, but {seats} seats")
        outcome = ranked(scores) if result.outcome is None else list(result.outcome)
        return scores, outcome

    def outcome(self) -> list[float]:
        """What the position is worth to each seat if play stops here."""
        if self.result is None and not self.game.overrides("scores"):
            return [0.5] * self.game.seat_count()
        return self.scores()[1]

    def ended(self) -> dict[str, Json] | None:
        """The result as the protocol has it."""
        if self.result is None:
            return None
        scores, outcome = self.scores()
        return {"scores": scores, "outcome": outcome, "reason": self.result.reason}

    def check_actors(self) -> None:
        """Raises `BadState` if somebody is to move who cannot."""
        for actor, choice in self.choices.items():
            seat = isinstance(actor, int) and 0 <= actor < self.game.seat_count()
            if not (seat or actor == CHANCE) or not choice:
                raise BadState(f"{actor!r} would be to move, but cannot move")

    def step(self, given: Json) -> Step:
        """A step out of what the protocol has for it. Raises `IllegalStep`."""
        if self.result is not None:
            raise IllegalStep(f"the game is over ({self.result.reason})")
        if isinstance(self.to_move, list):
            return self._joint_step(given)
        (actor,) = self.actors
        self._check(actor, given)
        return given

    def steps(self) -> Iterator[Step]:
        """All steps that can be made here."""
        actors = self.actors
        for texts in itertools.product(*self.choices.values()):
            yield dict(zip(actors, texts)) if isinstance(self.to_move, list) else texts[0]

    def after(self, step: Step) -> Position:
        """The position after a step, which must be legal."""
        state = self.game.apply(self.state, step)
        return Position(self.game, state, self.ply + len(self.actors))

    def random_step(self, rng: random.Random) -> Step:
        """A step that is drawn: moves with equal chances, outcomes of chance with theirs."""
        drawn = {actor: _drawn(choice, rng) for actor, choice in self.choices.items()}
        return drawn if isinstance(self.to_move, list) else next(iter(drawn.values()))

    def sees(self, step: Step) -> list[list[Json]]:
        """What each seat perceives of a step."""
        seats = range(self.game.seat_count())
        if not self.game.overrides("sees"):
            return [[spoken(step)] for _ in seats]
        return [list(self.game.sees(self.state, step, seat)) for seat in seats]

    def _with_turn(self, fields: dict[str, Json], method: str) -> dict[str, Json]:
        if not isinstance(fields, dict):
            raise TypeError(f"{method}() returned {type(fields).__name__}, not a dict")
        if "ply" in fields or "to_move" in fields:
            raise TypeError("a state has no fields `ply` and `to_move` of its own: they are added")
        return {"ply": self.ply, "to_move": self.to_move, **fields}

    def _joint_step(self, given: Json) -> Step:
        actors = self.actors
        names = " and ".join(self._name(actor) for actor in actors)
        if not isinstance(given, dict):
            raise IllegalStep(f"{names} act at once: a step is an object with the move of each")
        if set(given) != {str(actor) for actor in actors}:
            raise IllegalStep(f"{names} act at once: a step has exactly these fields")
        for actor in actors:
            self._check(actor, given[str(actor)])
        return {actor: given[str(actor)] for actor in actors}

    def _check(self, actor: Actor, given: Json) -> None:
        if not isinstance(given, str):
            raise IllegalStep(f"it is the turn of {self._name(actor)} alone: a move is a text")
        choices = self.choices[actor]
        if given not in choices:
            shown = given if len(given) <= 40 else given[:40] + "…"
            kind = "outcomes" if actor == CHANCE else "legal moves"
            has = f"{self._name(actor)}, which has {len(choices)} {kind}"
            raise IllegalStep(f"`{shown}` is not legal here for {has}")

    def _name(self, actor: Actor) -> str:
        if isinstance(actor, str):
            return "chance"
        return f"{self.game.roles[actor]} (seat {actor})"


def spoken(step: Step) -> Json:
    """A step as the protocol has it."""
    if isinstance(step, dict):
        return {str(actor): text for actor, text in step.items()}
    return step


def _drawn(choice: Sequence[str] | Mapping[str, float], rng: random.Random) -> str:
    # `random()` alone draws the same in all versions of Python.
    drawn = rng.random()
    if not isinstance(choice, Mapping):
        return choice[int(drawn * len(choice))]
    left = drawn * sum(choice.values())
    for text, probability in choice.items():
        left -= probability
        if left < 0:
            return text
    # Rounding may leave a rest.
    return max(choice, key=lambda text: choice[text])


class TooMuch(Exception):
    """It would take too long."""


def playout(
    position: Position, rng: random.Random, last_ply: int | None, most: int
) -> tuple[list[float], int]:
    """What a random game from here is worth to each seat, and its plies. It stops at the ply
    `last_ply`, if there is one. Raises `TooMuch` if it has more than `most` plies."""
    here = position
    while here.result is None and (last_ply is None or here.ply < last_ply):
        if here.ply - position.ply >= most:
            raise TooMuch
        here = here.after(here.random_step(rng))
    return here.outcome(), here.ply - position.ply


def perft(position: Position, depth: int, most: int | None = None) -> int:
    """How many ways there are to make exactly `depth` steps. Raises `TooMuch` if that needs the
    moves of more than `most` positions."""
    budget = [most]

    def count(position: Position, depth: int) -> int:
        if depth == 0:
            return 1
        if position.result is not None:
            return 0
        if budget[0] is not None:
            budget[0] -= 1
            if budget[0] < 0:
                raise TooMuch
        if depth == 1:
            return prod(len(choice) for choice in position.choices.values())
        return sum(count(position.after(step), depth - 1) for step in position.steps())

    return count(position, depth)
