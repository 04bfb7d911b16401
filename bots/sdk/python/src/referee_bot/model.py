"""The forward model: `referee model` as an object that knows the rules of all games."""

from __future__ import annotations

import contextlib
import subprocess
from types import TracebackType
from typing import IO, Any, Iterable, Sequence, cast

from . import requests
from .requests import Child, ModelError, Object, Playout, Position, Step

__all__ = ["Child", "Model", "ModelError", "Playout", "Position"]


class Model:
    """One position of one game, in a child process `referee model`.

    The referee gives its bots its own path in the environment variable `REFEREE`; otherwise
    `referee` must be on the PATH, or `command` names the program. Call `new` first.

        with Model() as model:
            model.new("siam", seed=7)
            model.play(model.legal()[0])
            print(model.playout(100).outcome)

    What `want` names (`legal`, `state`, `key`, `value`, `view`) comes with the same answer, so a
    search needs to ask once a node: `model.play(move, want=["legal", "key"])`.
    """

    def __init__(self, command: Sequence[str] | None = None) -> None:
        program = requests.program(command)
        try:
            self._process = subprocess.Popen(
                program, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except FileNotFoundError as error:
            raise requests.missing(program) from error
        # The number of answers that nobody waits for any more, to be skipped.
        self._unread = 0

    def new(
        self,
        game: str,
        options: dict[str, Any] | None = None,
        *,
        state: Any = None,
        observation: Any = None,
        seed: int = 0,
        max_plies: int | None = None,
        want: Iterable[str] = (),
    ) -> Position:
        """Sets up a position: `state`, or the start that belongs to `seed`. Playouts stop at
        `max_plies`, or where the game itself says. With an `observation`, what a seat knows is set
        up in place of a position; only `sample` is of use then."""
        request = requests.new(game, options, state, seed, max_plies, observation)
        return self._position(request, want)

    def position(self, want: Iterable[str] = ()) -> Position:
        """Where the model is."""
        return self._position({"op": "get"}, want)

    def legal(self) -> list[str]:
        """All legal moves of the one who is to move; none when the game is over. Where several act at
        once or chance does, `position(want=["legal"])` has what they can choose."""
        return cast("list[str]", self._get("legal"))

    def state(self) -> Any:
        """The position as the game writes it."""
        return self._get("state")

    def key(self) -> str:
        """A text that is equal exactly for equal positions, for transposition tables."""
        return cast(str, self._get("key"))

    def view(self) -> Any:
        """The board, for drawing."""
        return self._get("view")

    def play(self, *moves: Step, want: Iterable[str] = ()) -> Position:
        """Plays all of these moves, or none if one of them is not legal (`ModelError`). Where several
        seats act at once, a move is a dictionary: `play({"0": "rock", "1": "paper"})`."""
        return self._position(requests.play(moves), want)

    def observation(self, seat: int) -> Any:
        """All that a seat may know; the state where nothing is hidden."""
        request = {"op": "get", "as": seat, "want": ["observation"]}
        return (self._ask(request))["observation"]

    def sample(self, seat: int, count: int = 1, seed: int = 0) -> list[Any]:
        """At most `count` states that a seat cannot tell from the present one, also after `new` with
        an `observation`; none if the rules draw none."""
        answer = self._ask(requests.sample(seat, count, seed))
        return cast("list[Any]", answer["states"])

    def undo(self, count: int = 1, want: Iterable[str] = ()) -> Position:
        """Takes back as many moves."""
        return self._position({"op": "undo", "count": count}, want)

    def children(self, want: Iterable[str] = ()) -> list[Child]:
        """Every legal move with the position after it."""
        return requests.children(self._ask(requests.wanting({"op": "children"}, want)))

    def evaluate(self) -> list[float]:
        """The outcome that the reference evaluation expects, from 0 to 1 a seat."""
        return cast("list[float]", self._ask({"op": "evaluate"})["value"])

    def perft(self, depth: int) -> int:
        """How many positions there are after exactly `depth` plies, counted by paths."""
        return cast(int, self._ask({"op": "perft", "depth": depth})["nodes"])

    def playout(
        self, count: int | None = None, seed: int = 0, *, ms: int | None = None
    ) -> Playout:
        """Means of random games from here: `count` of them (1 if nothing is said), or as many as
        fit into `ms` milliseconds."""
        return requests.playout(
            self._ask(requests.random_games("playout", count, seed, ms))
        )

    def playouts(
        self, count: int | None = None, seed: int = 0, *, ms: int | None = None
    ) -> dict[str, list[float]]:
        """For every legal move the mean outcome a seat of random games after it: `count` a move, or
        as many as fit into `ms` milliseconds. In a very short time some moves may have none and are
        left out."""
        answer = self._ask(requests.random_games("playouts", count, seed, ms))
        return cast("dict[str, list[float]]", answer["moves"])

    def playout_after(self, moves: Sequence[Step], count: int = 1, seed: int = 0) -> Playout:
        """The same after these moves, which are taken back: one wait instead of three."""
        answers = self._ask_all(
            requests.play(moves),
            requests.random_games("playout", count, seed, None),
        )
        self._send({"op": "undo", "count": len(moves)})
        self._unread += 1
        return requests.playout(answers[1])

    def children_after(
        self, moves: Sequence[str], want: Iterable[str] = ()
    ) -> list[Child]:
        """What `children` gives after these moves, which are taken back: one wait instead of
        three."""
        answers = self._ask_all(
            {"op": "play", "moves": list(moves)},
            requests.wanting({"op": "children"}, want),
        )
        self._send({"op": "undo", "count": len(moves)})
        self._unread += 1
        return requests.children(answers[1])

    def close(self) -> None:
        """Ends the process. The model is of no use afterwards."""
        stdin, stdout = self._pipes()
        with contextlib.suppress(BrokenPipeError):
            stdin.close()
        self._process.wait()
        stdout.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _position(self, request: Object, want: Iterable[str]) -> Position:
        return requests.position(self._ask(requests.wanting(request, want)))

    def _get(self, what: str) -> Any:
        return self._ask({"op": "get", "want": [what]})[what]

    def _ask(self, request: Object) -> Object:
        return self._ask_all(request)[0]

    def _ask_all(self, *all: Object) -> list[Object]:
        """Sends all requests before it reads, which saves waiting."""
        self._send(*all)
        _, stdout = self._pipes()
        lines = [stdout.readline() for _ in range(self._unread + len(all))]
        lines, self._unread = lines[self._unread :], 0
        return [requests.ok(line) for line in lines]

    def _send(self, *all: Object) -> None:
        stdin, _ = self._pipes()
        try:
            stdin.write(requests.encoded(all))
            stdin.flush()
        except BrokenPipeError as error:
            raise requests.gone() from error

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None, "both are pipes"
        return stdin, stdout
