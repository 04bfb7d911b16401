"""OpenSpiel's states by moves as text: who acts, what is legal, what a move does.

Here a *step* is what happens at once: an action of one seat, an outcome of chance, or a joint action.
"""

from __future__ import annotations

import itertools
import random
import re
from typing import Any, Iterator, Mapping, Sequence, Union

import pyspiel

#: An action or an outcome; or the actions of all seats, `None` for those that don't act.
Step = Union[int, Sequence[Union[int, None]]]
#: Who acts: `None` at the end, `"chance"`, a seat, or several seats.
Acting = Union[None, str, int, list[int]]

#: The word for chance in the protocol.
CHANCE = "chance"
#: The longest text of a move, in bytes.
MOVE_BYTES = 200
#: What may not be in a move.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def acting(state: Any) -> Acting:
    """Who acts in a state."""
    if state.is_terminal():
        return None
    player = state.current_player()
    if player >= 0:
        return int(player)
    if player == pyspiel.PlayerId.CHANCE:
        return CHANCE
    seats = [seat for seat in range(state.num_players()) if state.legal_actions(seat)]
    return seats[0] if len(seats) == 1 else seats


def acting_seats(now: Acting) -> list[int]:
    """The seats of those who act; none if it is chance, or nobody."""
    if isinstance(now, int):
        return [now]
    return list(now) if isinstance(now, list) else []


def actions(state: Any, seat: int) -> dict[str, int]:
    """The legal actions of a seat by their texts."""
    return _named(state, seat, state.legal_actions(seat))


def outcomes(state: Any) -> dict[str, tuple[int, float]]:
    """The outcomes of chance that are possible, with their probabilities, by their texts."""
    possible = {action: p for action, p in state.chance_outcomes() if p > 0}
    total = sum(possible.values())
    named = _named(state, pyspiel.PlayerId.CHANCE, list(possible))
    return {text: (action, possible[action] / total) for text, action in named.items()}


def _named(state: Any, player: int, legal: Sequence[int]) -> dict[str, int]:
    """Actions by unique texts: those that share one with another have their number behind it."""
    texts = [move_text(state.action_to_string(player, action)) for action in legal]
    named = dict(zip(texts, legal))
    if len(named) == len(legal) and "" not in named:
        return named
    shared = {text for text in texts if text == "" or texts.count(text) > 1}
    return {
        f"{text}#{action}" if text in shared else text: action
        for text, action in zip(texts, legal)
    }


def move_text(text: str) -> str:
    """OpenSpiel's text of an action as a move: one line, not too long."""
    text = _UNPRINTABLE.sub(" ", text).strip()
    if len(text.encode()) > MOVE_BYTES - 24:
        text = text.encode()[: MOVE_BYTES - 24].decode(errors="ignore") + "…"
    return text


def after(state: Any, step: Step) -> Any:
    """The state after a step; `state` stays as it is."""
    new = state.clone()
    apply(new, step)
    return new


def apply(state: Any, step: Step) -> None:
    """Makes a step in place."""
    if isinstance(step, int):
        if state.is_simultaneous_node():
            raise ValueError("this step is a joint action")
        state.apply_action(step)
    else:
        state.apply_actions([pyspiel.INVALID_ACTION if a is None else a for a in step])
    settle(state)


def settle(state: Any) -> None:
    """Passes over joint actions in which nobody has any."""
    while state.is_simultaneous_node() and not state.is_terminal() and acting(state) == []:
        state.apply_actions([pyspiel.INVALID_ACTION] * state.num_players())


def plies(step: Step) -> int:
    """How many plies a step adds."""
    return 1 if isinstance(step, int) else sum(action is not None for action in step)


def joint(state: Any, chosen: Mapping[int, int]) -> Step:
    """The step in which these seats take these actions."""
    if not state.is_simultaneous_node():
        (action,) = chosen.values()
        return action
    return [chosen.get(seat) for seat in range(state.num_players())]


def is_possible(state: Any, step: Any) -> bool:
    """Whether a step, which may be anything that JSON can say, is one that can be made here."""
    now = acting(state)
    if now is None:
        return False
    if now == CHANCE:
        return _is_action(step) and any(a == step and p > 0 for a, p in state.chance_outcomes())
    if not state.is_simultaneous_node():
        return _is_action(step) and step in state.legal_actions()
    if not isinstance(step, list) or len(step) != state.num_players():
        return False
    legal = [state.legal_actions(seat) for seat in range(state.num_players())]
    return all(
        (_is_action(action) and action in own) if own else action is None
        for action, own in zip(step, legal)
    )


def _is_action(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def all_steps(state: Any, rng: random.Random | None = None) -> Iterator[Step]:
    """Every step that is possible; with `rng` in a random order, likely outcomes of chance early."""
    now = acting(state)
    if now == CHANCE:
        weighted = [(action, p) for action, p in state.chance_outcomes() if p > 0]
        if rng:
            weighted.sort(key=lambda outcome: rng.expovariate(outcome[1]))
        yield from (action for action, _ in weighted)
        return
    if now is None:
        return
    seats = acting_seats(now)
    lists = [list(state.legal_actions(seat)) for seat in seats]
    if rng:
        for legal in lists:
            rng.shuffle(legal)
    for choice in itertools.product(*lists):
        yield joint(state, dict(zip(seats, choice)))


def count_steps(state: Any) -> int:
    """How many steps are possible."""
    now = acting(state)
    if now is None:
        return 0
    if now == CHANCE:
        return sum(p > 0 for _, p in state.chance_outcomes())
    count = 1
    for seat in acting_seats(now):
        count *= len(state.legal_actions(seat))
    return count


def random_step(state: Any, rng: random.Random) -> Step:
    """A step in which all legal actions are equally likely, and chance is as it is."""
    now = acting(state)
    if now == CHANCE:
        drawn, weights = zip(*state.chance_outcomes())
        return int(rng.choices(drawn, weights)[0])
    seats = acting_seats(now)
    return joint(state, {seat: rng.choice(state.legal_actions(seat)) for seat in seats})
