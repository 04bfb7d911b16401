"""Games for `referee`: subclass `Game`, describe the rules, call `run`.

    from referee_rules import Game, Int, Result, run

    class Nim(Game):
        id = "nim"
        title = "Nim"
        summary = "Take one to three of the heap. Whoever takes the last one wins."
        roles = ["first", "second"]
        heap = Int(default=21, min=1, max=100, help="How many there are at the start.")

        def start(self, rng):
            return {"left": self.heap, "turn": 0}

        def to_move(self, state):
            return state["turn"]

        def legal(self, state, seat):
            return [f"take{n}" for n in range(1, min(3, state["left"]) + 1)]

        def apply(self, state, step):
            return {"left": state["left"] - int(step[4:]), "turn": 1 - state["turn"]}

        def result(self, state):
            if state["left"] > 0:
                return None
            scores = [0, 0]
            scores[1 - state["turn"]] = 1
            return Result(scores, "heap_empty")

    if __name__ == "__main__":
        run(Nim)

`referee_rules.testing` plays random games and checks what a rules program promises.
"""

from .game import (
    CHANCE,
    Actor,
    BadOption,
    BadState,
    Bool,
    Choice,
    Game,
    Int,
    Option,
    Result,
    Step,
    Text,
    require,
)
from .position import Position, perft
from .program import Program, Refused, run

__version__ = "0.2.0"

__all__ = [
    "CHANCE",
    "Actor",
    "BadOption",
    "BadState",
    "Bool",
    "Choice",
    "Game",
    "Int",
    "Option",
    "Position",
    "Program",
    "Refused",
    "Result",
    "Step",
    "Text",
    "__version__",
    "perft",
    "require",
    "run",
]
