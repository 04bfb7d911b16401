"""Bots for `referee`: subclass `Bot`, implement `choose(turn)`, call `run()`.

    import random
    from referee_bot import Bot

    class MyBot(Bot):
        name = "mybot"

        def choose(self, turn):
            return random.choice(turn.legal)

    if __name__ == "__main__":
        MyBot().run()
"""

from .bot import RESIGN, Bot, Match, Move, Played, Resign, Turn
from .model import Model, ModelError, Playout, Position

__all__ = [
    "RESIGN",
    "Bot",
    "Match",
    "Model",
    "ModelError",
    "Move",
    "Played",
    "Playout",
    "Position",
    "Resign",
    "Turn",
]
