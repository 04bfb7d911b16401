"""Environments of PettingZoo."""

from __future__ import annotations

import functools
from typing import Any

from ._native import Game, State
from ._spaces import Spaces, need

_AEC: Any = need("pettingzoo").AECEnv
_Parallel: Any = need("pettingzoo").ParallelEnv
_seeding = need("gymnasium.utils.seeding")

#: A seed of a game is below this.
_SEEDS = 2**63


class _Shared:
    """What both kinds of environments have."""

    state: State

    def __init__(self, game: Game, max_plies: int | None, observation_bytes: int) -> None:
        self.spaces = Spaces(game, max_plies, observation_bytes)
        self.game = game
        self.metadata = {"name": game.name, "render_modes": ["ansi", "svg"], "is_parallelizable": False}
        self.render_mode: str | None = "ansi"
        self.possible_agents = list(self.spaces.agents)
        self.agents: list[str] = []
        self._random: Any = None
        #: The seat whose action was not legal.
        self._at_fault: int | None = None

    @functools.lru_cache(maxsize=None)  # noqa: B019: one space each, as long as the environment lives
    def observation_space(self, agent: str) -> Any:
        return self.spaces.observation_space()

    @functools.lru_cache(maxsize=None)  # noqa: B019
    def action_space(self, agent: str) -> Any:
        return self.spaces.action_space()

    def render(self) -> str | None:
        """The board as text, or as SVG if `render_mode` is `svg`."""
        return self.state._repr_svg_() if self.render_mode == "svg" else str(self.state)

    def close(self) -> None:
        """There is nothing to close."""

    def _end(self, worth: list[float], over: bool) -> tuple[dict[str, float], dict[str, bool],
                                                          dict[str, bool]]:
        """Rewards, terminations and truncations of a game that has ended."""
        rewards = {agent: worth[self._seat(agent)] for agent in self.agents}
        return rewards, dict.fromkeys(self.agents, over), dict.fromkeys(self.agents, not over)

    def _begin(self, seed: int | None) -> None:
        if seed is not None or self._random is None:
            self._random, _ = _seeding.np_random(seed)
        self.state = self.game.start(seed=int(self._random.integers(_SEEDS)))
        self.agents = list(self.possible_agents)
        self._at_fault = None

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(agent)

    def _info(self, agent: str) -> dict[str, Any]:
        seat = self._seat(agent)
        return {"action_mask": self.spaces.mask(self.state, seat), "illegal": self._at_fault == seat}


class TurnEnv(_Shared, _AEC):  # type: ignore[misc]
    """Agents act in turn. Where several seats act at once, the step is made when all have chosen."""

    def __init__(self, game: Game, max_plies: int | None, observation_bytes: int) -> None:
        _AEC.__init__(self)
        _Shared.__init__(self, game, max_plies, observation_bytes)
        self._chosen: dict[int, int] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._begin(seed)
        self._chosen = {}
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._info(agent) for agent in self.agents}
        self._select()

    def observe(self, agent: str) -> dict[str, Any]:
        return self.spaces.observe(self.state, self._seat(agent))

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat, acting = self._seat(agent), self.state.to_move
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._choose(seat, int(action), len(acting))  # type: ignore[arg-type]
        self.infos = {agent: self._info(agent) for agent in self.agents}
        self._select()
        self._accumulate_rewards()

    def _choose(self, seat: int, action: int, acting: int) -> None:
        if not self.spaces.is_legal(self.state, seat, action):
            self._at_fault = seat
            self._set_end(self.spaces.fault(seat), True)
            return
        self._chosen[seat] = action
        if len(self._chosen) < acting:
            return
        chosen, self._chosen = self._chosen, {}
        self.state.play(action if acting == 1 else chosen)
        over = self.state.is_over
        if over or self.spaces.is_cut(self.state):
            self._set_end(self.spaces.rewards(self.state), over)

    def _set_end(self, worth: list[float], over: bool) -> None:
        self.rewards, self.terminations, self.truncations = self._end(worth, over)

    def _select(self) -> None:
        waiting = [seat for seat in self.state.to_move if seat not in self._chosen]
        self.agent_selection = self.possible_agents[waiting[0]] if waiting else self.agents[0]


class TogetherEnv(_Shared, _Parallel):  # type: ignore[misc]
    """Every agent gives an action at each step; those of seats that do not act are ignored."""

    def __init__(self, game: Game, max_plies: int | None, observation_bytes: int) -> None:
        _Shared.__init__(self, game, max_plies, observation_bytes)

    def reset(self, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        self._begin(seed)
        return self._observations(), self._infos()

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], dict[str, float],
                                                     dict[str, bool], dict[str, bool], dict[str, Any]]:
        acting = self.state.to_move
        missing = [self.possible_agents[seat] for seat in acting
                   if self.possible_agents[seat] not in actions]
        if missing:
            raise ValueError(f"there is no action of {', '.join(missing)}")
        chosen = {seat: int(actions[self.possible_agents[seat]]) for seat in acting}
        wrong = [seat for seat in acting if not self.spaces.is_legal(self.state, seat, chosen[seat])]
        if wrong:
            self._at_fault = wrong[0]
            ended = self._end(self.spaces.fault(wrong[0]), True)
        else:
            self.state.play(chosen[acting[0]] if len(acting) == 1 else chosen)
            over = self.state.is_over
            if over or self.spaces.is_cut(self.state):
                ended = self._end(self.spaces.rewards(self.state), over)
            else:
                nothing = dict.fromkeys(self.agents, False)
                ended = dict.fromkeys(self.agents, 0.0), nothing, dict(nothing)
        results = (self._observations(), *ended, self._infos())
        if any(ended[1].values()) or any(ended[2].values()):
            self.agents = []
        return results

    def _observations(self) -> dict[str, Any]:
        return {agent: self.spaces.observe(self.state, self._seat(agent)) for agent in self.agents}

    def _infos(self) -> dict[str, Any]:
        return {agent: self._info(agent) for agent in self.agents}
