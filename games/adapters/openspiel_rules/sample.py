"""Histories that a seat can't tell from what it knows.

A history is built step by step: the seat's own moves are known, everything else is drawn, and what
does not make OpenSpiel tell the seat the same text is dropped. There are four ways out of dead
ends:

- A card that the seat gets later has been dealt to somebody else. Which one that is gets found out
  once, and then it is kept back.
- OpenSpiel draws another state that looks the same to the seat (`resample_from_infostate`, in the
  games that have it).
- Many ways are gone side by side, and those that go on replace those that don't.
- The search goes back.

So chance is drawn as it is, and others are taken to move at random.
"""

from __future__ import annotations

import itertools
import random
from typing import Any, Iterator, Sequence

import pyspiel

from . import steps
from .knowledge import Memory
from .position import Position
from .setup import Setup
from .steps import Step

#: How many steps are tried for one answer, dead ends included: a fraction of a second's worth, since
#: bots ask on their own time; in games of slow steps fewer. A limit of time would give other answers
#: on other machines.
MOST_TRIED = 10_000
MOST_TRIED_SLOW = {"battleship": 1_500, "gin_rummy": 1_500}
#: How many steps the first search tries before it starts again with other draws; then twice as many.
FIRST_SEARCH = 500
#: How often a single way is tried before many.
WALKS = 4
#: How many ways are gone side by side at most, and how many tries a step of one may take.
SWARM, SWARM_TRIES = 200, 3
#: How often OpenSpiel is asked for another state in one dead end.
REDRAWS = 20
#: What that counts for, in steps; it is slow where OpenSpiel analyses every deal.
REDRAW_COST, REDRAW_COSTS = 20, {"bridge": 1_000}
#: After so many draws that were no others, OpenSpiel is not asked any more.
SAME_DRAWS = 5


#: Games that were found not to have `resample_from_infostate`.
_NO_REDRAWS: set[str] = set()


class _TooMany(Exception):
    """The search tried as many steps as it may."""


class Sampler:
    """Draws histories for one seat."""

    def __init__(self, setup: Setup, memory: Memory, seed: int) -> None:
        self._setup = setup
        self._memory = memory
        self._rng = random.Random(seed)
        self._left = MOST_TRIED_SLOW.get(setup.entry.short_name, MOST_TRIED)
        self._initial = setup.game.new_initial_state()
        steps.settle(self._initial)
        #: Whether the game has `resample_from_infostate`; `None` if nobody has asked it.
        self._redraws: bool | None = False if setup.entry.id in _NO_REDRAWS else None
        self._same_draws = 0
        #: Histories that a swarm has left.
        self._swarm: list[list[Step]] = []
        #: Outcomes of chance that the seat saw, by their steps; nobody else can have got them before.
        self._kept_back: dict[int, int] = {}

    def draw(self, count: int) -> list[Position]:
        """Up to `count` positions; fewer if they are hard to find, none if none was found."""
        drawn: list[Position] = []
        while len(drawn) < count:
            position = self._one(drawn)
            if position is None:
                break
            drawn.append(position)
        return drawn

    def _one(self, drawn: Sequence[Position]) -> Position | None:
        """A new position; if the search takes too long, one from OpenSpiel, or one again."""
        position = self._found()
        if position is not None or not drawn:
            return position
        again = self._rng.choice(drawn)
        try:
            other = self._redrawn(again.state, again.steps)
        except _TooMany:
            other = None
        return (self._position(other[0]) if other else None) or again

    def _found(self) -> Position | None:
        """A position that was found step by step: by the way that is the quickest for the game."""
        budget = FIRST_SEARCH + 4 * self._memory.steps
        while self._left > 0:
            budget = min(2 * budget, self._left)
            for way in range(WALKS + 2):
                try:
                    history = self._gone(way, budget)
                except _TooMany:
                    continue
                position = self._position(history) if history is not None else None
                if position is not None:
                    return position
        return None

    def _gone(self, way: int, budget: int) -> list[Step] | None:
        """A history by one of the ways: first alone, then as one of many, then by a search."""
        if way < WALKS:
            return self._walk()
        return self._from_swarm() if way == WALKS else self._search(budget)

    def _from_swarm(self) -> list[Step] | None:
        """One of many ways from the start, side by side. Those that end in a dead end go on as others
        do: so what the seat was told counts, even if it was told late."""
        if not self._swarm:
            size = self._left // (2 * SWARM_TRIES * (1 + self._memory.steps))
            self._swarm = self._arrived(max(1, min(SWARM, size)))
        return self._swarm.pop() if self._swarm else None

    def _arrived(self, size: int) -> list[list[Step]]:
        """The different ways of a swarm that lead to the end."""
        swarm: list[tuple[list[Step], Any]] = [([], self._start())] * size
        for number in range(self._memory.steps):
            went = []
            for history, state in swarm:
                found = self._next(state, number)
                if found is not None:
                    went.append(([*history, found[0]], found[1]))
            if not went:
                return []
            # The others go on as one that goes on.
            swarm = went + self._rng.choices(went, k=size - len(went))
        arrived = [history for history, state in swarm if self._ends_well(state)]
        self._rng.shuffle(arrived)
        return arrived

    def _walk(self) -> list[Step] | None:
        """One way from the start, with other draws from OpenSpiel in dead ends."""
        state = self._start()
        history: list[Step] = []
        for number in range(self._memory.steps):
            found = self._next(state, number)
            for _ in range(REDRAWS):
                if found is not None or self._redraws is False:
                    break
                other = self._redrawn(state, history)
                if other is not None:
                    history, state = other
                    found = self._next(state, number)
            if found is None and self._keep_back(history, number):
                return self._walk()
            if found is None:
                return None
            step, state = found
            history.append(step)
        return history if self._ends_well(state) else None

    def _keep_back(self, history: Sequence[Step], number: int) -> bool:
        """Finds out which outcome of chance the seat saw in a step, if it was drawn before in a step
        in which the seat saw nothing: exchanges each of them for another one."""
        state = self._after(history)
        if state is None or steps.acting(state) != steps.CHANCE or number in self._kept_back:
            return False
        free = next(steps.all_steps(state, self._rng))
        for at, drawn in enumerate(history):
            if at in self._kept_back or not isinstance(drawn, int):
                continue
            changed = self._after([*history[:at], free, *history[at + 1 :]], at)
            if changed is None or not steps.is_possible(changed, drawn):
                continue
            if self._tried(changed, drawn, number) is not None:
                self._kept_back[number] = drawn
                return True
        return False

    def _after(self, history: Sequence[Step], fits_from: int | None = None) -> Any | None:
        """The state after a history, if it is possible and, from a step on, tells the same."""
        self._spend(len(history))
        state = self._start()
        for number, step in enumerate(history):
            if not steps.is_possible(state, step):
                return None
            steps.apply(state, step)
            if fits_from is not None and number >= fits_from and not self._fits(state, number + 1):
                return None
        return state

    def _search(self, budget: int) -> list[Step] | None:
        """A way from the start, going back from dead ends; `None` if there is none."""
        spent = 0
        state = self._start()
        ways = [(state, self._candidates(state, 0))]
        history: list[Step] = []
        while ways:
            number = len(history)
            if number == self._memory.steps and self._ends_well(state):
                return history
            for step in ways[-1][1] if number < self._memory.steps else ():
                spent += 1
                if spent > budget:
                    raise _TooMany
                new = self._tried(ways[-1][0], step, number)
                if new is not None:
                    state = new
                    history.append(step)
                    ways.append((state, self._candidates(state, number + 1)))
                    break
            else:
                ways.pop()
                del history[-1:]
        return None

    def _start(self) -> Any:
        return self._initial.clone()

    def _next(self, state: Any, number: int) -> tuple[Step, Any] | None:
        """A step that fits what the seat was told, and the state after it."""
        refused = False
        candidates = self._candidates(state, number)
        for step in candidates:
            new = self._tried(state, step, number)
            if new is None:
                refused = True
                continue
            if isinstance(step, int) and state.is_chance_node() and self._tells(number):
                others = itertools.islice(candidates, 1)
                if refused or any(self._tried(state, other, number) is None for other in others):
                    self._kept_back[number] = step
            return step, new
        return None

    def _tells(self, number: int) -> bool:
        """Whether the seat saw anything in a step."""
        return self._memory.texts[number] != self._memory.texts[number + 1]

    def _candidates(self, state: Any, number: int) -> Iterator[Step]:
        """What may have happened, in a random order: anything, but the seat's own move."""
        seat, own = self._memory.seat, self._memory.moves.get(number)
        now = steps.acting(state)
        if (seat in steps.acting_seats(now)) != (own is not None):
            return iter(())
        if own is None:
            drawn = steps.all_steps(state, self._rng)
            return self._in_order(drawn, number) if now == steps.CHANCE else drawn
        action = steps.actions(state, seat).get(own)
        if action is None:
            return iter(())
        if now == seat:
            return iter([steps.joint(state, {seat: action})])
        others = steps.all_steps(state, self._rng)
        return (step for step in others if not isinstance(step, int) and step[seat] == action)

    def _in_order(self, drawn: Iterator[Step], number: int) -> Iterator[Step]:
        """Outcomes of chance, those last that the seat gets later."""
        first = self._kept_back.get(number)
        later = {outcome for step, outcome in self._kept_back.items() if step > number}
        return iter(sorted(drawn, key=lambda outcome: (outcome != first, outcome in later)))

    def _tried(self, state: Any, step: Step, number: int) -> Any | None:
        """The state after a step, if it tells the seat what it was told."""
        self._spend(1)
        new = steps.after(state, step)
        return new if self._fits(new, number + 1) else None

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise _TooMany

    def _fits(self, state: Any, number: int) -> bool:
        """Whether a state after so many steps tells the seat what it was told."""
        return self._setup.text(state, self._memory.seat) == self._memory.texts[number]

    def _ends_well(self, state: Any) -> bool:
        acting = steps.acting_seats(steps.acting(state))
        return (self._memory.seat in acting) == self._memory.acts

    def _redrawn(self, state: Any, history: Sequence[Step]) -> tuple[list[Step], Any] | None:
        """Another history and its state, which tell the seat the same, if OpenSpiel can draw one."""
        if self._redraws is False or state.current_player() < 0:
            # Chance is drawing: some games answer with errors of C++ then.
            return None
        self._spend(REDRAW_COSTS.get(self._setup.entry.short_name, REDRAW_COST))
        try:
            other = state.resample_from_infostate(self._memory.seat, self._rng.random)
        except (pyspiel.SpielError, ArithmeticError, LookupError, RuntimeError, ValueError):
            if self._redraws is None:
                self._redraws = False
                _NO_REDRAWS.add(self._setup.entry.id)
            return None
        same = list(other.history()) == list(state.history())
        self._same_draws = self._same_draws + 1 if same else 0
        self._redraws = self._same_draws < SAME_DRAWS
        return self._merged(history, other.history())

    def _merged(
        self, history: Sequence[Step], other: Sequence[Step]
    ) -> tuple[list[Step], Any] | None:
        """Another history, with what the seat saw of chance as it was: OpenSpiel does not care in
        which order a hand was dealt."""
        if len(other) != len(history):
            return None
        self._spend(len(other))
        state = self._start()
        merged: list[Step] = []
        for number, step in enumerate(other):
            choices = [step]
            if state.is_chance_node():
                choices = [self._kept_back.get(number, step), step, history[number]]
            fitting = (choice for choice in choices if self._is_next(state, choice, number))
            chosen = next(fitting, None)
            if chosen is None:
                return None
            steps.apply(state, chosen)
            merged.append(chosen)
        return merged, state

    def _is_next(self, state: Any, step: Step, number: int) -> bool:
        """Whether a step is possible and fits."""
        return steps.is_possible(state, step) and self._fits(steps.after(state, step), number + 1)

    def _position(self, history: Sequence[Step]) -> Position | None:
        """The position after a history, if the seat can't tell it from what it knows."""
        position = Position(self._setup)
        for step in history:
            if not steps.is_possible(position.state, step):
                return None
            position.make(step)
        same = position.observation(self._memory.seat) == self._memory.observation
        return position if same else None

