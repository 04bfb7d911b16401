"""The native part."""

from typing import Any, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

__version__: str

#: A move: its text, the number of an action, or both by seat where several act at once.
_Move = Union[str, int, "np.integer[Any]", Mapping[int, str], Mapping[int, int],
              Mapping[int, Union[str, int]]]

def games() -> list[str]:
    """The ids of the games that are built in."""

class Game:
    """The rules of a game under fixed options."""

    def __new__(cls, name: str, rules: Optional[str] = None, **options: Any) -> "Game":
        """The game with an id of `games()`, that of a sheet (a path that ends in `.kif`), or one of the
        rules program that the command line `rules` starts. Options are keywords.

        Raises ValueError if there is no such game or an option is wrong, RuntimeError if rules from
        outside do not work."""

    @property
    def name(self) -> str:
        """The id."""
    @property
    def title(self) -> str:
        """The name for people."""
    @property
    def source(self) -> Optional[str]:
        """The sheet or the command line of the rules program; None for games that are built in."""
    @property
    def seats(self) -> int:
        """The number of seats, which are counted from 0."""
    @property
    def roles(self) -> list[str]:
        """The names of the seats."""
    @property
    def options(self) -> dict[str, Any]:
        """The options, with the defaults filled in."""
    @property
    def rules(self) -> str:
        """The rules for people, as Markdown."""
    @property
    def hidden(self) -> bool:
        """Whether seats know different things."""
    @property
    def chance(self) -> bool:
        """Whether chance takes part."""
    @property
    def max_plies(self) -> Optional[int]:
        """The ply at which matches end by default."""
    @property
    def num_actions(self) -> Optional[int]:
        """The number of actions, whose numbers begin with 0; None if moves have no numbers."""
    @property
    def observation_shape(self) -> Optional[tuple[int, ...]]:
        """The shape of `State.observation`: planes, rows and columns, or the number of numbers; None if
        positions have no planes."""
    @property
    def planes(self) -> Optional[list[str]]:
        """What each plane says, or each number."""
    def action(self, text: str) -> int:
        """The number of the action with this text. Raises ValueError for a text that is no move, or a
        move of several actions."""
    def parts(self, text: str) -> list[int]:
        """The numbers of the actions that a move consists of, nearly always a single one."""
    def text(self, action: int) -> str:
        """The text of an action."""
    def start(self, seed: int = 0) -> "State":
        """A new game. The seed decides a random start and all that chance brings."""
    def state(self, json: Union[str, dict[str, Any]], seed: int = 0) -> "State":
        """A game that goes on from a state, as `State.json` or a log has it. Raises ValueError if the
        state breaks the rules."""
    def playouts(self, state: "State", n: int, seed: int = 0, threads: int = 1,
                 max_plies: Optional[int] = None) -> tuple[list[float], float]:
        """Plays `n` random games from a state: the mean outcome of each seat, and the mean number of
        plies. The number of threads does not change the result."""

class State:
    """A game in progress. What has to be drawn is drawn at once, by the seed, so that chance is never
    to move. `copy.copy` and `pickle` work; a state that was pickled has nothing to take back."""

    @property
    def game(self) -> Game:
        """The rules."""
    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats that act; empty when the game is over."""
    @property
    def ply(self) -> int:
        """The number of moves of seats and outcomes of chance since the start."""
    @property
    def seed(self) -> int:
        """The seed of what chance brings."""
    @property
    def is_over(self) -> bool:
        """Whether the game is over by the rules."""
    @property
    def outcome(self) -> Optional[list[float]]:
        """What each seat has got, from 0 to 1; None before the end."""
    @property
    def outcome_now(self) -> list[float]:
        """The same if play stopped here."""
    @property
    def reason(self) -> Optional[str]:
        """Why the game ended; None before."""
    @property
    def scores(self) -> list[int]:
        """The points of each seat so far."""
    @property
    def key(self) -> str:
        """A text that is the same for two positions exactly if all further play is the same."""
    @property
    def begun(self) -> list[int]:
        """The actions of a move that is not complete."""
    def legal(self, seat: Optional[int] = None) -> list[str]:
        """The legal moves of a seat, by default of the one that acts alone."""
    def actions(self, seat: Optional[int] = None) -> "npt.NDArray[np.int64]":
        """The numbers of the legal actions."""
    def mask(self, seat: Optional[int] = None) -> "npt.NDArray[np.bool_]":
        """True for each legal action."""
    def random_action(self) -> int:
        """A legal action of the seat that acts alone, all equally likely, by a generator of the state's own
        that its seed decides. Faster than a choice of `actions()` where there are many."""
    def observation(self, seat: int) -> "npt.NDArray[np.float32]":
        """What a seat sees, as an array of `Game.observation_shape`."""
    def observation_json(self, seat: int) -> str:
        """All that a seat knows, as JSON."""
    def play(self, move: _Move) -> None:
        """Plays a move or an action; where several seats act at once, a dict of all theirs. Raises
        ValueError if it is not legal; nothing has changed then."""
    def undo(self) -> None:
        """Takes the last move or action back, with all that was drawn after it."""
    def copy(self, seed: Optional[int] = None) -> "State":
        """A copy that goes on independently; with a seed, chance draws by that one from here."""
    def json(self) -> str:
        """The state as JSON, before a move that is not complete."""
    def _repr_svg_(self) -> Optional[str]: ...

class VecGame:
    """Many games of the same rules, played side by side. The arrays are the same ones at each step and
    are written in place: copy what you keep."""

    def __new__(cls, game: Union[str, Game], n: int, seed: int = 0, threads: int = 1,
                max_plies: Optional[int] = None, rules: Optional[str] = None,
                **options: Any) -> "VecGame":
        """`n` games. Games end at `max_plies`, by default the game's own limit. The number of threads
        does not change what happens."""

    @property
    def game(self) -> Game:
        """The rules."""
    @property
    def n(self) -> int:
        """The number of games."""
    @property
    def truncated(self) -> "npt.NDArray[np.bool_]":
        """Where the last step ended a game by the limit of plies."""
    def reset(self, seed: Optional[int] = None) -> tuple[
            "npt.NDArray[np.float32]", "npt.NDArray[np.bool_]", "npt.NDArray[np.int64]"]:
        """Begins all games anew. Returns what the seats to move see (n, …), their masks
        (n, num_actions), and the seats (n)."""
    def step(self, actions: Any) -> tuple[
            "npt.NDArray[np.float32]", "npt.NDArray[np.bool_]", "npt.NDArray[np.int64]",
            "npt.NDArray[np.float32]", "npt.NDArray[np.bool_]"]:
        """Plays an action in each game. Returns observations, masks and seats as `reset`, then the
        rewards of all seats (n, seats), 2·outcome − 1 where a game ended and 0 elsewhere, and where a
        game ended (n): there the observation is of the next game already. Raises ValueError if an
        action is not legal; no game has gone on then."""
    def state(self, index: int) -> State:
        """A copy of one of the games."""
