"""One position of one game, with the way that led there."""

from __future__ import annotations

import json
from collections import deque
from typing import Any, Mapping, Sequence, Union

from . import steps
from .catalogue import BOARDS_WITHOUT_MEMORY
from .errors import RulesError
from .knowledge import Knowledge
from .setup import Setup
from .steps import CHANCE, Acting, Step

#: What `play` takes for one step: a move, or the moves of several seats.
Move = Union[str, Mapping[str, str]]

#: This many states are kept for `undo`; what lies further back is played again.
KEPT = 64


class Position:
    """The present state, and all steps from the start to it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.steps: list[Step] = []
        self.ply = 0
        self._start()

    def _start(self) -> None:
        self.state = self.setup.game.new_initial_state()
        steps.settle(self.state)
        self.knowledge = Knowledge(self.setup, self.state) if self.setup.entry.hidden else None
        self._before: deque[Any] = deque(maxlen=KEPT)
        self._forget()

    def _forget(self) -> None:
        """What was found out about the last state is not so any more."""
        self._acting: Acting = steps.acting(self.state)
        self._moves: dict[int, dict[str, int]] = {}
        self._outcomes: dict[str, tuple[int, float]] | None = None

    @property
    def acting(self) -> Acting:
        """Who acts."""
        return self._acting

    def acting_seats(self) -> list[int]:
        """The seats that act; none if it is chance, or nobody."""
        return steps.acting_seats(self._acting)

    def moves(self, seat: int) -> dict[str, int]:
        """The actions of a seat that acts, by their texts."""
        if seat not in self._moves:
            self._moves[seat] = steps.actions(self.state, seat)
        return self._moves[seat]

    def outcomes(self) -> dict[str, tuple[int, float]]:
        """The outcomes of chance and their probabilities, by their texts."""
        if self._outcomes is None:
            self._outcomes = steps.outcomes(self.state)
        return self._outcomes

    def legal(self) -> Any:
        """What is legal, as the protocol has it."""
        if self._acting is None:
            return []
        if self._acting == CHANCE:
            return {text: p for text, (_, p) in self.outcomes().items()}
        if isinstance(self._acting, int):
            return list(self.moves(self._acting))
        return {str(seat): list(self.moves(seat)) for seat in self.acting_seats()}

    def play(self, move: Move) -> None:
        """Makes a step that is given by text."""
        if self._acting is None:
            raise RulesError("game_over", "the game is over")
        if self._acting == CHANCE:
            if not isinstance(move, str) or move not in self.outcomes():
                raise RulesError("illegal_move", f"{_quoted(move)} is no outcome of chance here")
            self._make(self.outcomes()[move][0], {})
            return
        made = self._by_seat(move)
        for seat, text in made.items():
            if text not in self.moves(seat):
                message = f"{_quoted(text)} is not legal here for player-{seat}"
                raise RulesError("illegal_move", message)
        chosen = {seat: self.moves(seat)[text] for seat, text in made.items()}
        self._make(steps.joint(self.state, chosen), made)

    def _by_seat(self, move: Move) -> dict[int, str]:
        """The moves of those who act; all of them must be there."""
        seats = self.acting_seats()
        if isinstance(self._acting, int):
            if not isinstance(move, str):
                raise RulesError("illegal_move", "one seat acts here, so a move is a text")
            return {self._acting: move}
        if not isinstance(move, Mapping) or sorted(move) != sorted(map(str, seats)):
            names = ", ".join(map(str, seats))
            raise RulesError("illegal_move", f"several act here: a move each of seats {names}")
        return {seat: move[str(seat)] for seat in seats}

    def make(self, step: Step) -> None:
        """Makes a step that is given by actions and possible."""
        made: dict[int, str] = {}
        if self.knowledge:
            for seat in self.acting_seats():
                action = step if isinstance(step, int) else step[seat]
                texts = {number: text for text, number in self.moves(seat).items()}
                made[seat] = texts[action or 0]
        self._make(step, made)

    def _make(self, step: Step, made: dict[int, str]) -> None:
        state = steps.after(self.state, step)
        self._before.append(self.state)
        self.state = state
        self.steps.append(step)
        self.ply += steps.plies(step)
        self._forget()
        if self.knowledge:
            self.knowledge.add(state, made)

    def undo(self, count: int) -> None:
        """Takes back that many steps."""
        if count > len(self.steps):
            message = f"{count} steps can't be taken back: only {len(self.steps)} were made"
            raise RulesError("bad_count", message)
        if count == 0:
            return
        kept, undone = self.steps[:-count], self.steps[-count:]
        if count > len(self._before):
            self.replay(kept)
            return
        for _ in range(count):
            self.state = self._before.pop()
        self.steps = kept
        self.ply -= sum(map(steps.plies, undone))
        self._forget()
        if self.knowledge:
            self.knowledge.cut(self.state, len(kept))

    def replay(self, history: Sequence[Step]) -> None:
        """Starts again, and makes these steps."""
        self.steps, self.ply = [], 0
        self._start()
        for step in history:
            self.make(step)

    def seen(self, step: int, moves: Move) -> list[list[Any]]:
        """What each seat perceived in a step, which was given as `moves`."""
        if self.knowledge:
            return list(self.knowledge.seen(step))
        shown = [moves] if isinstance(moves, str) else list(moves.values())
        return [list(shown) for _ in range(self.setup.seats)]

    def observation(self, seat: int) -> Any:
        """What a seat knows: in an open game everything."""
        if self.knowledge:
            return self.knowledge.observation(seat, self.ply, seat in self.acting_seats())
        return self.to_json()

    def scores(self) -> tuple[list[int], list[float]]:
        """Scores and outcomes, or what they would be if play stopped here."""
        returns = self.setup.returns(self.state)
        return self.setup.scores(returns), self.setup.outcome(returns)

    def result(self) -> dict[str, Any] | None:
        """The result, if the game is over."""
        if self._acting is not None:
            return None
        scores, outcome = self.scores()
        return {"scores": scores, "outcome": outcome, "reason": "terminal"}

    def text(self) -> str:
        """The state as OpenSpiel shows it to people."""
        return str(self.state).rstrip("\n")

    def to_json(self) -> dict[str, Any]:
        """The state as the protocol wants it: it can be set up again by playing its history."""
        state = {"ply": self.ply, "to_move": self._acting, "history": list(self.steps)}
        return state if self.setup.entry.hidden else {**state, "text": self.text()}

    def key(self) -> str:
        """Equal for positions from which the same can follow, where that is known."""
        if self.setup.entry.short_name in BOARDS_WITHOUT_MEMORY:
            return f"{self.acting} {self.state}"
        return json.dumps(self.to_json(), sort_keys=True)

    @staticmethod
    def from_json(setup: Setup, state: Any) -> Position:
        """The position that a state describes."""
        if not isinstance(state, dict) or not isinstance(state.get("history"), list):
            raise RulesError("bad_state", "a state needs `history`: a list of actions")
        position = Position(setup)
        for number, step in enumerate(state["history"]):
            if not steps.is_possible(position.state, step):
                message = f"`history`: number {number}, {_quoted(step)}, is not possible there"
                raise RulesError("bad_state", message)
            position.make(step)
        told = {"ply": position.ply, "to_move": position.acting}
        for name, value in told.items():
            if state.get(name, value) != value:
                message = f"`{name}` is {_quoted(state[name])}, but {value!r} after that history"
                raise RulesError("bad_state", message)
        return position


def _quoted(value: Any) -> str:
    """A value from outside, cut."""
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
