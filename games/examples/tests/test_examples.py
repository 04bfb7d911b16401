"""The games of this folder: what is known of them, and what every rules program promises.

    python3 -m unittest discover -s games/examples/tests
"""

import itertools
import json
import re
import subprocess
import sys
import unittest
from fractions import Fraction
from math import factorial
from pathlib import Path

GAMES = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(GAMES), str(GAMES.parents[1] / "bots/sdk/python/src")]

from connect_four import ConnectFour  # noqa: E402
from goofspiel import Goofspiel  # noqa: E402
from hex import Hex, cells  # noqa: E402
from kuhn_poker import ENDS, KuhnPoker  # noqa: E402
from liars_dice import LiarsDice, rolls  # noqa: E402
from pig import Pig  # noqa: E402
from referee_rules import BadState, Position, Program, perft  # noqa: E402
from referee_rules.testing import check, playthrough, random_game, start  # noqa: E402
from rock_paper_scissors import RockPaperScissors  # noqa: E402

ALL = {
    ConnectFour: [{}, {"columns": 1, "rows": 1}, {"columns": 20, "rows": 3, "line": 2}],
    Hex: [{"size": 4}, {"size": 3, "swap": False}],
    RockPaperScissors: [{}, {"rounds": 1}],
    Pig: [{"target": 20}, {"target": 2, "sides": 2}],
    Goofspiel: [{}, {"cards": 1}, {"cards": 4, "ties": "carry"}],
    KuhnPoker: [{}],
    LiarsDice: [{"dice": 1}, {"dice": 2, "players": 3, "sides": 3, "wild": True}],
}


class All(unittest.TestCase):
    def test_the_promises_are_kept(self):
        for game, many in ALL.items():
            for options in many:
                with self.subTest(game.id, options=options):
                    check(game, options, games=10)

    def test_each_has_rules_for_people_and_notation(self):
        for game in ALL:
            self.assertTrue(game.guide.startswith("# ") and game.notation and game.summary)
            self.assertTrue(all(option.help for option in game.declared().values()))

    def test_the_programs_answer(self):
        requests = '{"id":1,"op":"hello","protocol":1}\n{"id":2,"op":"new","game":"%s"}\n'
        for game in ALL:
            path = GAMES / f"{game.id.replace('-', '_')}.py"
            ran = subprocess.run([sys.executable, str(path)], input=requests % game.id,
                                 capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            hello, new = (json.loads(line)["ok"] for line in ran.stdout.splitlines())
            self.assertEqual(hello["games"][0]["id"], game.id)
            self.assertEqual(new["ply"], 0)

    def test_broken_states_are_refused(self):
        """A field that is missing, or has a value of another type, never ends a program."""
        for game in ALL:
            program = Program(game)
            position = random_game(game, ALL[game][0], seed=1)[2]
            for field, value in itertools.product(position.wire(), [None, -1, "x", [], {}, 1e9]):
                if value == position.wire()[field]:
                    continue
                with self.subTest(game.id, field=field, value=value):
                    state = {**position.wire(), field: value}
                    line = {"op": "new", "game": game.id, "options": ALL[game][0], "state": state}
                    answer = json.loads(program.answer(json.dumps(line).encode()))
                    self.assertEqual(answer["error"]["code"], "bad_state")


class Tutorial(unittest.TestCase):
    """The code of the tutorial works as it stands there."""

    def test_the_game(self):
        text = (GAMES.parents[1] / "docs/src/start/your-own-game.md").read_text()
        game, tests, view, bot = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        head, end = game.split("\n\nif __name__")
        names = {"__name__": "game"}
        exec(head + "\n" + view, names)
        noughts = names["Noughts"]
        check(noughts)
        known = [9, 72, 504, 3024, 15120, 54720]
        self.assertEqual([perft(start(noughts), depth) for depth in range(1, 7)], known)
        self.assertIn("9, 72, 504, 3024, 15120\nand 54720", text)
        self.assertIn("run(Noughts)", end)
        exec(tests.replace("from game import Noughts\n", ""), names)
        result = unittest.TestResult()
        unittest.TestLoader().loadTestsFromTestCase(names["Rules"]).run(result)
        self.assertTrue(result.wasSuccessful() and result.testsRun == 2, result)
        self.assertIn(bot, (GAMES.parents[1] / "protocol/PROTOCOL.md").read_text())


class OfConnectFour(unittest.TestCase):
    def test_perft(self):
        known = [1, 7, 49, 343, 2401, 16807, 117649, 823536]
        self.assertEqual([perft(start(ConnectFour), depth) for depth in range(8)], known)

    def test_lines_in_all_directions_win(self):
        for line, moves in {
            "across": "a1 a2 b1 b2 c1 c2 d1",
            "upright": "a1 b1 a2 b2 a3 b3 a4",
            "up": "a1 b1 b2 c1 c2 d1 c3 d2 d3 a2 d4",
            "down": "d1 c1 c2 b1 b2 a1 b3 a2 a3 d2 a4",
            "in the middle": "a1 a2 b1 b2 d1 d2 c1",
        }.items():
            path = playthrough(ConnectFour, moves.split())
            self.assertIsNone(path[-2].result, line)
            self.assertEqual(path[-1].result, ([1, 0], "line", None), line)
        self.assertEqual(playthrough(ConnectFour, "g1 a1 b1 a2 b2 a3 b3 a4".split())[-1].result,
                         ([0, 1], "line", None))

    def test_a_full_board_is_a_draw(self):
        options = {"columns": 2, "rows": 1}
        self.assertEqual(playthrough(ConnectFour, ["a1", "b1"], options)[-1].ended(),
                         {"scores": [0, 0], "outcome": [0.5, 0.5], "reason": "board_full"})

    def test_the_board_is_drawn_as_it_lies(self):
        view = playthrough(ConnectFour, ["d1", "d2"])[-1]
        view = view.game.view(view.state)
        self.assertEqual(len(view["cells"]), 42)
        self.assertEqual([(piece["cell"], piece["glyph"]) for piece in view["pieces"]],
                         [("d1", "X"), ("d2", "O")])
        places = {cell["name"]: (cell["x"], cell["y"]) for cell in view["cells"]}
        self.assertEqual((places["a1"], places["d2"]), ((0, 0), (6, 1)))


class OfHex(unittest.TestCase):
    def test_counts(self):
        plain = {"size": 3, "swap": False}
        # Three stones can join the edges in 8 ways, in any order, among any two of the other player.
        won = 8 * factorial(3) * 6 * 5
        known = [9, 72, 504, 3024, 15120, (15120 - won) * 4]
        self.assertEqual([perft(start(Hex, plain), depth) for depth in range(1, 7)], known)
        self.assertEqual([perft(start(Hex), depth) for depth in (1, 2)], [121, 121 * 121])

    def test_a_full_board_has_one_winner(self):
        hex = Hex({"size": 3})
        for stones in itertools.product("VH", repeat=9):
            text = "".join(stones)
            rows = [text[row:row + 3] for row in (0, 3, 6)]
            self.assertNotEqual(hex.joined(rows, "V"), hex.joined(rows, "H"), rows)

    def test_the_first_stone_may_be_taken_over(self):
        path = playthrough(Hex, ["b4", "swap"], {"size": 5})
        self.assertIn("swap", path[1].legal)
        self.assertEqual((cells(path[2].state["rows"], "H"), path[2].to_move), ([(1, 3)], 0))
        self.assertNotIn("swap", path[2].legal)
        self.assertNotIn("swap", playthrough(Hex, ["b4", "b5", "a1"], {"size": 5})[-1].legal)
        self.assertNotIn("swap", playthrough(Hex, ["b4"], {"size": 5, "swap": False})[1].legal)

    def test_chains_bend(self):
        path = playthrough(Hex, "b1 a1 b2 c1 a3".split(), {"size": 3})
        self.assertEqual(path[-1].result, ([1, 0], "edges_joined", None))
        path = playthrough(Hex, "a2 a3 c2 b3 a1 c3".split(), {"size": 3})
        self.assertEqual(path[-1].result, ([0, 1], "edges_joined", None))


class OfRockPaperScissors(unittest.TestCase):
    def test_each_beats_one(self):
        moves = ["rock", "paper", "scissors"]
        for one, two in itertools.product(moves, repeat=2):
            end = playthrough(RockPaperScissors, [{0: one, 1: two}], {"rounds": 1})[-1]
            ahead = (moves.index(one) - moves.index(two)) % 3
            self.assertEqual(end.result.scores, [[0, 0], [1, 0], [0, 1]][ahead])
            self.assertEqual(end.ply, 2)

    def test_it_ends_when_nobody_can_catch_up(self):
        win, tie = {0: "paper", 1: "rock"}, {0: "rock", 1: "rock"}
        path = playthrough(RockPaperScissors, [win, tie, win, win, tie, win], {"rounds": 9})
        self.assertIsNone(path[-2].result)
        self.assertEqual(path[-1].result, ([4, 0], "decided", None))
        path = playthrough(RockPaperScissors, [tie, win, tie], {"rounds": 3})
        self.assertEqual(path[-1].result, ([1, 0], "all_rounds", None))


class OfPig(unittest.TestCase):
    def test_a_one_costs_the_turn(self):
        path = playthrough(Pig, ["roll", "6", "roll", "1"])
        self.assertEqual((path[-1].state["points"], path[-1].to_move), ([0, 0], 1))

    def test_who_holds_keeps_the_points(self):
        path = playthrough(Pig, ["roll", "6", "roll", "2", "hold"])
        self.assertEqual((path[-1].state["points"], path[-1].to_move), ([8, 0], 1))
        self.assertEqual(path[-1].legal, ["roll"])
        self.assertEqual(path[-2].scores(), ([8, 0], [1.0, 0.0]))

    def test_it_ends_at_the_target(self):
        path = playthrough(Pig, ["roll", "6", "hold", "roll", "5", "roll", "5"], {"target": 10})
        self.assertIsNone(path[-2].result)
        self.assertEqual(path[-1].ended(), {"scores": [6, 10], "outcome": [0.0, 1.0],
                                            "reason": "target_reached"})


class OfGoofspiel(unittest.TestCase):
    def test_the_higher_card_takes_the_prize(self):
        steps = ["2", {0: "3", 1: "1"}, "3", {0: "1", 1: "3"}, "1", {0: "2", 1: "2"}]
        path = playthrough(Goofspiel, steps, {"cards": 3})
        self.assertEqual([p.to_move for p in path[:3]], ["chance", [0, 1], "chance"])
        self.assertEqual(path[-1].result, ([2, 3], "no_cards", None))
        self.assertEqual(path[-1].ply, 9)

    def test_ties_may_be_carried_over(self):
        steps = ["3", {0: "2", 1: "2"}, "1", {0: "1", 1: "3"}, "2", {0: "3", 1: "1"}]
        for ties, scores in [("discard", [2, 1]), ("carry", [2, 4])]:
            end = playthrough(Goofspiel, steps, {"cards": 3, "ties": ties})[-1]
            self.assertEqual(end.result.scores, scores)

    def test_all_points_are_given_out_or_lost(self):
        for seed in range(20):
            end = random_game(Goofspiel, seed=seed)[-1]
            self.assertLessEqual(sum(end.result.scores), 91)

    def test_counts(self):
        # 2 cards: two prizes, then 2 by 2 bids, and then there is no choice any more.
        self.assertEqual([perft(start(Goofspiel, {"cards": 2}), d) for d in range(1, 5)],
                         [2, 8, 8, 8])


class Histories:
    """All histories of Kuhn poker, over the protocol."""

    def __init__(self):
        self.program = Program(KuhnPoker)
        self.ends = []
        #: For each seat: what it saw, and what it then knew.
        self.knowledge = [set(), set()]

    def walk(self, moves=(), reached=Fraction(1), seen=((), ())):
        """Goes through all that can follow. `reached` is the probability by chance alone."""
        ask = self.program.ask
        here = ask("get", want=["legal", "state"])
        for seat in (0, 1):
            known = ask("get", want=["observation"], **{"as": seat})["observation"]
            self.knowledge[seat].add((json.dumps(seen[seat]), json.dumps(known)))
        if here["result"]:
            self.ends.append((moves, reached, here["result"]["scores"]))
        for move in here["legal"]:
            chance = 1
            if here["to_move"] == "chance":
                chance = Fraction(here["legal"][move]).limit_denominator(10)
            sees = ask("play", moves=[move], want=["sees"])["sees"][0]
            self.walk((*moves, move), reached * chance,
                      tuple((*seen[seat], sees[seat]) for seat in (0, 1)))
            ask("undo")
        return self


class OfKuhnPoker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = Histories()
        program.program.ask("new", game="kuhn-poker")
        cls.histories = program.walk()

    def test_there_are_thirty_histories(self):
        ends = self.histories.ends
        self.assertEqual(len(ends), 30)
        self.assertEqual({moves[2:] for moves, _, _ in ends}, set(ENDS))
        self.assertTrue(all(sum(scores) == 0 for _, _, scores in ends))
        self.assertEqual(perft(start(KuhnPoker), 5), 12)

    def test_the_value_is_minus_an_eighteenth(self):
        for bluff in (Fraction(0), Fraction(1, 5), Fraction(1, 3)):
            self.assertEqual(self.value(bluff), Fraction(-1, 18))

    def value(self, bluff):
        """What `first` wins on average if both play an equilibrium: `first` bets with a jack with
        this probability."""
        third = Fraction(1, 3)
        bets = {"J": bluff, "Q": 0, "K": 3 * bluff}
        calls_late = {"J": 0, "Q": bluff + third, "K": 1}
        calls = {"J": 0, "Q": third, "K": 1}
        bets_late = {"J": third, "Q": 0, "K": 1}

        def chance(one, two, bet):
            """The probability that both play like that."""
            of = {"bet": bets[one], "check": 1 - bets[one]}
            made = of[bet[0]]
            if bet[0] == "bet":
                return made * (calls[two] if bet[1] == "call" else 1 - calls[two])
            made *= bets_late[two] if bet[1] == "bet" else 1 - bets_late[two]
            if bet[1] == "bet":
                made *= calls_late[one] if bet[2] == "call" else 1 - calls_late[one]
            return made

        return sum(reached * scores[0] * chance(moves[0], moves[1], moves[2:])
                   for moves, reached, scores in self.histories.ends)

    def test_probabilities_sum_to_one(self):
        self.assertEqual(sum(reached for moves, reached, _ in self.histories.ends
                             if moves[2:] == ("bet", "call")), 1)

    def test_observations_are_equal_exactly_if_a_seat_cannot_tell(self):
        for known in self.histories.knowledge:
            seen, observed = {pair[0] for pair in known}, {pair[1] for pair in known}
            # One observation for all that was seen, and nothing else that was seen has it.
            self.assertEqual((len(seen), len(observed)), (len(known), len(known)))
            self.assertLess(len(known), 55)

    def test_a_bot_cannot_tell_two_deals_apart(self):
        for own, (one, two) in {"J": "QK", "Q": "JK", "K": "JQ"}.items():
            for bets in ([], ["check"], ["bet"], ["check", "bet"], ["bet", "fold"]):
                first = [playthrough(KuhnPoker, [own, other, *bets])[-1] for other in (one, two)]
                second = [playthrough(KuhnPoker, [other, own, *bets])[-1] for other in (one, two)]
                for seat, pair in enumerate((first, second)):
                    self.assertEqual(pair[0].observation(seat), pair[1].observation(seat))
                    self.assertNotEqual(pair[0].observation(1 - seat), pair[1].observation(1 - seat))

    def test_samples_have_every_card_that_may_be(self):
        program = Program(KuhnPoker)
        program.ask("new", game="kuhn-poker")
        known = program.ask("play", moves=["Q", "K", "bet"], want=["observation"], **{"as": 0})
        program.ask("new", game="kuhn-poker", observation=known["observation"])
        states = program.ask("sample", **{"as": 0, "count": 50})["states"]
        self.assertEqual({state["cards"] for state in states}, {"QJ", "QK"})
        self.assertEqual({state["ply"] for state in states}, {3})


class OfLiarsDice(unittest.TestCase):
    def test_probabilities_sum_to_one(self):
        for count, sides in itertools.product(range(1, 6), (2, 6, 9)):
            chances = rolls(count, sides)
            self.assertAlmostEqual(sum(chances.values()), 1)
        self.assertEqual(len(rolls(5, 6)), 252)
        self.assertAlmostEqual(rolls(2, 6)["12"], 2 / 36)
        self.assertAlmostEqual(rolls(2, 6)["33"], 1 / 36)

    def test_bids_rise(self):
        legal = playthrough(LiarsDice, ["12", "56", "2x3"], {"dice": 2})[-1].legal
        self.assertEqual(legal[:4] + legal[-1:], ["2x4", "2x5", "2x6", "3x1", "liar"])
        self.assertNotIn("liar", playthrough(LiarsDice, ["12", "56"], {"dice": 2})[-1].legal)

    def test_who_is_wrong_loses_a_die(self):
        for bid, left, turn in [("2x5", [2, 1], 1), ("3x5", [1, 2], 0)]:
            path = playthrough(LiarsDice, ["25", "56", bid, "liar"], {"dice": 2})
            state = path[-1].state
            self.assertEqual((state["left"], state["turn"]), (left, turn))
            self.assertEqual(path[-1].to_move, "chance")

    def test_wild_ones_count_as_everything(self):
        for wild, left in [(False, [1, 2]), (True, [2, 1])]:
            options = {"dice": 2, "wild": wild}
            path = playthrough(LiarsDice, ["15", "16", "3x5", "liar"], options)
            self.assertEqual(path[-1].state["left"], left)

    def test_who_is_out_first_is_last(self):
        # `second` lies and is out; then `first` lies, and `third` has won.
        steps = ["1", "2", "3", "1x1", "3x2", "liar", "1", "2", "1x2", "2x2", "liar"]
        path = playthrough(LiarsDice, steps, {"dice": 1, "players": 3})
        self.assertEqual(path[6].state["left"], [1, 0, 1])
        self.assertEqual(path[-1].ended(), {"scores": [1, 0, 2], "outcome": [0.5, 0.0, 1.0],
                                            "reason": "one_left"})

    def test_the_dice_of_others_are_not_seen(self):
        one, two = (playthrough(LiarsDice, ["25", other, "2x3"], {"dice": 2})[-1]
                    for other in ("11", "36"))
        self.assertEqual(one.observation(0), two.observation(0))
        self.assertNotEqual(one.observation(1), two.observation(1))
        called = playthrough(LiarsDice, ["25", "11", "2x3", "liar"], {"dice": 2})
        self.assertEqual(called[-2].sees("liar")[0][1]["dice"], ["25", "11"])
        self.assertEqual(called[1].sees("11"), [[], ["11"]])

    def test_states_that_no_match_can_be_in_are_refused(self):
        state = playthrough(LiarsDice, ["25", "11", "2x3", "liar", "2"], {"dice": 2})[-1].wire()
        game = LiarsDice({"dice": 2})
        Position.read(game, state)
        for change in ({"left": [2, 2]}, {"turn": 1}, {"past": []}, {"dice": ["2", "9"]},
                       {"bids": [[0, "1x1"]]}, {"dice": ["22", None]}):
            with self.assertRaises(BadState):
                Position.read(game, {**state, **change})


if __name__ == "__main__":
    unittest.main()
