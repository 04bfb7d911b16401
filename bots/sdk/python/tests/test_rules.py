"""Rules programs, without a referee: requests in, answers out."""

import contextlib
import io
import json
import random
import unittest

from referee_rules import (
    CHANCE,
    BadOption,
    Bool,
    Choice,
    Game,
    Int,
    Program,
    Refused,
    Result,
    Text,
    perft,
    require,
)
from referee_rules.testing import Broken, check, playthrough, random_game, start


class Nim(Game):
    id = "nim"
    title = "Nim"
    summary = "Take one to three."
    roles = ["first", "second"]
    notation = [("take2", "take two")]
    guide = "# Nim"
    heap = Int(default=21, min=1, max=100, help="How many there are.")

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
        return Result([state["turn"], 1 - state["turn"]], "heap_empty")

    def from_json(self, fields):
        require(0 <= fields["left"] <= self.heap, "left", "is more than the heap")
        return fields


class Coins(Game):
    """Each of some players shows a coin, secretly, and chance adds one; equal pairs score."""

    id = "coins"
    roles = ["one", "two", "three"]
    seats = (2, 3)
    hidden = True
    players = Int(default=2, min=2, max=3)
    word = Choice("heads", "tails", help="What wins.")
    loud = Bool()
    note = Text("x")

    def seat_count(self):
        return self.players

    def start(self, rng):
        if self.note == "bad":
            raise BadOption("note", "is bad")
        return {"shown": [], "first": rng.randrange(1000)}

    def to_move(self, state):
        return [*range(self.players), CHANCE]

    def legal(self, state, seat):
        return ["heads", "tails"]

    def chance(self, state):
        return {"heads": 0.25, "tails": 0.75}

    def apply(self, state, step):
        shown = [step[seat] for seat in range(self.players)]
        return {"shown": shown, "first": state["first"], "added": step[CHANCE]}

    def result(self, state):
        if not state["shown"]:
            return None
        return Result([shown == state["added"] for shown in state["shown"]], "shown")

    def observation(self, state, seat):
        return {"own": state["shown"][seat:seat + 1], "to_move": None}

    def sees(self, state, step, seat):
        return [step[seat]]

    def sample(self, observation, seat, rng):
        shown = [rng.choice(["heads", "tails"]) for _ in range(self.players)]
        shown[seat] = observation["own"][0]
        return {"shown": shown, "first": 0, "added": "heads"}


def refused(program, op, **fields):
    """The code and the message of an error."""
    try:
        answer = program.ask(op, **fields)
    except Refused as error:
        return error.code, str(error)
    raise AssertionError(f"it was answered: {answer}")


class Requests(unittest.TestCase):
    def setUp(self):
        self.program = Program(Nim, Coins, name="two-games", version="7")

    def test_a_game_may_list_all_moves(self):
        class Listed(Nim):
            def actions(self):
                return ["take1", "take2", "take3"]

        program = Program(Listed)
        self.assertIn("actions", program.ask("hello", protocol=1)["can"])
        answer = program.ask("new", game="nim", want=["actions"])
        self.assertEqual(answer["actions"], ["take1", "take2", "take3"])
        self.assertNotIn("actions", Program(Nim).ask("hello", protocol=1)["can"])

    def test_hello_describes_the_games(self):
        hello = self.program.ask("hello", protocol=1)
        self.assertEqual((hello["name"], hello["version"]), ("two-games", "7"))
        self.assertEqual(hello["can"], ["undo", "key", "perft", "playout", "observation", "sample"])
        nim, coins = hello["games"]
        self.assertEqual(nim, {
            "id": "nim", "title": "Nim", "summary": "Take one to three.",
            "roles": ["first", "second"], "symmetric": False, "hidden": False,
            "options": {"heap": {"type": "int", "min": 1, "max": 100, "default": 21,
                                 "help": "How many there are."}},
            "notation": [["take2", "take two"]], "guide": "# Nim",
            "limits": {"max_plies": None, "repetition": None},
        })
        self.assertEqual((coins["title"], coins["seats"], coins["hidden"], coins["chance"]),
                         ("coins", [2, 3], True, True))
        kinds = {name: option["type"] for name, option in coins["options"].items()}
        self.assertEqual(kinds, {"players": "int", "word": "choice", "loud": "bool",
                                 "note": "text"})
        self.assertEqual(coins["options"]["word"]["values"], ["heads", "tails"])

    def test_a_game_is_played_back_and_forth(self):
        ask = self.program.ask
        begun = ask("new", game="nim", options={"heap": 5}, want=["legal", "state"])
        self.assertEqual(begun, {"ply": 0, "to_move": 0, "result": None,
                                 "legal": ["take1", "take2", "take3"],
                                 "state": {"ply": 0, "to_move": 0, "left": 5, "turn": 0}})
        played = ask("play", moves=["take3", "take1"], want=["state", "key"])
        self.assertEqual(played["state"], {"ply": 2, "to_move": 0, "left": 1, "turn": 0})
        self.assertEqual(played["key"], '{"left":1,"turn":0}')
        end = ask("play", moves=["take1"], want=["legal", "scores"])
        self.assertEqual(end, {
            "ply": 3, "to_move": None, "legal": [], "scores": [1, 0], "outcome": [1.0, 0.0],
            "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "reason": "heap_empty"},
        })
        self.assertEqual(ask("undo", count=3, want=["legal", "state"]), begun)
        self.assertEqual(ask("get")["ply"], 0)
        self.assertEqual(ask("perft", depth=2), {"nodes": 8})

    def test_states_come_back_or_are_refused(self):
        new = dict(game="nim", want=["state"])
        state = {"ply": 3, "to_move": 1, "left": 4, "turn": 1}
        self.assertEqual(self.program.ask("new", state=state, **new)["state"], state)
        without = {name: value for name, value in state.items() if name != "to_move"}
        self.assertEqual(self.program.ask("new", state=without, **new)["state"], state)
        for change in (
            {"left": 200}, {"left": "x"}, {"turn": 7}, {"turn": None}, {"ply": -1},
            {"to_move": 0}, {"ply": True}, {"ply": 10**30},
        ):
            code, message = refused(self.program, "new", state={**state, **change}, game="nim")
            self.assertEqual(code, "bad_state", change)
        code, message = refused(self.program, "new", state={**state, "left": 200}, game="nim")
        self.assertEqual(message, "`left` is more than the heap")
        for state in ([], 7, {}, {"ply": 3}):
            self.assertEqual(refused(self.program, "new", state=state, game="nim")[0], "bad_state")
        self.assertEqual(self.program.ask("get")["ply"], 3)

    def test_options_are_checked_by_name(self):
        for game, options, message in [
            ("nim", {"heap": 0}, "option `heap` of nim: 0 is not a whole number from 1 to 100"),
            ("nim", {"heap": True}, "option `heap` of nim: true is not a whole number"),
            ("nim", {"heap": "x" * 99}, "option `heap` of nim: \"xxx"),
            ("nim", {"haep": 5}, "option `haep` of nim: there is no such option; did you mean "
                                 "`heap`? allowed are `heap`"),
            ("coins", {"word": "edge"}, "\"edge\" is not one of `heads`, `tails`"),
            ("coins", {"loud": 1}, "1 is not true or false"),
            ("coins", {"note": None}, "null is not a text"),
            ("coins", {"note": "bad"}, "option `note` of coins: is bad"),
            ("coins", [], "not an object"),
        ]:
            code, told = refused(self.program, "new", game=game, options=options)
            self.assertEqual(code, "bad_option")
            self.assertIn(message, told)
            self.assertLess(len(told), 120)

    def test_errors_have_codes_and_change_nothing(self):
        program = self.program
        for op in ("get", "play", "undo", "perft", "playout", "sample"):
            fields = {"moves": [], "depth": 1, "as": 0}
            self.assertEqual(refused(program, op, **fields)[0], "no_game")
        program.ask("new", game="nim", options={"heap": 4})
        before = program.ask("get", want=["state", "legal"])
        for code, op, fields in [
            ("bad_request", "fly", {}),
            ("bad_request", "new", {}),
            ("bad_request", "new", {"game": "nim", "seed": "x"}),
            ("unknown_game", "new", {"game": "chess"}),
            ("bad_request", "play", {}),
            ("bad_request", "play", {"moves": "take1"}),
            ("bad_request", "play", {"moves": [1]}),
            ("illegal_move", "play", {"moves": ["take1", "take4"]}),
            ("illegal_move", "play", {"moves": [{"0": "take1"}]}),
            ("game_over", "play", {"moves": ["take3", "take1", "take1"]}),
            ("bad_request", "play", {"moves": ["take1"], "want": ["everything"]}),
            ("bad_request", "get", {"want": "legal"}),
            ("bad_request", "get", {"want": ["sees"]}),
            ("bad_request", "get", {"want": ["observation"]}),
            ("bad_request", "get", {"want": ["observation"], "as": 2}),
            ("bad_count", "undo", {}),
            ("bad_request", "undo", {"count": -1}),
            ("bad_request", "perft", {}),
            ("bad_count", "playout", {"count": 0}),
            ("bad_count", "sample", {"as": 0, "count": 0}),
        ]:
            self.assertEqual(refused(program, op, **fields)[0], code, (op, fields))
            self.assertEqual(program.ask("get", want=["state", "legal"]), before)
        told = refused(program, "play", moves=["take9"])[1]
        self.assertEqual(told, "`take9` is not legal here for first (seat 0), which has 3 legal "
                               "moves")

    def test_a_perft_that_is_too_large_is_given_up(self):
        self.program.ask("new", game="nim", options={"heap": 100})
        self.assertEqual(refused(self.program, "perft", depth=40)[0], "too_much")
        self.program.ask("new", game="nim", options={"heap": 2})
        self.assertEqual(self.program.ask("perft", depth=40), {"nodes": 0})

    def test_random_games_are_played_to_the_end_or_a_limit(self):
        ask = self.program.ask
        ask("new", game="nim", options={"heap": 10})
        played = ask("playout", count=50, seed=3)
        self.assertEqual(played, ask("playout", count=50, seed=3))
        self.assertNotEqual(played, ask("playout", count=50, seed=4))
        self.assertAlmostEqual(sum(played["outcome"]), 1.0)
        self.assertTrue(4 <= played["plies"] <= 10, played)
        self.assertEqual(ask("get")["ply"], 0)
        self.assertEqual(refused(self.program, "playout", count=1000)[0], "too_much")
        ask("new", game="nim", options={"heap": 10}, max_plies=2)
        self.assertEqual(ask("playout", count=9), {"outcome": [0.5, 0.5], "plies": 2.0})
        ask("new", game="nim", options={"heap": 1})
        ask("play", moves=["take1"])
        self.assertEqual(refused(self.program, "playout")[0], "game_over")

    def test_random_games_draw_chance_by_its_probabilities(self):
        self.program.ask("new", game="coins", options={"players": 3})
        self.assertEqual(self.program.ask("playout", count=20)["plies"], 4.0)
        rng, begun = random.Random(1), start(Coins)
        drawn = [begun.random_step(rng) for _ in range(1000)]
        # The coin shows tails three times out of four, and seats draw evenly.
        tails = sum(step["chance"] == "tails" for step in drawn)
        heads = sum(step[0] == "heads" for step in drawn)
        self.assertTrue(700 < tails < 800, tails)
        self.assertTrue(450 < heads < 550, heads)

    def test_several_act_at_once_with_chance(self):
        ask = self.program.ask
        begun = ask("new", game="coins", options={"players": 3}, want=["legal"])
        self.assertEqual((begun["to_move"], begun["roles"]),
                         ([0, 1, 2, "chance"], ["one", "two", "three"]))
        self.assertEqual(begun["legal"], {
            "0": ["heads", "tails"], "1": ["heads", "tails"], "2": ["heads", "tails"],
            "chance": {"heads": 0.25, "tails": 0.75},
        })
        self.assertEqual(ask("perft", depth=1), {"nodes": 16})
        step = {"0": "heads", "1": "tails", "2": "tails", "chance": "tails"}
        for wrong in ("heads", {"0": "heads"}, {**step, "3": "heads"}, {**step, "1": "edge"},
                      {**step, "1": None}):
            self.assertEqual(refused(self.program, "play", moves=[wrong])[0], "illegal_move")
        end = ask("play", moves=[step], want=["sees", "observation"], **{"as": 1})
        self.assertEqual(end["ply"], 4)
        self.assertEqual(end["result"], {"scores": [0, 1, 1], "outcome": [0.0, 0.75, 0.75],
                                         "reason": "shown"})
        self.assertEqual(end["sees"], [[["heads"], ["tails"], ["tails"]]])
        # With its fields in order, whatever the author's is.
        self.assertEqual(json.dumps(end["observation"]),
                         '{"own": ["tails"], "ply": 4, "to_move": null}')
        samples = ask("sample", **{"as": 1, "seed": 5, "count": 20})
        self.assertEqual(samples, ask("sample", **{"as": 1, "seed": 5, "count": 20}))
        self.assertEqual({state["shown"][1] for state in samples["states"]}, {"tails"})
        self.assertEqual({state["shown"][0] for state in samples["states"]}, {"heads", "tails"})
        self.assertEqual({state["ply"] for state in samples["states"]}, {4})

    def test_an_observation_is_enough_for_samples(self):
        known = {"ply": 3, "to_move": None, "own": ["heads"]}
        new = self.program.ask("new", game="coins", observation=known)
        self.assertEqual(new, {"ply": 3, "to_move": None, "result": None, "roles": ["one", "two"]})
        got = self.program.ask("get", want=["observation"], **{"as": 0})
        self.assertEqual(got["observation"], known)
        states = self.program.ask("sample", **{"as": 0, "count": 5})["states"]
        self.assertEqual([(state["ply"], state["shown"][0]) for state in states],
                         [(3, "heads")] * 5)
        self.assertEqual(refused(self.program, "get", want=["state"])[0], "no_game")
        self.assertEqual(refused(self.program, "play", moves=[])[0], "no_game")
        for broken in ({}, {"own": []}, {"own": ["heads"], "ply": "x"}):
            self.program.ask("new", game="coins", observation=broken)
            code, _ = refused(self.program, "sample", **{"as": 0})
            self.assertIn(code, ("bad_state", "bad_request"))
        self.assertEqual(refused(self.program, "new", game="coins", observation=7)[0], "bad_state")

    def test_seeds_decide_the_start(self):
        def first(seed):
            return self.program.ask("new", game="coins", seed=seed, want=["state"])["state"]["first"]

        self.assertEqual(first(5), first(5))
        self.assertGreater(len({first(seed) for seed in range(20)}), 10)


class Lines(unittest.TestCase):
    def run_lines(self, program, *lines):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(errors):
            code = program.run(io.BytesIO(b"".join(line + b"\n" for line in lines)), output)
        return code, [json.loads(line) for line in output.getvalue().splitlines()], errors.getvalue()

    def test_every_line_has_an_answer_with_its_id(self):
        code, answers, told = self.run_lines(
            Program(Nim),
            b'{"id":[1,"x"],"op":"new","game":"nim","weather":"fine"}',
            b'{"op":"get"}\r',
            b"", b"[1]", b"{", b"\xff", b"[" * 100_000, b'{"id":4,"op":"fly"}',
        )
        self.assertEqual((code, told), (0, ""))
        self.assertEqual([answer["id"] for answer in answers],
                         [[1, "x"], None, None, None, None, None, None, 4])
        codes = [answer.get("error", {}).get("code") for answer in answers]
        self.assertEqual(codes, [None, None] + ["bad_request"] * 6)

    def test_an_exception_of_the_author_is_one_line(self):
        class Failing(Nim):
            def apply(self, state, step):
                print("thinking")
                return [][int(step[4:])]

        code, answers, told = self.run_lines(
            Program(Failing),
            b'{"id":1,"op":"new","game":"nim"}',
            b'{"id":2,"op":"play","moves":["take1"]}',
            b'{"id":3,"op":"get"}',
        )
        self.assertEqual((code, len(answers)), (1, 1))
        printed, line = told.splitlines()
        self.assertEqual(printed, "thinking")
        self.assertRegex(line, r"^the rules failed: IndexError: list index out of range "
                               r"\(test_rules.py:\d+, in apply\) at the request \{\"id\":2,")

    def test_what_json_cannot_hold_is_told(self):
        class Sets(Nim):
            def start(self, rng):
                return {"left": {1, 2}, "turn": 0}

            def legal(self, state, seat):
                return ["x"]

            def result(self, state):
                return None

        request = b'{"id":1,"op":"new","game":"nim","want":["state"]}'
        code, _, told = self.run_lines(Program(Sets), request)
        self.assertEqual(code, 1)
        self.assertIn("set is not JSON serializable", told)


class Mistakes(unittest.TestCase):
    """What is forgotten is told at once."""

    def program(self, **attributes):
        return Program(type("Mine", (Nim,), attributes))

    def test_of_classes(self):
        for attributes, message in [
            ({"id": "Nim"}, "small letters"), ({"roles": []}, "roles"),
            ({"hidden": True}, "observation"), ({"seats": (2, 3)}, "seat_count"),
            ({"apply": Game.apply}, "apply"),
        ]:
            with self.assertRaisesRegex(TypeError, message):
                self.program(**attributes)
        with self.assertRaisesRegex(TypeError, "same id"):
            Program(Nim, Nim)

    def test_of_names(self):
        # Until Python 3.12 what happens in a class body comes as a RuntimeError.
        with self.assertRaises((TypeError, RuntimeError)):
            class Bad(Nim):
                roles = Int(default=1, min=0, max=2)

    def test_the_names_of_the_module_are_not_free(self):
        class Own(Nim):
            def to_json(self, state):
                return {**state, "to_move": 1}

        with self.assertRaisesRegex(TypeError, "to_move"):
            Program(Own).ask("new", game="nim", want=["state"])


class Checks(unittest.TestCase):
    """Each check has rules that fail it."""

    def broken(self, message, **attributes):
        with self.assertRaisesRegex(Broken, message):
            check(type("Broken", (Nim,), attributes), {"heap": 6}, games=5)

    def test_good_rules_pass(self):
        check(Nim)
        check(Nim, {"heap": 1})

    def test_steps(self):
        self.broken("two moves are equal", legal=lambda *_: ["take1", "take1"])
        self.broken("no legal move", legal=lambda *_: [])
        self.broken("no text", legal=lambda *_: ["take1", ""])
        self.broken("no text", legal=lambda *_: ["take1", "x" * 201])
        self.broken("no seat", to_move=lambda *_: 2)
        self.broken("ascending", to_move=lambda *_: [1, 0])
        self.broken("sum 1", to_move=lambda *_: CHANCE, chance=lambda *_: {"take1": 0.5})

        def in_place(self, state, step):
            state["left"] -= 1
            return state

        self.broken("changed the state", apply=in_place)
        self.broken("not always the same",
                    apply=lambda self, state, step: {**state, "left": state["left"] - 1,
                                                     "luck": random.random()})

    def test_states_and_results(self):
        self.broken("come back", to_json=lambda self, state: {"left": state["left"], "turn": 0})
        self.broken("whole numbers", scores=lambda *_: [0.5, 0.5])
        self.broken("3 scores", scores=lambda *_: [0, 0, 0])
        self.broken("one cell", view=lambda *_: {
            "shape": "square", "cells": [{"name": "a1"}], "notes": [],
            "pieces": [{"cell": "a1", "glyph": "x"}, {"cell": "a1", "glyph": "x"}]})
        self.broken("ZeroDivisionError.*\n.*seed", result=lambda *_: 1 // 0)

    def test_starts(self):
        self.broken("same seed", start=lambda *_: {"left": 5, "turn": 0, "luck": random.random()})

    def test_observations(self):
        class Secret(Nim):
            hidden = True

            def start(self, rng):
                return {**super().start(rng), "taken": []}

            def apply(self, state, step):
                return {**super().apply(state, step), "taken": state["taken"] + [step]}

            def sees(self, state, step, seat):
                return [step] if seat == state["turn"] else []

            def observation(self, state, seat):
                own = state["taken"][seat::2]
                # All three would be wrong: `left`, the end, and nothing at all.
                return {"own": own, "to_move": "?"}

        check(Secret, {"heap": 9})

        class Leaking(Secret):
            def observation(self, state, seat):
                return {**super().observation(state, seat), "left": state["left"]}

        with self.assertRaisesRegex(Broken, "tells more than it saw"):
            check(Leaking, {"heap": 9})

        class Forgetful(Secret):
            def observation(self, state, seat):
                return {"own": state["taken"][seat::2][-1:], "to_move": "?"}

        with self.assertRaisesRegex(Broken, "forgets what it saw"):
            check(Forgetful, {"heap": 9})

        class Guessing(Secret):
            def sample(self, observation, seat, rng):
                return self.start(rng)

        with self.assertRaisesRegex(Broken, "a sample is not"):
            check(Guessing, {"heap": 9})


class Helpers(unittest.TestCase):
    def test_playthrough(self):
        path = playthrough(Nim, ["take3", "take2"], {"heap": 5})
        self.assertEqual([position.ply for position in path], [0, 1, 2])
        self.assertEqual(path[-1].result.scores, [0, 1])
        with self.assertRaisesRegex(Exception, "take3"):
            playthrough(Nim, ["take3", "take3"], {"heap": 5})
        with self.assertRaisesRegex(Exception, "over"):
            playthrough(Nim, ["take3", "take1"], {"heap": 3})
        step = {0: "heads", 1: "heads", CHANCE: "tails"}
        self.assertEqual(playthrough(Coins, [step])[-1].result.scores, [0, 0])

    def test_random_games_end_and_can_be_repeated(self):
        one, two = (random_game(Nim, seed=3) for _ in range(2))
        self.assertEqual([p.wire() for p in one], [p.wire() for p in two])
        self.assertIsNotNone(one[-1].result)

    def test_perft_counts_steps(self):
        self.assertEqual(perft(start(Coins), 1), 8)
        self.assertEqual(perft(start(Coins), 0), 1)
        self.assertEqual(perft(start(Coins), 2), 0)


if __name__ == "__main__":
    unittest.main()
