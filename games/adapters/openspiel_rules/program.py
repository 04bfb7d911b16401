"""The protocol: requests to answers, one line each."""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any, Callable, Mapping, Sequence

import pyspiel

from . import __version__
from .catalogue import Entry, entries
from .errors import RulesError
from .knowledge import Memory
from .position import Position
from .sample import Sampler
from .search import RandomGames, perft
from .setup import Setup, load

#: A request, or the `ok` of an answer.
Object = dict[str, Any]

#: The longest line that is read.
LINE_BYTES = 16 * 2**20
#: What is answered beyond `hello`, `new`, `play` and `get`.
CAN = ["undo", "perft", "playout", "playouts", "sample", "observation", "scores", "view", "key"]
#: So many loaded games are kept.
KEPT_SETUPS = 8


class Program:
    """A rules program with one position."""

    def __init__(self, games: Sequence[Entry] | None = None) -> None:
        served = [entry for entry in entries() if entry.misfit() is None]
        self._games = {entry.id: entry for entry in (served if games is None else games)}
        self._setups: dict[str, Setup] = {}
        self._position: Position | None = None
        self._memory: tuple[Setup, Memory] | None = None
        self._max_plies: int | None = None
        self._operations: Mapping[str, Callable[[Object], Object]] = {
            "hello": self._hello,
            "new": self._new,
            "play": self._play,
            "undo": self._undo,
            "get": self._get,
            "perft": self._perft,
            "playout": self._playout,
            "playouts": self._playouts,
            "sample": self._sample,
        }

    def answer_line(self, line: bytes) -> str:
        """The answer to a line, which may be anything."""
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return json.dumps(_error(None, "bad_request", "this line is not JSON"))
        answer = self.answer(request)
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))

    def answer(self, request: Any) -> Object:
        """The answer to a request; after an error the position is what it was before."""
        if not isinstance(request, dict):
            return _error(None, "bad_request", "a request is an object")
        number = request.get("id")
        operation = request.get("op")
        if not isinstance(operation, str) or operation not in self._operations:
            known = ", ".join(self._operations)
            return _error(number, "bad_request", f"`op` must be one of {known}")
        try:
            return {"id": number, "ok": self._operations[operation](request)}
        except RulesError as error:
            return _error(number, error.code, str(error))

    def _hello(self, _: Object) -> Object:
        return {
            "protocol": 1,
            "name": "openspiel",
            "version": f"{__version__} (open_spiel {pyspiel.__version__})",
            "can": CAN,
            "games": [entry.hello() for entry in self._games.values()],
        }

    def _new(self, request: Object) -> Object:
        game, options = _field(request, "game", str), _field(request, "options", dict, {})
        most = _field(request, "max_plies", int, None)
        if game not in self._games:
            raise RulesError("unknown_game", f"there is no game `{game}` here")
        setup = self._setup(self._games[game], options)
        state, observation = request.get("state"), request.get("observation")
        if observation is not None and setup.entry.hidden:
            memory = Memory(setup, observation)
            self._position, self._memory, self._max_plies = None, (setup, memory), most
            acts = memory.seat if memory.acts else None
            place = {"ply": memory.ply, "to_move": acts, "result": None}
            return {**place, "roles": setup.roles, **self._wanted_of_memory(request, memory)}
        state = observation if state is None else state
        new = Position(setup) if state is None else Position.from_json(setup, state)
        answer = self._answer(new, request)
        self._position, self._memory, self._max_plies = new, None, most
        return {**answer, "roles": setup.roles}

    def _setup(self, entry: Entry, options: Object) -> Setup:
        """A loaded game: one of those that were used last, if it is there."""
        key = json.dumps([entry.id, options], sort_keys=True)
        setup = self._setups.pop(key, None) or load(entry, options)
        self._setups[key] = setup
        if len(self._setups) > KEPT_SETUPS:
            del self._setups[next(iter(self._setups))]
        return setup

    def _here(self) -> Position:
        if self._position is None:
            known = "only what one seat knows is set up" if self._memory else "nothing is set up"
            raise RulesError("no_game", f"{known}: send `new` first")
        return self._position

    def _play(self, request: Object) -> Object:
        position, moves = self._here(), _field(request, "moves", list)
        before = len(position.steps)
        seen: list[list[list[Any]]] = []
        try:
            for move in moves:
                position.play(move)
                seen.append(position.seen(len(position.steps) - 1, move))
            return self._answer(position, request, {"sees": seen})
        except RulesError:
            position.undo(len(position.steps) - before)
            raise

    def _undo(self, request: Object) -> Object:
        count = _field(request, "count", int, 1)
        if count < 0:
            raise RulesError("bad_count", "`count` must not be negative")
        position = self._here()
        _wanted_names(request)
        position.undo(count)
        return self._answer(position, request)

    def _get(self, request: Object) -> Object:
        if self._memory:
            memory = self._memory[1]
            acts = memory.seat if memory.acts else None
            place = {"ply": memory.ply, "to_move": acts, "result": None}
            return {**place, **self._wanted_of_memory(request, memory)}
        return self._answer(self._here(), request)

    def _perft(self, request: Object) -> Object:
        depth = _field(request, "depth", int)
        if depth < 0:
            raise RulesError("bad_request", "`depth` must not be negative")
        return {"nodes": perft(self._here().state, depth)}

    def _playout(self, request: Object) -> Object:
        position, games = self._here(), self._random_games(request)
        sums = games.play(position.state, position.ply, self._max_plies)
        answer: Object = {"outcome": sums.means(), "plies": sums.plies / max(1, sums.games)}
        return {**answer, "count": sums.games} if "ms" in request else answer

    def _playouts(self, request: Object) -> Object:
        position, games = self._here(), self._random_games(request)
        if position.acting is None:
            raise RulesError("game_over", "the game is over")
        if not isinstance(position.acting, int):
            raise RulesError("bad_request", "`playouts` is for positions in which one seat acts")
        moves = position.moves(position.acting)
        each = games.play_each(position.state, moves, position.ply, self._max_plies)
        answer: Object = {"moves": {m: sums.means() for m, sums in each.items() if sums.games}}
        least = min(sums.games for sums in each.values())
        return {**answer, "count": least} if "ms" in request else answer

    def _random_games(self, request: Object) -> RandomGames:
        count, ms = _field(request, "count", int, None), _field(request, "ms", float, None)
        if (count is not None and count < 1) or (ms is not None and not 1 <= ms <= 60_000):
            raise RulesError("bad_request", "`count` begins at 1, `ms` is from 1 to 60000")
        seed = _field(request, "seed", int, 0)
        return RandomGames(self._here().setup, seed, count, ms)

    def _sample(self, request: Object) -> Object:
        seat, seed = _field(request, "as", int), _field(request, "seed", int, 0)
        count = _field(request, "count", int, 1)
        if count < 1:
            raise RulesError("bad_request", "`count` begins at 1")
        if self._memory:
            setup, memory = self._memory
            if seat != memory.seat:
                raise RulesError("bad_request", f"what is known here is that of seat {memory.seat}")
        else:
            position = self._here()
            setup = position.setup
            _check_seat(seat, setup)
            if not setup.entry.hidden:
                return {"states": [position.to_json()] * count}
            memory = Memory(setup, position.observation(seat))
        return {"states": [drawn.to_json() for drawn in Sampler(setup, memory, seed).draw(count)]}

    def _answer(
        self, position: Position, request: Object, more: Mapping[str, Any] | None = None
    ) -> Object:
        """What is said about a position, with what is wanted."""
        here: Object = {"ply": position.ply, "to_move": position.acting}
        answer: Object = {**here, "result": position.result()}
        for name in _wanted_names(request):
            if name in (more or {}):
                answer[name] = (more or {})[name]
            elif name == "scores":
                answer["scores"], answer["outcome"] = position.scores()
            elif name == "legal":
                answer["legal"] = position.legal()
            elif name == "state":
                answer["state"] = position.to_json()
            elif name == "key":
                answer["key"] = position.key()
            elif name == "view":
                notes = position.text().splitlines()
                answer["view"] = {"shape": "square", "cells": [], "pieces": [], "notes": notes}
            elif name == "observation":
                seat = _field(request, "as", int)
                _check_seat(seat, position.setup)
                answer["observation"] = position.observation(seat)
            else:
                raise RulesError("bad_request", f"`want` can't have `{name}` here")
        return answer

    @staticmethod
    def _wanted_of_memory(request: Object, memory: Memory) -> Object:
        wanted = _wanted_names(request)
        if wanted not in ([], ["observation"]):
            raise RulesError("no_game", "only `observation` is known of this position")
        return {name: memory.observation for name in wanted}


def _wanted_names(request: Object) -> list[str]:
    wanted = _field(request, "want", list, [])
    if not all(isinstance(name, str) for name in wanted):
        raise RulesError("bad_request", "`want` must be a list of words")
    return list(wanted)


def _check_seat(seat: int, setup: Setup) -> None:
    if not 0 <= seat < setup.seats:
        raise RulesError("bad_request", f"there is no seat {seat}: there are {setup.seats}")


#: Stands for no default.
_REQUIRED: Any = object()


def _field(request: Object, name: str, kind: type, default: Any = _REQUIRED) -> Any:
    """A field of a request, of a type."""
    value = request.get(name)
    if value is None:
        if default is _REQUIRED:
            raise RulesError("bad_request", f"`{name}` is missing")
        return default
    fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits or (isinstance(value, bool) and kind in (int, float)):
        kinds = {str: "a text", int: "a whole number", float: "a number", list: "a list"}
        raise RulesError("bad_request", f"`{name}` must be {kinds.get(kind, 'an object')}")
    return value


def _error(number: Any, code: str, message: str) -> Object:
    return {"id": number, "error": {"code": code, "message": message}}


def private_output() -> IO[str]:
    """Standard output for answers alone: what OpenSpiel prints goes to standard error."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return answers


def serve(program: Program, requests: IO[bytes], answers: IO[str]) -> None:
    """Answers every line until there are no more."""
    for line in requests:
        if len(line) > LINE_BYTES:
            answer = json.dumps(_error(None, "bad_request", "this line is too long"))
        else:
            answer = program.answer_line(line)
        answers.write(answer + "\n")
        answers.flush()
