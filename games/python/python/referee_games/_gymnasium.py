"""An environment of Gymnasium: one seat, against opponents."""

from __future__ import annotations

from typing import Any, Callable

from ._bot import Bot
from ._native import Game, State
from ._spaces import Spaces, need

_Env: Any = need("gymnasium").Env

#: A seed of a game is below this.
_SEEDS = 2**63


class GymEnv(_Env):  # type: ignore[misc]
    """One seat plays; the environment moves for the others."""

    metadata = {"render_modes": ["ansi", "svg"], "render_fps": 1}
    state: State

    def __init__(self, game: Game, opponent: str | Callable[[State], int], seat: int | None,
                 per_move: str, max_plies: int | None, observation_bytes: int) -> None:
        if seat is not None and not 0 <= seat < game.seats:
            raise ValueError(f"there is no seat {seat}: they go from 0 to {game.seats - 1}")
        if not callable(opponent) and not isinstance(opponent, str):
            raise TypeError("`opponent` is `random`, a function of a state, or a bot's command line")
        self.spaces = Spaces(game, max_plies, observation_bytes)
        self.game, self.opponent, self.per_move = game, opponent, per_move
        self.fixed_seat = seat
        self.seat = 0 if seat is None else seat
        self.episode = 0
        #: Whether the last action was not legal, which ends the game.
        self.at_fault = False
        self.bots: dict[int, Bot] = {}
        self.observation_space = self.spaces.observation_space()
        self.action_space = self.spaces.action_space()
        self.render_mode: str | None = "ansi"

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self.episode = 0
        while True:
            if self.fixed_seat is None:
                self.seat = self.episode % self.game.seats
            self.episode += 1
            game_seed = int(self.np_random.integers(_SEEDS))
            self.state = self.game.start(seed=game_seed)
            self.at_fault = False
            self._start_bots(game_seed)
            self._wait()
            # Where opponents can end the game before the first turn, the next one counts.
            if not self._is_done():
                return self._observed(), self._info()

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        if self._is_done():
            raise ValueError("the game is over: `reset` begins the next one")
        acting, action = self.state.to_move, int(action)
        if not self.spaces.is_legal(self.state, self.seat, action):
            self.at_fault = True
            return self._observed(), self.spaces.fault(self.seat)[self.seat], True, False, self._info()
        if len(acting) == 1:
            self._play(self.seat, action)
        else:
            self._play_together({self.seat: action})
        self._wait()
        over, cut = self.state.is_over, self.spaces.is_cut(self.state)
        reward = self.spaces.rewards(self.state)[self.seat] if over or cut else 0.0
        return self._observed(), reward, over, cut, self._info()

    def render(self) -> str | None:
        """The board as text, or as SVG if `render_mode` is `svg`."""
        return self.state._repr_svg_() if self.render_mode == "svg" else str(self.state)

    def close(self) -> None:
        """Ends the processes of bots."""
        for bot in self.bots.values():
            bot.close()
        self.bots = {}

    def _is_done(self) -> bool:
        return self.at_fault or self.state.is_over or self.spaces.is_cut(self.state)

    def _observed(self) -> dict[str, Any]:
        return self.spaces.observe(self.state, self.seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.spaces.mask(self.state, self.seat), "seat": self.seat,
                "illegal": self.at_fault}

    def _start_bots(self, seed: int) -> None:
        if not isinstance(self.opponent, str) or self.opponent == "random":
            return
        for seat in range(self.game.seats):
            if seat == self.seat:
                continue
            if seat not in self.bots:
                self.bots[seat] = Bot(self.opponent, self.per_move, self.game)
            self.bots[seat].start(self.game, self.state, seat, seed)

    def _wait(self) -> None:
        """Lets the opponents move until it is this seat's turn."""
        while not self._is_done() and self.seat not in self.state.to_move:
            acting = self.state.to_move
            if len(acting) == 1:
                self._answer(acting[0])
            else:
                self._play_together({})

    def _answer(self, seat: int) -> None:
        if seat in self.bots:
            text = self.bots[seat].move(self.state)
            self.state.play(text)
            self._tell(seat, text)
        else:
            self._play(seat, self._choice(seat))

    def _choice(self, seat: int) -> int:
        if callable(self.opponent):
            return int(self.opponent(self.state))
        actions = self.state.actions(seat)
        return int(actions[self.np_random.integers(len(actions))])

    def _play(self, seat: int, action: int) -> None:
        begun = [*self.state.begun, action]
        self.state.play(action)
        if self.bots and not self.state.begun:
            # Bots hear of whole moves, which may be several actions.
            texts = [self.game.text(part) for part in begun]
            steps = [text for text in texts if text != "stop"]
            whole = steps[0] + "".join("x" + step.split("x")[-1] for step in steps[1:])
            self._tell(seat, whole)

    def _play_together(self, chosen: dict[int, int]) -> None:
        moves: dict[int, str | int] = dict(chosen)
        for seat in self.state.to_move:
            if seat not in moves:
                moves[seat] = self.bots[seat].move(self.state) if seat in self.bots else self._choice(seat)
        texts = {seat: move if isinstance(move, str) else self.game.text(move)
                 for seat, move in moves.items()}
        self.state.play(texts)
        for seat in sorted(texts):
            self._tell(seat, texts[seat])

    def _tell(self, seat: int, text: str) -> None:
        for bot in self.bots.values():
            bot.tell(seat, text)
