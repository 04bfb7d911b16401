"""The suites of PettingZoo and Gymnasium, for all games, for sheets and for a rules program."""

import sys
import warnings
from pathlib import Path

import numpy as np
import referee_games as rg
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, seed_test

GAMES = Path(__file__).resolve().parents[2]
CASES = [(name, {}) for name in rg.games()]
CASES += [("amazons", {"size": 5}), ("penguins", {"players": 4}), ("paper-penguins", {"size": 4})]
CASES += [(str(GAMES / f"sheets/{name}.kif"), {}) for name in
          ["tic-tac-toe", "rock-paper-scissors", "pig", "kuhn-poker", "nim", "chinese-checkers-3"]]
CASES += [("connect-four", {"rules": f"{sys.executable} {GAMES / 'examples/connect_four.py'}"})]


def plays_on(name, options):
    """A whole game in each environment, with actions of the masks: rewards are those of the outcome."""
    env = rg.env(name, **options)
    env.reset(seed=1)
    draw, total = np.random.default_rng(1), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter(max_iter=3000):
        seen, reward, over, cut, info = env.last()
        total[agent] += reward
        mask = seen["action_mask"]
        assert env.observation_space(agent).contains(seen), name
        env.step(None if over or cut else int(draw.choice(np.flatnonzero(mask))))
    assert not env.agents, f"{name} did not end"
    outcome = env.state.outcome_now
    assert list(total.values()) == [2 * share - 1 for share in outcome], (name, total, outcome)
    if "rules" in options or rg.Game(name, **options).seats < 2:
        return
    gym = rg.gym(name, seat=None, **options)
    for seed in range(2):
        seen, info = gym.reset(seed=seed)
        done = False
        while not done:
            action = int(draw.choice(np.flatnonzero(seen["action_mask"])))
            seen, reward, over, cut, info = gym.step(action)
            done = over or cut
            assert not info["illegal"]
        assert reward == 2 * gym.state.outcome_now[info["seat"]] - 1


def main():
    # They warn of spaces that are not images, and of environments that are not registered.
    warnings.simplefilter("ignore")
    for name, options in CASES:
        is_large = (rg.Game(name, **options).num_actions or 0) > 10_000
        cycles = 20 if is_large else 100
        api_test(rg.env(name, **options), num_cycles=cycles, verbose_progress=False)
        seed_test(lambda: rg.env(name, **options), num_cycles=20)
        parallel_api_test(rg.parallel_env(name, **options), num_cycles=cycles)
        check_env(rg.gym(name, **options), skip_render_check=True)
        plays_on(name, options)
        print(f"ok: {Path(name).name} {options or ''}")
    # An opponent that is a bot.
    gym = rg.gym("siam", opponent="mcts --playouts 20", seat=1, max_plies=20)
    seen, _ = gym.reset(seed=1)
    for _ in range(5):
        seen, *_ = gym.step(int(np.flatnonzero(seen["action_mask"])[0]))
    gym.close()
    print("ok: a bot as an opponent")


if __name__ == "__main__":
    main()
