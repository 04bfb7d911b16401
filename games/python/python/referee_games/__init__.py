"""The games of `referee` at native speed, for programs that search and learn.

    import referee_games as rg

    game = rg.Game("amazons", size=6)
    state = game.start(seed=1)
    while not state.is_over:
        state.play(state.legal()[0])
    print(state, state.outcome)

A `Game` is the rules under fixed options, a `State` a game in progress. Moves are texts or numbers of
actions; an observation is an array. `VecGame` plays many games at once, `env`, `parallel_env` and `gym`
are environments of PettingZoo and Gymnasium, and `match`, `tournament` and `standings` use the program.
"""

from __future__ import annotations

from typing import Any

from ._native import Game, State, VecGame, __version__, games
from ._program import match, standings, tournament

__all__ = [
    "Game",
    "State",
    "VecGame",
    "__version__",
    "env",
    "games",
    "gym",
    "match",
    "parallel_env",
    "standings",
    "tournament",
]


def env(game: str | Game, *, rules: str | None = None, max_plies: int | None = None,
        observation_bytes: int = 16384, **options: Any) -> Any:
    """An environment of PettingZoo in which agents act in turn (AEC). An observation is a dict of
    `observation` and `action_mask`; the mask is in `infos` as well. The reward at the end is
    2·outcome − 1: 1 for a win, −1 for a loss. Games end at `max_plies`, by default the game's own limit.
    An action that is not legal loses the game: the reward is −1, and `illegal` in the agent's `infos` is
    True; a single other agent wins.

    Where several seats act at once, each chooses without seeing what the others have chosen. Games
    whose positions have no planes are observed as JSON of at most `observation_bytes` bytes.

    Needs `pip install referee-games[rl]`."""
    from ._pettingzoo import TurnEnv

    return TurnEnv(_game(game, rules, options), max_plies, observation_bytes)


def parallel_env(game: str | Game, *, rules: str | None = None, max_plies: int | None = None,
                 observation_bytes: int = 16384, **options: Any) -> Any:
    """The same as `env` in the parallel API of PettingZoo, which fits games in which several seats act
    at once: each step takes an action of every agent. The mask of an agent that does not act is empty,
    and its action is ignored."""
    from ._pettingzoo import TogetherEnv

    return TogetherEnv(_game(game, rules, options), max_plies, observation_bytes)


def gym(game: str | Game, *, opponent: Any = "random", seat: int | None = 0,
        per_move: str = "1s", rules: str | None = None, max_plies: int | None = None,
        observation_bytes: int = 16384, **options: Any) -> Any:
    """An environment of Gymnasium: one seat, against opponents on all others. An opponent is `random`,
    a function from a `State` to an action, or a bot's command line, in which the name of a reference
    bot is enough: `"mcts --playouts 100"`; bots need the program. With `seat` None, the seat changes
    from episode to episode. Observations and rewards are those of `env`.

    Needs `pip install referee-games[rl]`."""
    from ._gymnasium import GymEnv

    return GymEnv(_game(game, rules, options), opponent, seat, per_move, max_plies, observation_bytes)


def _game(game: str | Game, rules: str | None, options: dict[str, Any]) -> Game:
    if isinstance(game, Game):
        if options or rules is not None:
            raise ValueError("options belong to the `Game`: give them to its constructor")
        return game
    return Game(game, rules=rules, **options)
