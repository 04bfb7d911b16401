"""Bots for `referee`: subclass `Bot`, implement `choose(turn)`, call `run()`.

    import random
    from referee_bot import Bot

    class MyBot(Bot):
        name = "mybot"

        def choose(self, turn):
            return random.choice(turn.legal)

    if __name__ == "__main__":
        MyBot().run()

`AsyncBot` is the same with coroutines. `referee_bot.testing` has a harness for tests.
"""

from .async_model import AsyncModel
from .bot import AsyncBot, Bot
from .messages import RESIGN, Choice, Match, Move, NoMove, Played, Resign, Turn
from .model import Model
from .requests import Child, ModelError, Playout, Position
from .version import __version__

__all__ = [
    "RESIGN",
    "AsyncBot",
    "AsyncModel",
    "Bot",
    "Child",
    "Choice",
    "Match",
    "Model",
    "ModelError",
    "Move",
    "NoMove",
    "Played",
    "Playout",
    "Position",
    "Resign",
    "Turn",
    "__version__",
]
