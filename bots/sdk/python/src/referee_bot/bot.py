"""The loop of a bot: reads the referee's messages and answers with what `choose` says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
import time
from typing import IO, Any, ClassVar, Iterator

from .async_model import AsyncModel
from .messages import Choice, Match, Message, Turn, answer
from .model import Model
from .version import __version__


class _Speaker:
    """What a bot says about itself, and how it prints."""

    #: What the bot calls itself.
    name: ClassVar[str] = "bot"
    version: ClassVar[str | None] = None
    author: ClassVar[str | None] = None
    #: Ids of the games that it plays; `None` for all.
    games: ClassVar[list[str] | None] = None
    #: Without them, turns are quicker to read.
    wants_state: ClassVar[bool] = True
    wants_legal: ClassVar[bool] = True

    _output: IO[str] = sys.stdout

    def fault(self, code: str, message: str) -> None:
        """The match was lost by a fault, which is printed on stderr."""
        self.log(f"lost by {code}: {message}")

    def log(self, *what: object) -> None:
        """Prints to stderr, which the referee keeps."""
        print(*what, file=sys.stderr, flush=True)

    def info(self, **fields: Any) -> None:
        """Reports the progress of a search for the log, at any time during `choose`."""
        self._send({"type": "info", **fields})

    def offer(
        self,
        kind: str,
        *,
        outcome: list[float] | None = None,
        scores: list[float] | None = None,
    ) -> None:
        """Offers an end with the move that follows, in `choose`: a `draw`, or to `settle` for what
        each seat would get, from 0 to 1. It means something only where `match.takes_offers`; the
        match ends once the last moves of all bots came with the same."""
        offer: Message = {"type": "offer", "kind": kind, "outcome": outcome, "scores": scores}
        self._send({key: value for key, value in offer.items() if value is not None})

    def _hello(self) -> Message:
        hello: Message = {
            "type": "hello",
            "protocol": 1,
            "name": self.name,
            "version": self.version,
            "author": self.author,
            "games": self.games,
            "wants": {"state": self.wants_state, "legal": self.wants_legal},
            "sdk": f"python {__version__}",
        }
        return {key: value for key, value in hello.items() if value is not None}

    def _send(self, message: Message) -> None:
        # What waits in a buffer is a timeout.
        print(json.dumps(message), file=self._output, flush=True)


def _messages(lines: IO[str]) -> Iterator[tuple[Message, float]]:
    """The messages, each with the time at which its line had come."""
    for line in lines:
        began = time.monotonic()
        if line.strip():
            yield json.loads(line), began


class Bot(_Speaker):
    """A bot: a subclass implements `choose`, and calls `run` in its program.

    Standard output belongs to the protocol; use `log` for all else. (What is printed goes the same
    way while `run` runs.)
    """

    _model: Model | None = None

    def choose(self, turn: Turn) -> Choice:
        """The move to make: a text out of `turn.legal`, a `Move`, `RESIGN` or a `NoMove`."""
        raise NotImplementedError("a bot needs a method `choose`")

    def started(self, match: Match) -> None:
        """A match begins: forget the one before."""

    def ended(self, result: dict[str, Any]) -> None:
        """The match is over, with `scores`, `outcome`, `reason` and `faults`."""

    def ponder(self, turn: Turn, choice: Choice, stop: threading.Event) -> None:
        """Thinks on while the others move. It runs in a thread of its own from the answer to `turn`
        until it returns; the next message waits for that, so look at `stop.is_set()` often. Many
        tournaments let bots rest while it is not their turn."""

    @property
    def model(self) -> Model:
        """The forward model; its process is started at the first use."""
        if self._model is None:
            self._model = Model()
        return self._model

    def model_at(self, turn: Turn, horizon: int | None = None) -> Model:
        """The forward model, set up with the position of a turn. Playouts stop where the match
        does, and after `horizon` plies: in long games, short ones say more. In games with hidden
        information it is set up with the observation, and `sample` draws states for `new`."""
        match = turn.match
        self.model.new(
            match.game,
            match.options,
            state=turn.state,
            observation=turn.observation,
            max_plies=turn.last_ply(horizon),
        )
        return self.model

    def run(self, input: IO[str] | None = None, output: IO[str] | None = None) -> None:
        """Answers the referee's messages until `quit` or the end of the input. What is unknown
        is passed over."""
        self._output = output or sys.stdout
        # What is printed to see how the bot thinks would be taken for messages.
        with contextlib.redirect_stdout(sys.stderr):
            self._talk(input or sys.stdin)

    def _talk(self, lines: IO[str]) -> None:
        match: Match | None = None
        pondering = _Pondering(self)
        try:
            for message, began in _messages(lines):
                pondering.stop()
                kind = message.get("type")
                if kind == "hello":
                    self._send(self._hello())
                elif kind == "start":
                    match = Match.read(message)
                    self.started(match)
                    self._send({"type": "ready"})
                elif kind == "turn" and match is not None:
                    turn = Turn.read(match, message, began)
                    choice = self.choose(turn)
                    self._send(answer(choice, turn))
                    pondering.start(turn, choice)
                elif kind == "error":
                    self.fault(message["code"], message["message"])
                elif kind == "end":
                    self.ended(message["result"])
                elif kind == "quit":
                    break
        finally:
            pondering.stop()
            if self._model is not None:
                self._model.close()
                self._model = None


class _Pondering:
    """The thread of `Bot.ponder`, for bots that have one."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._wanted = type(bot).ponder is not Bot.ponder
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def start(self, turn: Turn, choice: Choice) -> None:
        if self._wanted:
            self._stop = threading.Event()
            work = (turn, choice, self._stop)
            self._thread = threading.Thread(target=self._bot.ponder, args=work, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._thread = None


class AsyncBot(_Speaker):
    """A bot whose methods are coroutines: it can wait for several things at once, such as engines
    of its own or a service."""

    _model: AsyncModel | None = None

    async def choose(self, turn: Turn) -> Choice:
        """The move to make: a text out of `turn.legal`, a `Move`, `RESIGN` or a `NoMove`."""
        raise NotImplementedError("a bot needs a method `choose`")

    async def started(self, match: Match) -> None:
        """A match begins: forget the one before."""

    async def ended(self, result: dict[str, Any]) -> None:
        """The match is over, with `scores`, `outcome`, `reason` and `faults`."""

    async def ponder(self, turn: Turn, choice: Choice) -> None:
        """Thinks on while the others move, from the answer to `turn` on. It is cancelled when the
        next message comes, at its next `await`. Many tournaments let bots rest while it is not
        their turn."""

    async def model(self) -> AsyncModel:
        """The forward model; its process is started at the first use."""
        if self._model is None:
            self._model = await AsyncModel.start()
        return self._model

    async def model_at(self, turn: Turn, horizon: int | None = None) -> AsyncModel:
        """The forward model, set up with the position of a turn. Playouts stop where the match
        does, and after `horizon` plies: in long games, short ones say more."""
        match, model = turn.match, await self.model()
        await model.new(
            match.game,
            match.options,
            state=turn.state,
            observation=turn.observation,
            max_plies=turn.last_ply(horizon),
        )
        return model

    def run(self, input: IO[str] | None = None, output: IO[str] | None = None) -> None:
        """Answers the referee's messages until `quit` or the end of the input. What is unknown
        is passed over."""
        asyncio.run(self.main(input, output))

    async def main(self, input: IO[str] | None = None, output: IO[str] | None = None) -> None:
        """The same as `run`, for programs that have a loop of events already."""
        self._output = output or sys.stdout
        pondering: asyncio.Task[None] | None = None
        # What is printed to see how the bot thinks would be taken for messages.
        with contextlib.redirect_stdout(sys.stderr):
            try:
                match: Match | None = None
                inbox = _Inbox(input or sys.stdin)
                while (item := await inbox.next()) is not None:
                    message, began = item
                    await _cancel(pondering)
                    pondering = None
                    kind = message.get("type")
                    if kind == "hello":
                        self._send(self._hello())
                    elif kind == "start":
                        match = Match.read(message)
                        await self.started(match)
                        self._send({"type": "ready"})
                    elif kind == "turn" and match is not None:
                        turn = Turn.read(match, message, began)
                        choice = await self.choose(turn)
                        self._send(answer(choice, turn))
                        pondering = asyncio.create_task(self.ponder(turn, choice))
                    elif kind == "error":
                        self.fault(message["code"], message["message"])
                    elif kind == "end":
                        await self.ended(message["result"])
                    elif kind == "quit":
                        break
            finally:
                await _cancel(pondering)
                if self._model is not None:
                    await self._model.close()
                    self._model = None


async def _cancel(task: asyncio.Task[None] | None) -> None:
    """Ends a task; what it failed with is raised here."""
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


class _Inbox:
    """Messages, read by a thread: not every input can be waited for without one."""

    def __init__(self, lines: IO[str]) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[tuple[Message, float] | Exception | None] = asyncio.Queue()
        # It dies with the program, even if it still waits for a line.
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def _read(self, lines: IO[str]) -> None:
        last: Exception | None = None
        try:
            for item in _messages(lines):
                self._put(item)
        except Exception as error:
            last = error
        self._put(last)

    def _put(self, item: tuple[Message, float] | Exception | None) -> None:
        # Without a loop, nobody waits any more.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._queue.put_nowait, item)

    async def next(self) -> tuple[Message, float] | None:
        """The next message; `None` at the end of the input."""
        item = await self._queue.get()
        if isinstance(item, Exception):
            raise item
        return item
