"""The module as its users see it; needs numpy. The environments have suites of their own, in
`games/python/suites`."""

import copy
import json
import pickle
import random
import re
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import numpy as np
import referee_games as rg

GAMES = Path(__file__).resolve().parents[2]
SHEETS = GAMES / "sheets"
CONNECT_FOUR = f"{sys.executable} {GAMES / 'examples/connect_four.py'}"
PAPER = "paper-penguins"


def played(game, seed, most=10_000):
    """A random game by numbers, up to a ply."""
    state, draw = game.start(seed=seed), random.Random(seed)
    while not state.is_over and state.ply < most:
        state.play(int(draw.choice(state.actions())))
    return state


class Games(unittest.TestCase):
    def test_all_games_are_there(self):
        self.assertEqual(len(rg.games()), 8)
        for name in rg.games():
            game = rg.Game(name)
            self.assertEqual(game.seats, len(game.roles))
            self.assertIn("#", game.rules)
            self.assertEqual(len(game.planes), game.observation_shape[0])
            state = game.start(seed=1)
            self.assertEqual((state.to_move, state.outcome, state.ply), ((0,), None, 0))
            self.assertEqual(state.observation(0).shape, game.observation_shape)
            self.assertEqual(state.mask().shape, (game.num_actions,))

    def test_options_are_keywords(self):
        game = rg.Game("amazons", size=6)
        self.assertEqual(game.options, {"size": 6})
        self.assertEqual(len(game.start().legal()), 544)
        rows = ["1231", "2312", "3123", "1231"]
        self.assertEqual(rg.Game(PAPER, size=4, points=rows).start().json().count("1231"), 2)

    def test_errors_are_the_sentences_of_the_program(self):
        for call, words in [
            (lambda: rg.Game("amazons", size=99), "option `size` of amazons: 99 is not a whole number from 5 to 11"),
            (lambda: rg.Game("amazonz"), "did you mean `amazons`?"),
            (lambda: rg.Game("amazons", sise=6), "sise"),
            (lambda: rg.Game("siam").start().play("x"), "`x` is not a move: siam moves look like"),
            (lambda: rg.Game("siam").start().play(10**12), "they go from 0 to 599"),
            (lambda: rg.Game("siam").start().undo(), "0 were played"),
            (lambda: rg.Game("siam").action("a1-a9n"), "`a1-a9n` is not a move"),
            (lambda: rg.Game("siam").text(600), "they go from 0 to 599"),
            (lambda: rg.Game("siam").state("{}"), "ply"),
            (lambda: rg.Game("giantslayer").action("c3xe3xg5"), "is 2 actions in a row: c3xe3, e3xg5"),
            (lambda: rg.Game("no.kif"), "`no.kif`"),
        ]:
            with self.assertRaisesRegex(ValueError, re.escape(words)):
                call()
        with self.assertRaises(TypeError):
            rg.Game("siam").start().play(1.5)
        with self.assertRaises(IndexError):
            rg.Game("siam").start().observation(2)

    def test_illegal_moves_change_nothing(self):
        state = rg.Game("siam").start()
        before = state.json()
        legal = set(state.actions().tolist())
        for action in range(0, 600, 7):
            if action not in legal:
                with self.assertRaises(ValueError):
                    state.play(action)
        self.assertEqual(state.json(), before)

    def test_undo_takes_back_one_move(self):
        for name in rg.games():
            game = rg.Game(name)
            state, draw, before = game.start(seed=3), random.Random(3), []
            while not state.is_over and len(before) < 60:
                before.append((state.json(), state.begun, state.key))
                state.play(int(draw.choice(state.actions())))
            while before:
                state.undo()
                self.assertEqual((state.json(), state.begun, state.key), before.pop())

    def test_texts_and_numbers_are_the_same_moves(self):
        game = rg.Game("run")
        state = played(game, 5, most=20)
        self.assertEqual([game.text(action) for action in state.actions().tolist()], state.legal())
        by_text, by_number = state.copy(), state.copy()
        text = state.legal()[3]
        by_text.play(text)
        by_number.play(np.int32(game.action(text)))
        self.assertEqual(by_text.json(), by_number.json())
        self.assertEqual(np.flatnonzero(state.mask()).tolist(), sorted(state.actions().tolist()))

    def test_random_actions_are_legal_and_follow_the_seed(self):
        for name in rg.games():
            game, stories = rg.Game(name), []
            for seed in (1, 1, 2):
                state, story = game.start(seed=seed), []
                while not state.is_over and state.ply < 80:
                    action = state.random_action()
                    self.assertIn(action, state.actions())
                    state.play(action)
                    story.append(action)
                stories.append(story)
            self.assertEqual(stories[0], stories[1])
            self.assertNotEqual(stories[0], stories[2])
        state = rg.Game("siam").start(seed=1)
        drawn = {state.random_action() for _ in range(500)}
        self.assertEqual(drawn, set(state.actions().tolist()))
        sheet = rg.Game(str(SHEETS / "tic-tac-toe.kif")).start()
        self.assertIn(sheet.random_action(), sheet.actions())
        with self.assertRaisesRegex(ValueError, "no seat acts alone"):
            rg.Game(str(SHEETS / "rock-paper-scissors.kif")).start().random_action()

    def test_chains_are_several_actions(self):
        game = rg.Game("giantslayer")
        state = game.state({"ply": 9, "to_move": 1, "halogai": ["d3", "f4", "i9"], "giants": ["c3"],
                            "scores": [5, 0]})
        state.play(game.action("c3xe3"))
        self.assertEqual((state.to_move, state.begun), ((1,), [game.action("c3xe3")]))
        self.assertEqual([game.text(a) for a in state.actions().tolist()], ["e3xg5", "stop"])
        self.assertEqual(state.legal(), ["c3xe3", "c3xe3xg5"])
        # The stone that was trampled is gone, and the giant that goes on is marked.
        halogai, giants, goes_on = state.observation(1)[:3]
        self.assertEqual((halogai.sum(), giants.sum(), goes_on.sum()), (2, 1, 1))
        again = pickle.loads(pickle.dumps(state))
        self.assertEqual(again.begun, state.begun)
        state.play(game.action("stop"))
        self.assertEqual(json.loads(state.json())["giants"], ["e3"])
        again.play("c3xe3xg5")
        self.assertEqual(json.loads(again.json())["giants"], ["g5"])

    def test_states_are_copied_and_pickled(self):
        for name in rg.games():
            state = played(rg.Game(name), 2, most=12)
            for other in [copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]:
                self.assertEqual((other.json(), other.key), (state.json(), state.key))
                self.assertEqual(other.game.options, state.game.options)
            before = state.json()
            copy.copy(state).play(int(state.actions()[0]))
            self.assertEqual(state.json(), before)

    def test_observations_are_of_the_seat(self):
        state = rg.Game("amazons", size=6).start()
        light, dark = state.observation(0), state.observation(1)
        self.assertTrue((light[0] == dark[1]).all() and (light[1] == dark[0]).all())
        # b1 is at row 0 and column 1.
        self.assertEqual((light[0, 0, 1], light[1, 0, 1]), (1, 0))
        self.assertTrue((light[3] == 1).all() and (dark[3] == 0).all())

    def test_playouts_do_not_depend_on_threads(self):
        game = rg.Game(PAPER, size=5)
        state = game.start(seed=1)
        means = [game.playouts(state, 1500, seed=7, threads=threads) for threads in (1, 2, 5)]
        self.assertEqual(means[0], means[1])
        self.assertEqual(means[0], means[2])
        self.assertAlmostEqual(sum(means[0][0]), 1)
        self.assertGreater(means[0][1], 10)
        with self.assertRaises(ValueError):
            game.playouts(state, 0, seed=1)

    def test_other_threads_go_on_during_playouts(self):
        game = rg.Game("amazons")
        state, count, done = game.start(), 0, threading.Event()

        def work():
            game.playouts(state, 20_000)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            count += 1
        thread.join()
        self.assertGreater(count, 1000)

    def test_boards_are_drawn(self):
        for name in rg.games():
            state = played(rg.Game(name), 4, most=14)
            self.assertIn(name, repr(state))
            self.assertIn(str(state), repr(state))
            svg = state._repr_svg_()
            self.assertTrue(svg.startswith("<svg ") and svg.endswith("</svg>"))
        self.assertEqual(repr(rg.Game("amazons", size=5)), '<Game amazons {"size":5}>')


class OtherRules(unittest.TestCase):
    def test_sheets_have_numbers_and_facts(self):
        game = rg.Game(str(SHEETS / "tic-tac-toe.kif"))
        self.assertEqual((game.seats, len(game.observation_shape)), (2, 1))
        state = game.start()
        self.assertEqual(len(state.actions()), 9)
        self.assertEqual([game.text(a) for a in state.actions().tolist()], state.legal())
        state.play(game.action("(mark 2 2)"))
        facts = dict(zip(game.planes, state.observation(0)))
        self.assertEqual((facts["(cell 2 2 x)"], facts["(cell 2 2 b)"]), (1, 0))
        self.assertEqual(len(state.actions()), 8)
        state.undo()
        self.assertEqual(len(state.legal()), 9)
        again = pickle.loads(pickle.dumps(state))
        self.assertEqual(again.json(), state.json())

    def test_seats_act_at_once(self):
        game = rg.Game(str(SHEETS / "rock-paper-scissors.kif"))
        state = game.start()
        self.assertEqual(state.to_move, (0, 1))
        with self.assertRaisesRegex(ValueError, "at once"):
            state.play(0)
        with self.assertRaisesRegex(ValueError, "seat 1 is missing"):
            state.play({0: state.legal(0)[0]})
        state.play({0: state.legal(0)[0], 1: int(state.actions(1)[1])})
        self.assertEqual(state.ply, 2)
        state.undo()
        self.assertEqual(state.ply, 0)

    def test_chance_is_drawn_by_the_seed(self):
        game = rg.Game(str(SHEETS / "pig.kif"))
        self.assertTrue(game.chance)

        def story(seed):
            state, told = game.start(seed=seed), []
            while not state.is_over and state.ply < 60:
                state.play(state.legal()[-1])
                told.append(state.json())
            return told

        self.assertEqual(story(1), story(1))
        self.assertNotEqual(story(1), story(2))
        state = game.start(seed=1)
        before = state.json()
        state.play(state.legal()[-1])
        after = state.json()
        state.undo()
        self.assertEqual(state.json(), before)
        state.play(state.legal()[-1])
        self.assertEqual(state.json(), after)

    def test_hidden_information_has_no_planes(self):
        game = rg.Game(str(SHEETS / "kuhn-poker.kif"))
        self.assertTrue(game.hidden)
        self.assertIsNone(game.observation_shape)
        seen = set()
        for seed in range(30):
            state = game.start(seed=seed)
            seen.add(state.observation_json(0))
        # A seat knows its own card of three, and not the other's.
        self.assertEqual(len(seen), 3)

    def test_rules_programs_say_their_moves(self):
        game = rg.Game("connect-four", rules=CONNECT_FOUR, columns=5, rows=4)
        self.assertEqual((game.num_actions, game.observation_shape), (20, None))
        state = game.start()
        self.assertEqual(state.actions().tolist(), [game.action(text) for text in state.legal()])
        state.play("c1")
        self.assertIn("c2", state.legal())
        with self.assertRaisesRegex(ValueError, "`observation_shape` is None"):
            state.observation(0)
        pig = rg.Game("pig", rules=f"{sys.executable} {GAMES / 'examples/pig.py'}")
        self.assertIsNone(pig.num_actions)
        with self.assertRaisesRegex(ValueError, "`num_actions` is None"):
            pig.start().actions()
        with self.assertRaisesRegex(ValueError, "has no game `nim`; it has `pig`"):
            rg.Game("nim", rules=f"{sys.executable} {GAMES / 'examples/pig.py'}")

    def test_rules_that_break_are_runtime_errors(self):
        with self.assertRaises(RuntimeError):
            rg.Game("x", rules="true")


class ManyGames(unittest.TestCase):
    def random_actions(self, mask, draw):
        return [int(draw.choice(np.flatnonzero(row))) for row in mask]

    def test_games_restart_by_themselves(self):
        games = rg.VecGame("elephant-run", n=16, seed=3)
        observations, mask, seats = games.reset()
        kept, draw, ended = (observations, mask, seats), random.Random(1), 0
        self.assertEqual(observations.shape, (16, *games.game.observation_shape))
        for _ in range(300):
            before = [games.state(index) for index in range(3)]
            actions = self.random_actions(mask, draw)
            observations, mask, seats, rewards, done = games.step(actions)
            for index, state in enumerate(before):
                state.play(actions[index])
                self.assertEqual(state.is_over, done[index])
                if state.is_over:
                    expected = [2 * share - 1 for share in state.outcome]
                    self.assertEqual(rewards[index].tolist(), expected)
                now = games.state(index)
                self.assertEqual(now.to_move, (seats[index],))
                self.assertTrue((now.mask() == mask[index]).all())
                self.assertTrue((now.observation(int(seats[index])) == observations[index]).all())
            ended += done.sum()
            self.assertFalse(rewards[~done].any())
        self.assertGreater(ended, 20)
        # The arrays are written in place.
        self.assertTrue(all(a is b for a, b in zip(kept, (observations, mask, seats))))

    def test_threads_change_nothing(self):
        stories = []
        for threads in (1, 3):
            games = rg.VecGame(PAPER, n=10, seed=5, threads=threads, size=4)
            _, mask, _ = games.reset()
            draw, story = random.Random(2), []
            for _ in range(60):
                observations, mask, seats, rewards, done = games.step(self.random_actions(mask, draw))
                story.append([observations.copy(), mask.copy(), seats.copy(), rewards.copy(), done.copy()])
            stories.append(story)
        for one, other in zip(*stories):
            self.assertTrue(all((a == b).all() for a, b in zip(one, other)))

    def test_the_limit_of_plies_ends_games(self):
        games = rg.VecGame("siam", n=4, max_plies=5)
        _, mask, _ = games.reset()
        draw = random.Random(1)
        for step in range(1, 11):
            _, mask, _, rewards, done = games.step(self.random_actions(mask, draw))
            self.assertEqual(done.all(), step % 5 == 0)
            self.assertEqual(games.truncated.all(), step % 5 == 0)
        self.assertEqual(rewards.sum(), 0)

    def test_an_illegal_action_stops_all(self):
        games = rg.VecGame("siam", n=3)
        with self.assertRaisesRegex(ValueError, "`reset` comes before"):
            games.step([0, 0, 0])
        _, mask, _ = games.reset()
        before = [games.state(index).json() for index in range(3)]
        legal, illegal = int(np.flatnonzero(mask[0])[0]), int(np.flatnonzero(~mask[0])[0])
        for wrong in ([legal, legal, illegal], [legal, legal, -1], [legal, legal, 10**9], [legal]):
            with self.assertRaises(ValueError):
                games.step(wrong)
        with self.assertRaises(TypeError):
            games.step([0.5, 0.5, 0.5])
        self.assertEqual([games.state(index).json() for index in range(3)], before)
        with self.assertRaisesRegex(ValueError, "at once"):
            rg.VecGame(str(SHEETS / "rock-paper-scissors.kif"), n=2)


class Program(unittest.TestCase):
    """What needs the program; the variable REFEREE has it."""

    def test_a_match_is_a_record(self):
        record = rg.match("siam", bots=["greedy", "random"], seed=3, per_move="2s")
        self.assertEqual((record["game"], record["seed"]), ("siam", 3))
        self.assertEqual([player["name"] for player in record["players"]], ["greedy", "random"])
        self.assertEqual(record["result"]["faults"], [])
        # The module replays what the program played.
        state = rg.Game("siam").state(record["start"])
        for move in record["moves"]:
            state.play(move["move"])
        self.assertEqual(json.loads(state.json())["ply"], len(record["moves"]))
        with self.assertRaisesRegex(RuntimeError, "amazonz"):
            rg.match("amazonz", bots=["random", "random"])

    def test_positions_are_those_of_the_model(self):
        """Random games beside `referee model`: states, legal moves and keys."""
        for name in ["run", "giantslayer", PAPER]:
            game = rg.Game(name)
            state = played(game, 9, most=15)
            while state.begun:
                state.play(int(state.actions()[-1]))
            request = {"id": 1, "op": "new", "game": name, "options": game.options,
                       "state": json.loads(state.json()), "want": ["legal", "key", "state"]}
            from referee_games._program import program
            answer = subprocess.run([program(), "model"], input=json.dumps(request) + "\n",
                                    capture_output=True, text=True, check=True).stdout
            said = json.loads(answer)["ok"]
            self.assertEqual(said["legal"], state.legal())
            self.assertEqual(said["key"], state.key)
            self.assertEqual(said["state"], json.loads(state.json()))


if __name__ == "__main__":
    unittest.main()
