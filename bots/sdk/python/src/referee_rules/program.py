"""The program: reads the referee's requests and answers them for the games that it knows."""

from __future__ import annotations

import contextlib
import json
import random
import re
import sys
import traceback
from pathlib import Path
from typing import IO, Any, Callable, Type, cast

from .game import BadOption, BadState, Game, Json
from .position import IllegalStep, Position, TooMuch, perft, playout

#: A request, or the `ok` of an answer.
Object = dict[str, Any]

#: What `want` can name.
WANTS = ("legal", "state", "key", "view", "observation", "scores", "actions", "sees")
#: A perft asks the moves of at most this many positions, so that it ends in time.
MOST_POSITIONS = 20_000
#: Random games of one request have at most this many plies together.
MOST_PLIES = 1_000
#: A request for samples gets at most this many.
MOST_SAMPLES = 10_000
#: Longer requests are cut in messages.
LONGEST = 160

ID = re.compile(r"[a-z0-9][a-z0-9-]*")


class Refused(Exception):
    """A request that is refused; everything is as it was before."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        #: A word of the protocol, such as `illegal_move`.
        self.code = code


class Program:
    """Answers requests about some games; holds one position of one of them."""

    def __init__(self, *games: Type[Game[Any]], name: str = "", version: str = "1") -> None:
        self._games = {game.id: game for game in games}
        self._name, self._version = name or next(iter(self._games), "rules"), version
        for game in games:
            _look_at(game)
        if len(self._games) < len(games):
            raise TypeError("two games have the same id")
        self._game: Game[Any] | None = None
        #: All positions of the match so far, the present one last.
        self._history: list[Position] = []
        #: The ply at which random games stop, if there is one.
        self._max_plies: int | None = None
        #: What a seat knows, if that is all that was set up.
        self._observation: Object | None = None
        self._operations: dict[str, Callable[[Object], Object]] = {
            "hello": self._hello,
            "new": self._new,
            "play": self._play,
            "undo": self._undo,
            "get": self._get,
            "perft": self._perft,
            "playout": self._playout,
            "sample": self._sample,
        }

    def ask(self, op: str, **fields: Json) -> Object:
        """The answer to a request. Raises `Refused` if there is none."""
        return self.perform({"op": op, **fields})

    def perform(self, request: Object) -> Object:
        """The same for a request as it stands in a line."""
        op = request.get("op")
        operation = self._operations.get(op) if isinstance(op, str) else None
        if operation is None:
            known = ", ".join(f"`{name}`" for name in self._operations)
            raise Refused("bad_request", f"`op` is {json.dumps(op)}, not one of {known}")
        return operation(request)

    def answer(self, line: bytes) -> str:
        """The line that answers a line."""
        number: Json = None
        try:
            request = _request(line)
            number = request.get("id")
            answer = {"id": number, "ok": self.perform(request)}
        except Refused as refused:
            error = {"code": refused.code, "message": str(refused)}
            answer = {"id": number, "error": error}
        return json.dumps(answer, allow_nan=False, separators=(",", ":"))

    def run(self, input: IO[bytes] | None = None, output: IO[str] | None = None) -> int:
        """Answers until the end of the input. What an author's code raises is told in one line on
        stderr, and ends it. Returns the exit code."""
        output = output or sys.stdout
        # What is printed to see how the rules work would be taken for answers.
        with contextlib.redirect_stdout(sys.stderr):
            for line in input or sys.stdin.buffer:
                try:
                    answer = self.answer(line)
                except Exception as error:
                    print(_told(error, line), file=sys.stderr)
                    return 1
                # What waits in a buffer is waited for.
                print(answer, file=output, flush=True)
        return 0

    def _hello(self, request: Object) -> Object:
        games = self._games.values()
        can = ["undo", "key", "perft", "playout"]
        for method in ("view", "scores", "observation", "sample", "actions"):
            if any(game.overrides(method) for game in games):
                can.append(method)
        return {
            "protocol": 1,
            "name": self._name,
            "version": self._version,
            "can": can,
            # A step is compared with what is legal before it is made.
            "strict": True,
            "games": [game.describe() for game in games],
        }

    def _new(self, request: Object) -> Object:
        game = self._configure(request)
        if "observation" in request:
            return self._new_observation(game, request)
        try:
            if request.get("state") is not None:
                position = Position.read(game, request["state"])
            else:
                seed = _number(request, "seed", 0)
                position = Position(game, game.start(random.Random(seed)))
        except BadOption as bad:
            raise _bad_option(game.id, bad) from bad
        except BadState as bad:
            raise Refused("bad_state", str(bad)) from bad
        limit = None if request.get("max_plies") is None else _number(request, "max_plies", None)
        answer = self._describe([position], request)
        if game.seats is not None:
            answer["roles"] = list(game.roles)[: game.seat_count()]
        self._game, self._history, self._observation = game, [position], None
        self._max_plies = limit
        return answer

    def _new_observation(self, game: Game[Any], request: Object) -> Object:
        known = request["observation"]
        if not isinstance(known, dict):
            raise Refused("bad_state", "an observation is an object")
        answer = {"ply": known.get("ply", 0), "to_move": known.get("to_move"), "result": None}
        if game.seats is not None:
            answer["roles"] = list(game.roles)[: game.seat_count()]
        self._game, self._history, self._observation = game, [], known
        return answer

    def _configure(self, request: Object) -> Game[Any]:
        id, options = request.get("game"), request.get("options")
        if not isinstance(id, str):
            raise Refused("bad_request", "`new` needs the field `game`, a text")
        if id not in self._games:
            known = ", ".join(f"`{known}`" for known in self._games)
            raise Refused("unknown_game", f"there is no game `{id[:40]}`; there are {known}")
        if options is not None and not isinstance(options, dict):
            raise Refused("bad_option", "`options` is not an object")
        try:
            return self._games[id](options)
        except BadOption as bad:
            raise _bad_option(id, bad) from bad

    def _play(self, request: Object) -> Object:
        moves = request.get("moves")
        fits = isinstance(moves, list) and all(isinstance(move, (str, dict)) for move in moves)
        if not fits:
            raise Refused("bad_request", "`moves` is not a list of texts and objects")
        path = [self._here()]
        sees = []
        for move in cast("list[Json]", moves):
            here = path[-1]
            if here.result is not None:
                raise Refused("game_over", f"the game is over ({here.result.reason})")
            try:
                step = here.step(move)
            except IllegalStep as illegal:
                raise Refused("illegal_move", str(illegal)) from illegal
            if "sees" in _want(request):
                sees.append(here.sees(step))
            path.append(here.after(step))
        answer = self._describe(path, request, sees)
        self._history += path[1:]
        return answer

    def _undo(self, request: Object) -> Object:
        self._here()
        count, made = _number(request, "count", 1), len(self._history) - 1
        if count > made:
            raise Refused("bad_count", f"`count` is {count}, but {made} steps were played")
        left = self._history[: len(self._history) - count]
        answer = self._describe(left, request)
        self._history = left
        return answer

    def _get(self, request: Object) -> Object:
        if self._observation is not None and set(_want(request)) <= {"observation"}:
            known = self._observation
            answer = {"ply": known.get("ply", 0), "to_move": known.get("to_move"), "result": None}
            return {**answer, "observation": known} if _want(request) else answer
        return self._describe([self._here()], request)

    def _perft(self, request: Object) -> Object:
        depth = _number(request, "depth", None)
        try:
            return {"nodes": perft(self._here(), depth, MOST_POSITIONS)}
        except (TooMuch, RecursionError) as error:
            message = f"depth {depth} needs the moves of more than {MOST_POSITIONS} positions"
            raise Refused("too_much", message) from error

    def _playout(self, request: Object) -> Object:
        here, count = self._here(), _number(request, "count", 1)
        if here.result is not None:
            raise Refused("game_over", f"the game is over ({here.result.reason})")
        if count < 1:
            raise Refused("bad_count", f"`count` is {count}; it must be 1 or more")
        rng = random.Random(_number(request, "seed", 0))
        total, plies = [0.0] * here.game.seat_count(), 0
        for _ in range(count):
            try:
                outcome, length = playout(here, rng, self._max_plies, MOST_PLIES - plies)
            except TooMuch as error:
                message = f"{count} random games have more than {MOST_PLIES} plies together"
                raise Refused("too_much", message) from error
            total = [sum(pair) for pair in zip(total, outcome)]
            plies += length
        return {"outcome": [worth / count for worth in total], "plies": plies / count}

    def _sample(self, request: Object) -> Object:
        game = self._game
        if game is None:
            raise Refused("no_game", "there is no position yet: `new` sets one up")
        seat, count = self._seat(request, game), _number(request, "count", 1)
        if not 1 <= count <= MOST_SAMPLES:
            raise Refused("bad_count", f"`count` is {count}; it must be from 1 to {MOST_SAMPLES}")
        if not game.hidden:
            return {"states": [self._here().wire()] * count}
        known = self._observation
        if known is None:
            known = self._here().observation(seat)
        rng, ply = random.Random(_number(request, "seed", 0)), _number(known, "ply", 0)
        try:
            drawn = [game.sample(known, seat, rng) for _ in range(count)]
            return {"states": [Position(game, state, ply).wire() for state in drawn]}
        except Exception as error:
            if self._observation is None:
                raise
            # It came from outside, like a state.
            message = f"no state fits this observation ({type(error).__name__}: {error})"
            raise Refused("bad_state", message) from error

    def _here(self) -> Position:
        if not self._history:
            what = "position yet" if self._observation is None else "state, but an observation"
            raise Refused("no_game", f"there is no {what}: `new` sets one up")
        return self._history[-1]

    def _seat(self, request: Object, game: Game[Any]) -> int:
        seat = _number(request, "as", None)
        if seat >= game.seat_count():
            raise Refused("bad_request", f"`as` is {seat}, but there are {game.seat_count()} seats")
        return seat

    def _describe(
        self, path: list[Position], request: Object, sees: list[list[list[Json]]] | None = None
    ) -> Object:
        """What an answer says about the last position of a path, with what is wanted."""
        here, want = path[-1], _want(request)
        answer: Object = {"ply": here.ply, "to_move": here.to_move, "result": here.ended()}
        for name in want:
            if name == "legal":
                answer["legal"] = here.legal
            elif name == "state":
                answer["state"] = here.wire()
            elif name == "key":
                answer["key"] = here.game.key(here.state)
            elif name == "view":
                answer["view"] = here.game.view(here.state)
            elif name == "observation":
                answer["observation"] = here.observation(self._seat(request, here.game))
            elif name == "scores":
                answer["scores"], answer["outcome"] = here.scores()
            elif name == "actions":
                answer["actions"] = list(here.game.actions())
            elif sees is None:
                raise Refused("bad_request", "only `play` can want `sees`")
            else:
                answer["sees"] = sees
        return answer


def run(*games: Type[Game[Any]], name: str = "", version: str = "1") -> None:
    """Answers the referee's requests about these games until the end of the input, and exits.

    `name` is what the program calls itself, by default the first game's id; `version` tells one
    version of the rules from another in logs."""
    sys.exit(Program(*games, name=name, version=version).run())


def _look_at(game: Type[Game[Any]]) -> None:
    """Whether an author forgot something that every answer would miss."""
    what = f"class {game.__name__}"
    if not ID.fullmatch(getattr(game, "id", "")):
        raise TypeError(f"{what} needs an `id` of small letters, digits and `-`")
    if not getattr(game, "roles", ()):
        raise TypeError(f"{what} needs `roles`, the names of its seats")
    needed = ["start", "to_move", "legal", "apply", "result"]
    if game.hidden:
        needed += ["observation", "sees"]
    if game.seats is not None:
        needed.append("seat_count")
    for method in needed:
        if not game.overrides(method):
            raise TypeError(f"{what} needs a method `{method}`")


def _request(line: bytes) -> Object:
    try:
        request = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise Refused("bad_request", f"the line is not JSON: {error}") from error
    if not isinstance(request, dict):
        raise Refused("bad_request", "a request is a JSON object")
    return request


def _number(request: Object, field: str, otherwise: int | None) -> int:
    """A field that is a whole number, at least 0."""
    number = request.get(field, otherwise)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise Refused("bad_request", f"`{field}` is not a whole number, 0 or more")
    return number


def _want(request: Object) -> list[str]:
    want = request.get("want") or []
    if not isinstance(want, list) or not all(name in WANTS for name in want):
        known = ", ".join(f"`{name}`" for name in WANTS)
        raise Refused("bad_request", f"`want` is not a list of {known}")
    return want


def _bad_option(id: str, bad: BadOption) -> Refused:
    return Refused("bad_option", f"option `{bad.name}` of {id}: {bad}")


def _told(error: Exception, line: bytes) -> str:
    """One line about an error in an author's code: what, where, and at which request."""
    frames = traceback.extract_tb(error.__traceback__)
    here = Path(__file__).parent
    own = [frame for frame in frames if Path(frame.filename).parent != here] or frames
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}, in {own[-1].name}"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    asked = line.decode(errors="replace").strip()
    asked = asked if len(asked) <= LONGEST else asked[:LONGEST] + "…"
    return f"the rules failed: {what} ({place}) at the request {asked}"
