"""For tests of bots: gives a bot a position and sees what it plays, without a referee.

    from referee_bot.testing import ask

    def test_it_takes_the_win():
        reply = ask(MyBot(), "siam", state=WON)
        assert reply.move == "c2>c3"

The rules are those of `referee model`, so `referee` must be on the PATH or named in REFEREE.
"""

from __future__ import annotations

import io
import json
import time
from dataclasses import dataclass
from typing import Any, Sequence, Union

from .bot import AsyncBot, Bot
from .messages import Message
from .model import Model

#: Any bot.
AnyBot = Union[Bot, AsyncBot]


class BadReply(AssertionError):
    """The bot answered with something that would lose the match."""


@dataclass(frozen=True)
class Reply:
    """What a bot did in its turn."""

    #: The move, which is legal; `None` if the bot resigned.
    move: str | None
    #: What it logged with the move.
    info: dict[str, Any]
    #: What it sent while it was thinking, in order.
    progress: list[dict[str, Any]]
    #: How long all that took, in seconds, the start of the match included.
    seconds: float
    #: The position in which it had to move.
    state: Any
    #: The moves that it could have played.
    legal: list[str]


def ask(
    bot: AnyBot,
    game: str,
    *,
    options: dict[str, Any] | None = None,
    state: Any = None,
    seed: int = 0,
    moves: Sequence[str] = (),
    clock: dict[str, Any] | None = None,
    limits: dict[str, Any] | None = None,
) -> Reply:
    """Lets a bot play one move in the position after `moves` from `state`, or from the start that
    belongs to `seed`. It sits wherever it is to move. `clock` is that of a `turn`, such as
    `{"move_ms": 100}`; it is handed to the bot, and not enforced.

    Raises `BadReply` if the bot does not answer or its move is not legal, and whatever the bot
    raises.
    """
    turn = _Turn(game, options, state, seed, moves)
    messages = turn.messages(bot, clock or {}, limits or {})
    output = io.StringIO()
    began = time.monotonic()
    bot.run(io.StringIO("".join(json.dumps(m) + "\n" for m in messages)), output)
    seconds = time.monotonic() - began
    return turn.reply([json.loads(line) for line in output.getvalue().splitlines()], seconds)


class _Turn:
    """A position in which somebody is to move."""

    def __init__(
        self,
        game: str,
        options: dict[str, Any] | None,
        state: Any,
        seed: int,
        moves: Sequence[str],
    ) -> None:
        self.game, self.options = game, options or {}
        self.moves: list[Message] = []
        with Model() as model:
            position = model.new(game, options, state=state, seed=seed)
            self.start, first_ply = model.state(), position.ply
            for move in moves:
                self.moves.append({"seat": position.to_move, "move": move})
                position = model.play(move)
            if position.to_move is None:
                raise ValueError("the game is over in this position: nobody is to move")
            self.seat: int = position.to_move
            self.ply = first_ply + len(self.moves)
            self.state, self.legal = model.state(), model.legal()

    def messages(
        self, bot: AnyBot, clock: dict[str, Any], limits: dict[str, Any]
    ) -> list[Message]:
        """All that a bot hears of a match until its first turn, and then the end."""
        start: Message = {
            "type": "start",
            "match": "test",
            "game": self.game,
            "options": self.options,
            "seat": self.seat,
            "role": "",
            "players": [],
            "state": self.start,
            "time": {},
            "limits": limits,
        }
        turn: Message = {"type": "turn", "ply": self.ply, "moves": self.moves, "clock": clock}
        if bot.wants_state:
            turn["state"] = self.state
        if bot.wants_legal:
            turn["legal"] = self.legal
        hello: Message = {"type": "hello", "protocol": 1, "referee": "referee_bot.testing"}
        return [hello, start, turn, {"type": "quit"}]

    def reply(self, answers: list[Message], seconds: float) -> Reply:
        """What the answers of the bot mean."""
        last = answers[-1] if answers else {}
        if last.get("type") not in ("move", "resign"):
            raise BadReply("the bot did not answer its turn")
        move = last.get("move")
        if move is not None and move not in self.legal:
            few = ", ".join(self.legal[:5])
            raise BadReply(f"`{move}` is not legal; legal are {few}, … ({len(self.legal)} in all)")
        progress = [answer for answer in answers if answer.get("type") == "info"]
        for answer in progress:
            del answer["type"]
        return Reply(move, last.get("info", {}), progress, seconds, self.state, self.legal)
