"""What the environments have in common: spaces, observations, and the end of a game."""

from __future__ import annotations

from typing import Any

from ._native import Game, State


def need(package: str) -> Any:
    """Imports an optional package, or says what to install."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        message = f"this needs {package}, which cannot be imported ({error}): `pip install referee-games[rl]`"
        raise ImportError(message) from error


class Spaces:
    """Spaces and observations of a game."""

    def __init__(self, game: Game, max_plies: int | None, observation_bytes: int) -> None:
        if game.num_actions is None:
            raise ValueError(f"the moves of `{game.name}` have no numbers: `num_actions` is None")
        self.game = game
        self.actions: int = game.num_actions
        self.max_plies = game.max_plies if max_plies is None else max_plies
        self.planes = game.observation_shape
        self.bytes = observation_bytes
        #: The same role may be there twice.
        self.agents = [role if game.roles.count(role) == 1 else f"{role}_{seat}"
                       for seat, role in enumerate(game.roles)]

    def observation_space(self) -> Any:
        """A dict of what a seat sees, and of its mask."""
        spaces, np = need("gymnasium").spaces, need("numpy")
        if self.planes is None:
            seen = spaces.Box(0, 255, (self.bytes,), np.uint8)
        else:
            seen = spaces.Box(0.0, 100.0, self.planes, np.float32)
        mask = spaces.Box(0, 1, (self.actions,), np.int8)
        return spaces.Dict({"observation": seen, "action_mask": mask})

    def action_space(self) -> Any:
        """All actions."""
        return need("gymnasium").spaces.Discrete(self.actions)

    def mask(self, state: State, seat: int) -> Any:
        """Which actions a seat has: none if it does not act."""
        np = need("numpy")
        if seat not in state.to_move:
            return np.zeros(self.actions, np.int8)
        return state.mask(seat).astype(np.int8)

    def observe(self, state: State, seat: int) -> dict[str, Any]:
        """What a seat sees, and its mask."""
        if self.planes is not None:
            seen = state.observation(seat)
        else:
            seen = self.as_bytes(state.observation_json(seat))
        return {"observation": seen, "action_mask": self.mask(state, seat)}

    def as_bytes(self, json: str) -> Any:
        """JSON as bytes, filled up with zeros."""
        np = need("numpy")
        data = json.encode()
        if len(data) > self.bytes:
            raise ValueError(f"an observation has {len(data)} bytes: give `observation_bytes` more "
                             f"than {self.bytes}")
        seen = np.zeros(self.bytes, np.uint8)
        seen[:len(data)] = np.frombuffer(data, np.uint8)
        return seen

    def is_cut(self, state: State) -> bool:
        """Whether the limit of plies ends the game here."""
        at_limit = self.max_plies is not None and state.ply >= self.max_plies
        return at_limit and not state.is_over and not state.begun

    def is_legal(self, state: State, seat: int, action: int) -> bool:
        """Whether a seat that acts may play this."""
        return 0 <= action < self.actions and bool(state.mask(seat)[action])

    def fault(self, seat: int) -> list[float]:
        """The rewards when a seat plays what is not legal: it loses, and a single other seat wins."""
        others = 1.0 if self.game.seats == 2 else 0.0
        return [-1.0 if at == seat else others for at in range(self.game.seats)]

    def rewards(self, state: State) -> list[float]:
        """2·outcome − 1 of each seat at the end."""
        outcome = state.outcome_now if state.outcome is None else state.outcome
        return [2 * share - 1 for share in outcome]
