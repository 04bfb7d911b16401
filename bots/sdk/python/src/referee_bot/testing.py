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
from typing import Any, Iterator, Sequence, Union

from . import requests
from .bot import AsyncBot, Bot
from .messages import Message
from .model import Model, ModelError
from .requests import Step

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
    #: The position in which it had to move, whatever the bot may know of it.
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
    moves: Sequence[Step] = (),
    seat: int | None = None,
    clock: dict[str, Any] | None = None,
    limits: dict[str, Any] | None = None,
) -> Reply:
    """Lets a bot play one move in the position after `moves` from `state`, or from the start that
    belongs to `seed`. Moves are those of all seats and of chance; where several act at once, one
    move is a dictionary, such as `{"0": "rock", "1": "paper"}`. The bot sits wherever it is to move;
    `seat` says where if there are several. `clock` is that of a `turn`, such as `{"move_ms": 100}`;
    it is handed to the bot, and not enforced.

    Raises `BadReply` if the bot does not answer or its move is not legal, and whatever the bot
    raises.
    """
    turn = _Turn(game, options, state, seed, moves, seat)
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
        moves: Sequence[Step],
        seat: int | None,
    ) -> None:
        self.game, self.options = game, options or {}
        self.moves: list[Message] = []
        self.sees: list[list[Any]] = []
        with Model() as model:
            position = model.new(game, options, state=state, seed=seed)
            self.start = model.state()
            perceived: list[list[list[Any]]] = []
            for step in moves:
                self.moves.extend(_plies(position.to_move, step))
                request = requests.wanting(requests.play([step]), ["sees"])
                answer = model._ask(request)
                perceived.extend(answer.get("sees") or [])
                position = requests.position(answer)
            self.seat = _seat(position.to_move, seat)
            self.ply = position.ply
            self.state = model.state()
            legal = model.position(want=["legal"]).legal
            self.legal: list[str] = legal if isinstance(legal, list) else legal[str(self.seat)]
            self.hidden = _is_hidden(model, game)
            if self.hidden:
                self.observation = model.observation(self.seat)
                self.sees = [seats[self.seat] if seats else [] for seats in perceived]
                self.moves = [ply for ply in self.moves if ply["seat"] == self.seat]
                model.new(game, options, state=self.start)
                self.start = model.observation(self.seat)

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
            "observation" if self.hidden else "state": self.start,
            "time": {},
            "limits": limits,
        }
        turn: Message = {"type": "turn", "ply": self.ply, "moves": self.moves, "clock": clock}
        if self.hidden:
            turn["sees"] = self.sees
        if bot.wants_state and self.hidden:
            turn["observation"] = self.observation
        elif bot.wants_state:
            turn["state"] = self.state
        if bot.wants_legal:
            turn["legal"] = self.legal
        hello: Message = {"type": "hello", "protocol": 1, "referee": "referee_bot.testing"}
        return [hello, start, turn, {"type": "quit"}]

    def reply(self, answers: list[Message], seconds: float) -> Reply:
        """What the answers of the bot mean."""
        last = answers[-1] if answers else {}
        if last.get("type") not in ("move", "resign", "fault"):
            raise BadReply("the bot did not answer its turn")
        move = last.get("move")
        if move is not None and move not in self.legal:
            few = ", ".join(self.legal[:5])
            raise BadReply(f"`{move}` is not legal; legal are {few}, … ({len(self.legal)} in all)")
        progress = [answer for answer in answers if answer.get("type") == "info"]
        for answer in progress:
            del answer["type"]
        return Reply(move, last.get("info", {}), progress, seconds, self.state, self.legal)


def _is_hidden(model: Model, game: str) -> bool:
    """Whether seats know different things in this game."""
    try:
        hello = model._ask({"op": "hello", "protocol": 1})
    except ModelError:
        # An older program, which has no such games.
        return False
    return any(known["id"] == game and known.get("hidden") for known in hello["games"])


def _plies(to_move: Any, step: Step) -> Iterator[Message]:
    """The plies of a step, in the order of a match."""
    if isinstance(step, str):
        yield {"seat": None if to_move == "chance" else to_move, "move": step}
        return
    for actor in to_move:
        yield {"seat": None if actor == "chance" else actor, "move": step[str(actor)]}


def _seat(to_move: Any, wanted: int | None) -> int:
    """The seat that the bot takes."""
    if to_move is None:
        raise ValueError("the game is over in this position: nobody is to move")
    actors = to_move if isinstance(to_move, list) else [to_move]
    seats: list[int] = [actor for actor in actors if actor != "chance"]
    if not seats:
        raise ValueError("chance is to move in this position; say what it brings in `moves`")
    if wanted is None:
        return seats[0]
    if wanted not in seats:
        raise ValueError(f"seat {wanted} is not to move in this position")
    return wanted
