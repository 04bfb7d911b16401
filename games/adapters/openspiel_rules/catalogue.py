"""Which games there are: what OpenSpiel says about each without loading it, as `hello` wants it.

The numbers here (which returns are whole, which option says how many play) are what OpenSpiel does
not tell before a game is loaded. A game that is not in any of these lists is served all the same:
then its returns count as fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Union

import pyspiel

#: The value of a parameter; OpenSpiel has no other types that an option could have.
Value = Union[bool, int, float, str]

#: What every id begins with.
PREFIX = "openspiel-"
#: The largest and the smallest number that OpenSpiel takes for a parameter.
INT_MIN, INT_MAX = -(2**31), 2**31 - 1
#: The parameters that say how many play.
PLAYERS = ("players", "numPlayers", "num_players")
#: Scores are returns times this, where returns are fractions.
FRACTION_SCALE = 1000

#: No game of OpenSpiel is as long as this with its own options: they all end by themselves.
MOST_PLIES = 100_000

#: Games that hide something with certain parameters only are two games here, since `hidden` is said
#: of a game and not of its options: short name, suffix of the id, the parameters, suffix of the title.
HIDDEN_VARIANTS: tuple[tuple[str, str, Mapping[str, Value], str], ...] = (
    ("goofspiel", "-hidden", {"imp_info": True}, " with hidden bids"),
    ("laser_tag", "-hidden", {"fully_obs": False}, " with a limited view"),
)

#: Games whose returns are whole numbers with all parameters.
WHOLE = frozenset(
    """2048 amazons antichess backgammon banqi blackjack breakthrough bridge capture_the_flag catch
    checkers chess chinese_checkers cliff_walking clobber coin_game colored_trails connect_four
    coordinated_mp crazy_eights crazyhouse cursor_go dark_chess dark_hex dark_hex_ir dots_and_boxes
    dou_dizhu einstein_wurfelt_nicht euchre first_sealed_auction gin_rummy go gomoku hanabi havannah
    hearts hex hive kriegspiel kuhn_poker laser_tag latent_ttt liars_dice liars_dice_ir
    lines_of_action maedn mancala markov_soccer matching_pennies_3p matrix_bos matrix_brps matrix_cd
    matrix_coordination matrix_mp matrix_pd matrix_rps matrix_rpsw matrix_sh matrix_shapleys_game mnk
    morpion_solitaire nim nine_mens_morris oh_hell oshi_zumo othello oware pentago phantom_go
    phantom_ttt phantom_ttt_ir rbc shogi snake social_deduction solitaire spades tic_tac_toe
    tiny_bridge_4p trade_comm twixt ultimate_tic_tac_toe xiangqi y""".split()
)
#: Games in which the picture of a state and who acts decide all that can follow: nothing of the way there
#: matters, as repetitions, castling or counts of moves would.
BOARDS_WITHOUT_MEMORY = frozenset(
    "breakthrough clobber connect_four gomoku hex mnk nim tic_tac_toe".split()
)
#: Games whose returns are whole numbers if two play: three may share what is won.
WHOLE_FOR_TWO = frozenset(
    """blotto go_fish goofspiel leduc_poker pig quoridor repeated_leduc_poker universal_poker
    yacht""".split()
)
#: Games whose returns are whole numbers unless one of these parameters is changed.
WHOLE_UNLESS: Mapping[str, tuple[str, ...]] = {
    "bargaining": ("discount",),
    "battleship": ("loss_multiplier", "ship_values"),
    "cribbage": ("winner_bonus_reward",),
    "lewis_signaling": ("payoffs",),
    "sheriff": ("item_penalty", "item_value", "sheriff_penalty"),
    "tiny_hanabi": ("payoff",),
}


@dataclass(frozen=True)
class Entry:
    """A game of `hello`, or one that does not fit."""

    #: Ours, such as `openspiel-tic-tac-toe`.
    id: str
    #: What OpenSpiel says about it.
    type: Any
    #: Whether seats don't see everything.
    hidden: bool
    #: Parameters that are no options, because they are what makes this game another one.
    fixed: Mapping[str, Value] = field(default_factory=dict)
    #: What is added to OpenSpiel's name of the game.
    title_suffix: str = ""

    @property
    def short_name(self) -> str:
        """OpenSpiel's own id."""
        return str(self.type.short_name)

    @property
    def title(self) -> str:
        """What people call it."""
        return str(self.type.long_name) + self.title_suffix

    @property
    def simultaneous(self) -> bool:
        """Whether several seats act at once."""
        return bool(self.type.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS)

    @property
    def chance(self) -> bool:
        """Whether there are chance events."""
        return bool(self.type.chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC)

    @property
    def cooperative(self) -> bool:
        """Whether all seats always get the same."""
        return bool(self.type.utility == pyspiel.GameType.Utility.IDENTICAL)

    @property
    def seats(self) -> tuple[int, int]:
        """How few and how many can play, as far as an option says it."""
        if self.players_option is None and self.type.min_num_players != self.type.max_num_players:
            return (2, 2)
        return (self.type.min_num_players, self.type.max_num_players)

    @property
    def players_option(self) -> str | None:
        """The option that says how many play."""
        if self.type.min_num_players == self.type.max_num_players:
            return None
        names = (name for name in PLAYERS if name in self.type.parameter_specification)
        return next(names, None)

    def misfit(self) -> str | None:
        """Why this game can't be played here; `None` if it can."""
        kind = self.type
        if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
            return "a mean-field game: it has a population, not seats"
        if not kind.default_loadable:
            return "needs another game or a file as a parameter"
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            return "draws chance inside (sampled stochastic), so no match could be replayed"
        if kind.action_structs_only:
            return "its actions are structures without numbers and texts"
        return None

    def parameters(self) -> dict[str, Value]:
        """OpenSpiel's parameters that are options, with their defaults."""
        specification = self.type.parameter_specification
        return {name: value for name, value in specification.items() if name not in self.fixed}

    def options(self) -> dict[str, Any]:
        """The options as `hello` has them."""
        return {name: self._option(name, value) for name, value in self.parameters().items()}

    def _option(self, name: str, default: Value) -> dict[str, Any]:
        text = f"OpenSpiel's parameter `{name}`"
        if isinstance(default, bool):
            return {"type": "bool", "default": default, "help": f"{text}."}
        if isinstance(default, int):
            low, high = INT_MIN, INT_MAX
            if name == self.players_option:
                # Some games have 0 for a default of their own.
                low, high = min(default, self.seats[0]), self.seats[1]
            bounds = {"min": low, "max": high, "default": default}
            return {"type": "int", **bounds, "help": f"{text}."}
        if isinstance(default, float):
            return {"type": "text", "default": repr(default), "help": f"{text}, a number."}
        return {"type": "text", "default": default, "help": f"{text}."}

    def whole(self, players: int, parameters: Mapping[str, Value]) -> bool:
        """Whether all returns are whole numbers with these parameters."""
        name = self.short_name
        if name in WHOLE:
            return True
        if name in WHOLE_FOR_TWO:
            return players == 2 and parameters.get("returns_type") in (None, "win_loss")
        return name in WHOLE_UNLESS and not any(p in parameters for p in WHOLE_UNLESS[name])

    def summary(self) -> str:
        """One or two sentences for lists."""
        kinds = ["seats act at once" if self.simultaneous else "turn by turn"]
        kinds += ["chance"] if self.chance else []
        kinds += ["hidden information"] if self.hidden else []
        kinds += ["cooperative: all seats get the same"] if self.cooperative else []
        name = self.short_name
        if name in WHOLE:
            scores = "Scores are OpenSpiel's returns."
        elif name in WHOLE_FOR_TWO:
            scores = "Scores are OpenSpiel's returns, times 1000 unless two play for win or loss."
        elif name in WHOLE_UNLESS:
            options = ", ".join(WHOLE_UNLESS[name])
            scores = f"Scores are OpenSpiel's returns, times 1000 if {options} is set."
        else:
            scores = "Scores are OpenSpiel's returns times 1000."
        return f"OpenSpiel's {name}: {', '.join(kinds)}. {scores}"

    def hello(self) -> dict[str, Any]:
        """The game's entry in the answer to `hello`."""
        low, high = self.seats
        entry: dict[str, Any] = {"id": self.id, "title": self.title, "summary": self.summary()}
        if low != high:
            entry["seats"] = [low, high]
        if self.chance:
            entry["chance"] = True
        return {
            **entry,
            "roles": roles(high),
            "symmetric": False,
            "hidden": self.hidden,
            "options": self.options(),
            "notation": [],
            "limits": {"max_plies": MOST_PLIES, "repetition": None},
        }


def roles(seats: int) -> list[str]:
    """What seats are called."""
    return [f"player-{seat}" for seat in range(seats)]


def entries() -> list[Entry]:
    """All games that OpenSpiel has registered, also those that don't fit, by id."""
    found: list[Entry] = []
    for kind in pyspiel.registered_games():
        name = kind.short_name
        hidden = kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
        variants = [variant for variant in HIDDEN_VARIANTS if variant[0] == name]
        # The open game has the parameters of its hidden variant as they are by default.
        names = [parameter for variant in variants for parameter in variant[2]]
        fixed = {parameter: kind.parameter_specification[parameter] for parameter in names}
        found.append(Entry(game_id(name), kind, hidden, fixed))
        for _, suffix, changed, title in variants:
            found.append(Entry(game_id(name) + suffix, kind, True, changed, title))
    return sorted(found, key=lambda entry: entry.id)


def id_of(name: str) -> str:
    """The id that somebody means by an id, or by a name of OpenSpiel."""
    return name if name.startswith(PREFIX) else game_id(name)


def game_id(short_name: str) -> str:
    """Our id of a game of OpenSpiel."""
    letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in short_name.lower())
    return PREFIX + letters.strip("-")
