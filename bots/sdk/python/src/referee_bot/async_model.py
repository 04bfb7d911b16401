"""The forward model for `asyncio`: the same as `Model`, with methods to be awaited."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import Any, Iterable, Sequence, cast

from . import requests
from .requests import Child, Object, Playout, Position, Step

#: The longest line of an answer.
_LONGEST = 1 << 26


class AsyncModel:
    """One position of one game, in a child process `referee model`.

        async with await AsyncModel.start() as model:
            await model.new("siam", seed=7)
            legal, value = await asyncio.gather(model.legal(), model.evaluate())

    Requests are answered in order, so several can be on their way. A request that is cancelled is
    done all the same; only its answer is dropped.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._last: asyncio.Task[bytes] | None = None

    @classmethod
    async def start(cls, command: Sequence[str] | None = None) -> AsyncModel:
        """Starts the process; see `Model` for how the program is found."""
        program = requests.program(command)
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *program, stdin=pipe, stdout=pipe, limit=_LONGEST
            )
        except FileNotFoundError as error:
            raise requests.missing(program) from error
        return cls(process)

    async def new(
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
        """See `Model.new`."""
        request = requests.new(game, options, state, seed, max_plies, observation)
        return await self._position(request, want)

    async def position(self, want: Iterable[str] = ()) -> Position:
        """See `Model.position`."""
        return await self._position({"op": "get"}, want)

    async def legal(self) -> list[str]:
        """See `Model.legal`."""
        return cast("list[str]", await self._get("legal"))

    async def state(self) -> Any:
        """See `Model.state`."""
        return await self._get("state")

    async def key(self) -> str:
        """See `Model.key`."""
        return cast(str, await self._get("key"))

    async def view(self) -> Any:
        """See `Model.view`."""
        return await self._get("view")

    async def play(self, *moves: Step, want: Iterable[str] = ()) -> Position:
        """See `Model.play`."""
        return await self._position(requests.play(moves), want)

    async def observation(self, seat: int) -> Any:
        """See `Model.observation`."""
        request = {"op": "get", "as": seat, "want": ["observation"]}
        return (await self._ask(request))["observation"]

    async def sample(self, seat: int, count: int = 1, seed: int = 0) -> list[Any]:
        """See `Model.sample`."""
        answer = await self._ask(requests.sample(seat, count, seed))
        return cast("list[Any]", answer["states"])

    async def undo(self, count: int = 1, want: Iterable[str] = ()) -> Position:
        """See `Model.undo`."""
        return await self._position({"op": "undo", "count": count}, want)

    async def children(self, want: Iterable[str] = ()) -> list[Child]:
        """See `Model.children`."""
        request = requests.wanting({"op": "children"}, want)
        return requests.children(await self._ask(request))

    async def evaluate(self) -> list[float]:
        """See `Model.evaluate`."""
        return cast("list[float]", (await self._ask({"op": "evaluate"}))["value"])

    async def perft(self, depth: int) -> int:
        """See `Model.perft`."""
        return cast(int, (await self._ask({"op": "perft", "depth": depth}))["nodes"])

    async def playout(
        self, count: int | None = None, seed: int = 0, *, ms: int | None = None
    ) -> Playout:
        """See `Model.playout`."""
        request = requests.random_games("playout", count, seed, ms)
        return requests.playout(await self._ask(request))

    async def playouts(
        self, count: int | None = None, seed: int = 0, *, ms: int | None = None
    ) -> dict[str, list[float]]:
        """See `Model.playouts`."""
        answer = await self._ask(requests.random_games("playouts", count, seed, ms))
        return cast("dict[str, list[float]]", answer["moves"])

    async def playout_after(
        self, moves: Sequence[Step], count: int = 1, seed: int = 0
    ) -> Playout:
        """See `Model.playout_after`."""
        play = self._send(requests.play(moves))
        playout = self._send(requests.random_games("playout", count, seed, None))
        requests.ok(await asyncio.shield(play))
        # Only now is it known that there is something to take back.
        self._send({"op": "undo", "count": len(moves)})
        return requests.playout(requests.ok(await asyncio.shield(playout)))

    async def children_after(
        self, moves: Sequence[str], want: Iterable[str] = ()
    ) -> list[Child]:
        """See `Model.children_after`."""
        play = self._send({"op": "play", "moves": list(moves)})
        children = self._send(requests.wanting({"op": "children"}, want))
        requests.ok(await asyncio.shield(play))
        # Only now is it known that there is something to take back.
        self._send({"op": "undo", "count": len(moves)})
        return requests.children(requests.ok(await asyncio.shield(children)))

    async def close(self) -> None:
        """Ends the process. The model is of no use afterwards."""
        stdin = self._process.stdin
        if stdin is not None:
            with contextlib.suppress(ConnectionError):
                stdin.close()
        if self._last is not None:
            await asyncio.wait([self._last])
        await self._process.wait()

    async def __aenter__(self) -> AsyncModel:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _position(self, request: Object, want: Iterable[str]) -> Position:
        return requests.position(await self._ask(requests.wanting(request, want)))

    async def _get(self, what: str) -> Any:
        return (await self._ask({"op": "get", "want": [what]}))[what]

    async def _ask(self, request: Object) -> Object:
        return requests.ok(await asyncio.shield(self._send(request)))

    def _send(self, request: Object) -> asyncio.Task[bytes]:
        """Sends a request at once; the task reads its answer, after those before it."""
        stdin, before = self._process.stdin, self._last
        assert stdin is not None, "it is a pipe"
        stdin.write(requests.encoded([request]))
        self._last = asyncio.create_task(self._read(before))
        return self._last

    async def _read(self, before: asyncio.Task[bytes] | None) -> bytes:
        if before is not None:
            await asyncio.wait([before])
        stdout = self._process.stdout
        assert stdout is not None, "it is a pipe"
        return await stdout.readline()
