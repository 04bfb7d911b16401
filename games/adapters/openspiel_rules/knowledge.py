"""What a seat may know in a game with hidden information.

OpenSpiel tells each seat a text in each state. What a seat knows is all texts that it was told, one
after every step, and its own moves. So it knows how many steps there were, which no referee that
says `ply` could hide. (OpenSpiel's games with imperfect recall are games with perfect recall here:
nobody can make a program forget.)

A *percept* is how the text changed: the text that was added, or
`{"at": 12, "cut": 3, "add": "..."}`, where `cut` characters at `at` were replaced. Several of them are
replaced one after the other. Nothing changed, nothing perceived.
"""

from __future__ import annotations

from typing import Any, Sequence, Union

from .errors import RulesError
from .setup import Setup

#: How a text changed.
Percept = Union[str, dict[str, Any]]


def percepts(before: str, now: str) -> list[Percept]:
    """How a text changed: what was added, or what to replace, one after the other."""
    if now == before:
        return []
    if now.startswith(before):
        return [now[len(before) :]]
    old, new = before.split("\n"), now.split("\n")
    if len(old) != len(new):
        return [_replaced(0, before, now)]
    changes: list[Percept] = []
    at = 0
    for old_line, new_line in zip(old, new):
        if old_line != new_line:
            changes.append(_replaced(at, old_line, new_line))
        # What comes before this line is as it is now.
        at += len(new_line) + 1
    return changes


def _replaced(at: int, before: str, now: str) -> Percept:
    """The shortest replacement that makes one text, which begins at `at`, the other."""
    start = _common(before, now)
    end = _common(before[start:][::-1], now[start:][::-1])
    cut = len(before) - end - start
    return {"at": at + start, "cut": cut, "add": now[start : len(now) - end]}


def _common(one: str, other: str) -> int:
    """How many characters are equal at the beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def perceived(before: str, changes: Sequence[Percept]) -> str:
    """The text after `changes`."""
    for change in changes:
        if isinstance(change, str):
            before += change
        else:
            at = change["at"]
            before = before[:at] + change["add"] + before[at + change["cut"] :]
    return before


class Knowledge:
    """What each seat was told from the start to the present state."""

    def __init__(self, setup: Setup, state: Any) -> None:
        self._setup = setup
        self._seats = range(setup.seats)
        self._texts = [setup.text(state, seat) for seat in self._seats]
        #: For each seat, what it perceived in each step.
        self._steps: list[list[list[Percept]]] = [[] for _ in self._seats]
        #: For each seat, its own moves and the steps that they were made in.
        self._moves: list[list[tuple[int, str]]] = [[] for _ in self._seats]

    def add(self, state: Any, moves: dict[int, str]) -> None:
        """A step was made, to which seats contributed `moves`."""
        for seat in self._seats:
            text = self._setup.text(state, seat)
            if seat in moves:
                self._moves[seat].append((len(self._steps[seat]), moves[seat]))
            self._steps[seat].append(percepts(self._texts[seat], text))
            self._texts[seat] = text

    def cut(self, state: Any, count: int) -> None:
        """Only the first `count` steps were made, and led to `state`."""
        for seat in self._seats:
            del self._steps[seat][count:]
            self._moves[seat] = [made for made in self._moves[seat] if made[0] < count]
            self._texts[seat] = self._setup.text(state, seat)

    def seen(self, step: int) -> list[list[Percept]]:
        """What each seat perceived in a step."""
        return [self._steps[seat][step] for seat in self._seats]

    def observation(self, seat: int, ply: int, acts: bool) -> dict[str, Any]:
        """All that a seat knows, as JSON."""
        return {
            "seat": seat,
            "ply": ply,
            "acts": acts,
            "text": self._texts[seat],
            "steps": [list(step) for step in self._steps[seat]],
            "moves": [[step, move] for step, move in self._moves[seat]],
        }


class Memory:
    """An observation that came back: what a seat was told, and what it did."""

    def __init__(self, setup: Setup, observation: Any) -> None:
        if not isinstance(observation, dict):
            raise _bad("an object")
        self.observation = observation
        self.seat = _whole(observation, "seat", setup.seats - 1)
        self.ply = _whole(observation, "ply", 2**31)
        self.acts = observation.get("acts")
        if not isinstance(self.acts, bool):
            raise _bad("`acts`: true or false")
        #: The texts at the start and after each step.
        self.texts = self._read_texts(setup, observation.get("steps"))
        #: The seat's own moves by the steps that they were made in.
        self.moves = self._read_moves(observation.get("moves"))

    def _read_texts(self, setup: Setup, steps: Any) -> list[str]:
        texts = [setup.text(setup.game.new_initial_state(), self.seat)]
        try:
            for step in steps:
                texts.append(perceived(texts[-1], step))
        except (TypeError, KeyError, AttributeError) as error:
            raise _bad("`steps`: what was perceived in each step") from error
        return texts

    @staticmethod
    def _read_moves(moves: Any) -> dict[int, str]:
        try:
            made = {step: move for step, move in moves}
        except (TypeError, ValueError) as error:
            raise _bad("`moves`: pairs of a step and a move") from error
        if not all(isinstance(s, int) and isinstance(m, str) for s, m in made.items()):
            raise _bad("`moves`: pairs of a step and a move")
        return made

    @property
    def steps(self) -> int:
        """How many steps there were."""
        return len(self.texts) - 1


def _whole(observation: dict[str, Any], name: str, most: int) -> int:
    value = observation.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise _bad(f"`{name}`: a number from 0 to {most}")
    return value


def _bad(expected: str) -> RulesError:
    return RulesError("bad_state", f"an observation needs {expected}")
