"""Plays random games through the protocol and checks what the protocol promises."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
from dataclasses import dataclass, field
from typing import Any, Callable

from .catalogue import Entry
from .program import Program
from .steps import CHANCE, MOVE_BYTES

#: How much CPU time the check of one game may take, in seconds.
SECONDS = 120
#: Games of more steps are not played to their end.
MOST_STEPS = 1500
#: So many moves of a step are tried, if there are more.
MOST_TRIED = 12
#: So many samples are drawn at a time.
SAMPLES = 4
#: In so many positions of a random game samples are asked for.
SAMPLED = 6


class Broken(Exception):
    """A promise that was not kept."""


@dataclass
class Findings:
    """What the check of a game showed."""

    #: What is wrong; `None` if nothing is.
    wrong: str | None = None
    #: How often samples were asked for in hidden games, and how often there was none.
    samples: int = 0
    no_sample: int = 0
    #: The longest observation, in bytes.
    observation_bytes: int = 0
    #: What is worth knowing.
    notes: list[str] = field(default_factory=list)


def check(entry: Entry, rounds: int, seed: int) -> Findings:
    """Checks one game in a child process, since OpenSpiel may crash."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _in_child(writing, lambda: _Check(entry, seed).run(rounds))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if status == signal.SIGXCPU:
        return Findings(wrong=f"takes more than {SECONDS} s of CPU time")
    if status != 0 or not text:
        return Findings(wrong=f"the process ended with status {status}")
    return Findings(**json.loads(text))


def _in_child(writing: int, run: Callable[[], Findings]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    try:
        findings = run()
    except BaseException as error:  # Whatever it is, the parent reports it.
        findings = Findings(wrong=f"{type(error).__name__}: {error}")
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(json.dumps(vars(findings)).encode())
    os._exit(0)


class _Check:
    """Random games of one game."""

    def __init__(self, entry: Entry, seed: int) -> None:
        self._entry = entry
        self._rng = random.Random(f"{entry.id} {seed}")
        self._program, self._second = Program([entry]), Program([entry])
        self._found = Findings()

    def run(self, rounds: int) -> Findings:
        """Plays `rounds` games."""
        hello = _ok(self._program.answer({"op": "hello", "id": 0}))["games"]
        _require(len(hello) == 1 and hello[0]["id"] == self._entry.id, "`hello` has another game")
        for _ in range(rounds):
            try:
                self._game()
            except Broken as broken:
                self._found.wrong = str(broken)
                break
        return self._found

    def _ask(self, op: str, **fields: Any) -> Any:
        """The answer, which must be none that is an error, and must be JSON."""
        return json.loads(json.dumps(_ok(self._program.answer({"id": 1, "op": op, **fields}))))

    def _game(self) -> None:
        """One random game from the start to the end."""
        wanted = ["legal", "state", "scores"]
        here = self._ask("new", game=self._entry.id, seed=self._rng.randrange(2**32), want=wanted)
        seats = len(here["roles"])
        states = [here["state"]]
        sees: list[list[list[Any]]] = []
        while here["to_move"] is not None and len(sees) < MOST_STEPS:
            self._check_step(here)
            if self._rng.random() < min(1.0, 8 / (1 + len(sees))):
                self._check_moves(here)
                self._check_state(here)
            if self._rng.random() < min(1.0, 8 / (1 + len(sees))):
                self._check_observations(here, seats, sees)
            move = self._random_move(here)
            before = here["ply"]
            here = self._ask("play", moves=[move], want=[*wanted, "sees"])
            _require(here["ply"] == before + _count(move), "`ply` does not count what was played")
            _require(len(here["sees"]) == 1 and len(here["sees"][0]) == seats, "`sees`: wrong size")
            sees.append(here["sees"][0])
            states.append(here["state"])
        if here["to_move"] is None:
            self._check_end(here, seats)
        else:
            self._found.notes.append("long games were not played to the end")
        self._check_state(here)
        self._check_observations(here, seats, sees)
        self._check_undo(states)
        self._check_samples(states)

    def _check_step(self, here: Any) -> None:
        """Somebody acts and has moves; no result yet."""
        _require(here["result"] is None, "there is a result before the end")
        for acting, moves in _lists(here):
            _require(len(moves) > 0, f"{acting} acts without a move")
            _require(len(set(moves)) == len(moves), f"two moves of {acting} are equal")
            for move in moves:
                fits = move and len(move.encode()) <= MOVE_BYTES and move.isprintable()
                _require(bool(fits), f"`{move!r}` is no move")
        chances = here["legal"] if here["to_move"] == CHANCE else None
        if chances is not None:
            _require(abs(sum(chances.values()) - 1) < 1e-9, "probabilities do not sum to 1")
            _require(all(0 < p <= 1 for p in chances.values()), "a probability is not from 0 to 1")
        elif isinstance(here["to_move"], list):
            seats = here["to_move"]
            _require(len(seats) > 1 and seats == sorted(set(seats)), f"`to_move` is {seats}")

    def _check_moves(self, here: Any) -> None:
        """Moves that are listed are played, others are refused; both leave nothing behind."""
        for wrong in ("", "no such move", " "):
            move = {str(s): wrong for s in here["to_move"]} if _several(here) else wrong
            answer = self._program.answer({"op": "play", "moves": [self._random_move(here), move]})
            _require("error" in answer, f"`{wrong}` is played")
            _require(answer["error"]["code"] in ("illegal_move", "game_over"), "a wrong code")
        _require(self._ask("get", want=["state"])["state"] == here["state"], "an error changed it")
        for move in self._some_moves(here):
            self._ask("play", moves=[move])
            undone = self._ask("undo", want=["legal", "state"])
            same = all(undone[name] == here[name] for name in undone)
            _require(same, f"`undo` of `{move}` does not lead back")

    def _some_moves(self, here: Any) -> list[Any]:
        if _several(here):
            return [self._random_move(here) for _ in range(3)]
        moves = list(here["legal"])
        return moves if len(moves) <= MOST_TRIED else self._rng.sample(moves, MOST_TRIED)

    def _check_state(self, here: Any) -> None:
        """A state comes back and goes on alike, in a program that has seen nothing of the game."""
        request = {"op": "new", "game": self._entry.id, "state": here["state"]}
        back = _ok(self._second.answer({**request, "want": ["legal", "state", "scores"]}))
        for name in ("ply", "to_move", "result", "legal", "state", "scores"):
            _require(_same(back[name], here[name]), f"`{name}` differs after `new` with the state")
        if here["to_move"] is None:
            return
        move = self._random_move(here)
        there = _ok(self._second.answer({"op": "play", "moves": [move], "want": ["legal", "sees"]}))
        here = self._ask("play", moves=[move], want=["legal", "sees"])
        _require(_same(there, here), "a state that came back goes on in another way")
        self._ask("undo")

    def _check_observations(self, here: Any, seats: int, sees: list[list[list[Any]]]) -> None:
        """What seats know is what they saw, and says nothing else."""
        if not self._entry.hidden:
            return
        for seat in range(seats):
            want = ["observation"]
            observation = self._ask("get", want=want, **{"as": seat})["observation"]
            size = len(json.dumps(observation))
            self._found.observation_bytes = max(self._found.observation_bytes, size)
            seen = [step[seat] for step in sees]
            _require(observation["steps"] == seen, "`observation` has not what `sees` had")

    def _check_samples(self, states: list[Any]) -> None:
        """Samples for seats that act, in some of these states."""
        if not self._entry.hidden:
            return
        acting = [state for state in states if isinstance(state["to_move"], (int, list))]
        for state in self._rng.sample(acting, min(SAMPLED, len(acting))):
            here = self._ask("new", game=self._entry.id, state=state, want=["legal", "state"])
            seat = here["to_move"] if isinstance(here["to_move"], int) else here["to_move"][0]
            observed = self._ask("get", want=["observation"], **{"as": seat})
            self._check_sample(here, seat, observed["observation"])

    def _check_sample(self, here: Any, seat: int, observation: Any) -> None:
        """States that are drawn look the same to the seat, also in what it may do."""
        self._found.samples += 1
        self._second.answer({"op": "new", "game": self._entry.id, "observation": observation})
        request = {"op": "sample", "as": seat, "seed": 5, "count": SAMPLES}
        answer = self._second.answer(request)
        _require(_same(answer, self._second.answer(request)), "`sample` is not the same again")
        states = _ok(answer)["states"]
        _require(len(states) <= SAMPLES, "`sample` draws more states than were wanted")
        self._found.no_sample += not states
        for state in states:
            new = {"op": "new", "game": self._entry.id, "state": state, "as": seat}
            there = _ok(self._second.answer({**new, "want": ["legal", "observation"]}))
            same = _same(there["observation"], observation)
            _require(same, "`sample` draws a state that looks different")
            _require(there["ply"] == here["ply"], "`sample` draws a state with another `ply`")
            if here["to_move"] == seat:
                own = _same(there["legal"], here["legal"])
                _require(own, "`legal` tells more than `observation`")

    def _check_end(self, here: Any, seats: int) -> None:
        """The result is complete, and nothing can be played."""
        result = here["result"]
        _require(isinstance(result, dict) and here["legal"] == [], "there is no result at the end")
        whole = all(type(score) is int for score in result["scores"])
        _require(whole and len(result["scores"]) == seats, "scores are not a whole number a seat")
        outcome = result["outcome"]
        fits = all(0 <= value <= 1 for value in outcome) and len(outcome) == seats
        _require(fits, f"the outcome is {outcome}")
        ranked = seats == 1 or abs(sum(outcome) - seats / 2) < 1e-9
        _require(ranked, f"the outcome {outcome} does not rank")
        if len(set(result["scores"])) != len(set(outcome)):
            self._found.notes.append("unequal returns round to equal scores")
        answer = self._program.answer({"op": "play", "moves": ["no such move"]})
        _require("error" in answer and answer["error"]["code"] == "game_over", "play goes on")

    def _check_undo(self, states: list[Any]) -> None:
        """`undo` leads back to every state that there was."""
        at = len(states) - 1
        while at > 0:
            count = self._rng.randint(1, max(1, min(at, 2 * at // 3)))
            at -= count
            state = self._ask("undo", count=count, want=["state"])["state"]
            _require(state == states[at], f"`undo` of {count} steps leads elsewhere")
        answer = self._program.answer({"op": "undo"})
        _require("error" in answer and answer["error"]["code"] == "bad_count", "undone at the start")

    def _random_move(self, here: Any) -> Any:
        if here["to_move"] == CHANCE:
            texts, weights = zip(*here["legal"].items())
            return self._rng.choices(texts, weights)[0]
        if _several(here):
            return {seat: self._rng.choice(moves) for seat, moves in here["legal"].items()}
        return self._rng.choice(here["legal"])


def _several(here: Any) -> bool:
    return isinstance(here["to_move"], list)


def _lists(here: Any) -> list[tuple[str, list[str]]]:
    """Who acts, with what they may do."""
    if here["to_move"] == CHANCE:
        return [(CHANCE, list(here["legal"]))]
    if _several(here):
        seats = [str(seat) for seat in here["to_move"]]
        _require(list(here["legal"]) == seats, "`legal` has other seats than `to_move`")
        return [(f"seat {seat}", here["legal"][seat]) for seat in seats]
    return [(f"seat {here['to_move']}", here["legal"])]


def _count(move: Any) -> int:
    return len(move) if isinstance(move, dict) else 1


def _same(one: Any, other: Any) -> bool:
    """Whether two answers are the same as JSON."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _ok(answer: Any) -> Any:
    if "error" in answer:
        raise Broken(f"{answer['error']['code']}: {answer['error']['message']}")
    return answer["ok"]


def _require(kept: bool, wrong: str) -> None:
    if not kept:
        raise Broken(wrong)
