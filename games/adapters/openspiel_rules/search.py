"""Counting positions and playing random games, without a request for each step."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any

from . import steps
from .errors import RulesError
from .setup import Setup

#: A count of positions that would look at more than this is refused.
MOST_POSITIONS = 10_000_000
#: Random games of more steps in all are refused.
MOST_STEPS = 20_000_000
#: No request takes longer than this, in seconds.
MOST_SECONDS = 4.0


def perft(state: Any, depth: int) -> int:
    """The number of positions after exactly `depth` steps, counted by paths."""
    ends = time.monotonic() + MOST_SECONDS
    looked_at = 0

    def count(state: Any, depth: int) -> int:
        nonlocal looked_at
        if depth == 0:
            return 1
        if depth == 1:
            return steps.count_steps(state)
        looked_at += 1
        if looked_at > MOST_POSITIONS or (looked_at % 64 == 0 and time.monotonic() > ends):
            raise RulesError("too_much", f"counting to depth {depth} takes too long")
        return sum(count(steps.after(state, step), depth - 1) for step in steps.all_steps(state))

    return count(state, depth)


@dataclass
class Playouts:
    """Sums over random games."""

    outcome: list[float]
    plies: int = 0
    games: int = 0

    def means(self) -> list[float]:
        """The mean outcome a seat."""
        return [total / max(1, self.games) for total in self.outcome]


class RandomGames:
    """Random games from here, as many as wanted and as there is time for."""

    def __init__(self, setup: Setup, seed: int, count: int | None, ms: float | None) -> None:
        self._setup = setup
        self._rng = random.Random(seed)
        self._count = count if count is not None else 1 if ms is None else MOST_STEPS
        self._timed = ms is not None
        self._ends = time.monotonic() + (MOST_SECONDS if ms is None else ms / 1000)

    def play(self, state: Any, ply: int, most_plies: int | None) -> Playouts:
        """Games from one state, each until it ends or has `most_plies`."""
        sums = Playouts([0.0] * self._setup.seats)
        while sums.games < self._count and not (sums.games and self._over()):
            self._add(sums, state, ply, most_plies)
        return sums

    def play_each(
        self, state: Any, moves: dict[str, int], ply: int, most_plies: int | None
    ) -> dict[str, Playouts]:
        """Games after each move, in rounds of one game a move."""
        after = {text: steps.after(state, action) for text, action in moves.items()}
        sums = {text: Playouts([0.0] * self._setup.seats) for text in moves}
        rounds, texts = 0, list(moves)
        while rounds < self._count:
            self._rng.shuffle(texts)
            for text in texts:
                if self._over():
                    return sums
                self._add(sums[text], after[text], ply + 1, most_plies)
            rounds += 1
        return sums

    def _over(self) -> bool:
        """Whether the time is up; without a limit of time that is an error."""
        over = time.monotonic() > self._ends
        if over and not self._timed:
            raise RulesError("too_much", "so many random games take too long")
        return over

    def _add(self, sums: Playouts, start: Any, ply: int, most_plies: int | None) -> None:
        state, plies = start.clone(), 0
        while not state.is_terminal() and (most_plies is None or ply + plies < most_plies):
            step = steps.random_step(state, self._rng)
            steps.apply(state, step)
            plies += steps.plies(step)
        outcome = self._setup.outcome(self._setup.returns(state))
        sums.outcome = [total + value for total, value in zip(sums.outcome, outcome)]
        sums.plies += plies
        sums.games += 1
