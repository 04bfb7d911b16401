"""The loop, without a referee: messages in, answers out."""

import contextlib
import io
import json
import time
import unittest

from referee_bot import RESIGN, Bot, Move, Played

HELLO = {"type": "hello", "protocol": 1, "referee": "referee 0.1.0"}
START = {
    "type": "start", "match": "m-000001", "game": "siam", "options": {"max_exits": None},
    "seat": 1, "role": "rhinos", "players": [{"name": "a", "role": "elephants"}],
    "state": {"ply": 0}, "time": {}, "limits": {"max_plies": 300, "repetition": 3},
    "weather": "fine",
}
TURN = {
    "type": "turn", "ply": 3, "moves": [{"seat": 0, "move": "+c1n"}], "state": {"ply": 3},
    "legal": ["+c5s", "+a1n"], "clock": {"move_ms": 100},
}
END = {"type": "end", "moves": [], "result": {"scores": [0, 1], "outcome": [0.0, 1.0]}}


class Scripted(Bot):
    """Gives what it was told to, and remembers what it was told."""

    name = "scripted"
    version = "7"
    wants_state = False

    def __init__(self, choice=None):
        self.choice = choice
        self.matches, self.turns, self.results = [], [], []

    def started(self, match):
        self.matches.append(match)

    def choose(self, turn):
        self.turns.append(turn)
        return turn.legal[0] if self.choice is None else self.choice

    def ended(self, result):
        self.results.append(result)


def talk(bot, *messages):
    """What the bot answers to these messages, and prints to stderr."""
    lines = [m if isinstance(m, str) else json.dumps(m) + "\n" for m in messages]
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(errors):
        bot.run(io.StringIO("".join(lines)), output)
    return [json.loads(line) for line in output.getvalue().splitlines()], errors.getvalue()


class Loop(unittest.TestCase):
    def test_a_match_is_answered_message_by_message(self):
        bot = Scripted()
        answers, _ = talk(bot, HELLO, START, TURN, END, {"type": "quit"}, HELLO)
        self.assertEqual(answers, [
            {"type": "hello", "protocol": 1, "name": "scripted", "version": "7",
             "wants": {"state": False, "legal": True}},
            {"type": "ready"},
            {"type": "move", "move": "+c5s", "ply": 3},
        ])
        self.assertEqual((bot.matches[0].game, bot.matches[0].seat), ("siam", 1))
        self.assertEqual(bot.turns[0].moves, [Played(0, "+c1n")])
        self.assertEqual(bot.results, [END["result"]])

    def test_moves_may_carry_info_and_a_match_may_be_given_up(self):
        answers, _ = talk(Scripted(Move("+a1n", {"value": 0.5})), START, TURN)
        self.assertEqual(answers[1]["info"], {"value": 0.5})
        answers, _ = talk(Scripted(RESIGN), START, TURN)
        self.assertEqual(answers[1], {"type": "resign"})

    def test_what_is_unknown_or_empty_is_passed_over(self):
        answers, _ = talk(Scripted(), {"type": "applause", "volume": 11}, "\r\n", START)
        self.assertEqual(answers, [{"type": "ready"}])

    def test_faults_and_logs_go_to_stderr(self):
        answers, told = talk(Scripted(), {"type": "error", "code": "timeout", "message": "late"})
        self.assertEqual((answers, told), ([], "lost by timeout: late\n"))

    def test_what_is_printed_is_no_message(self):
        class Printer(Bot):
            def choose(self, turn):
                print("thinking")
                return turn.legal[0]

        answers, told = talk(Printer(), START, TURN)
        self.assertEqual([answer["type"] for answer in answers], ["ready", "move"])
        self.assertEqual(told, "thinking\n")

    def test_a_forgotten_return_is_told(self):
        class Silent(Bot):
            def choose(self, turn):
                turn.legal[0]

        with self.assertRaisesRegex(TypeError, "returned None"):
            talk(Silent(), START, TURN)

    def test_info_is_sent_while_the_bot_thinks(self):
        class Talker(Bot):
            def choose(self, turn):
                self.info(depth=3)
                return turn.legal[1]

        answers, _ = talk(Talker(), START, TURN)
        self.assertEqual(answers[1:], [{"type": "info", "depth": 3},
                                       {"type": "move", "move": "+a1n", "ply": 3}])


class Time(unittest.TestCase):
    def budget(self, clock):
        bot = Scripted()
        talk(bot, START, {**TURN, "clock": clock})
        return bot.turns[0]

    def test_the_smaller_limit_counts(self):
        self.assertAlmostEqual(self.budget({"move_ms": 100}).budget(), 0.07)
        clock = {"move_ms": 100, "remaining_ms": [None, 1_000_000]}
        self.assertAlmostEqual(self.budget(clock).budget(), 0.07)
        clock = {"move_ms": 10_000, "remaining_ms": [0, 10_000]}
        self.assertLess(self.budget(clock).budget(), 0.4)
        self.assertEqual(self.budget({}).budget(), 1.0)
        self.assertEqual(self.budget({"remaining_ms": [9, None]}).budget(), 1.0)
        self.assertEqual(self.budget({"move_ms": 5}).budget(), 0.0)

    def test_a_game_clock_never_runs_out(self):
        for increment in (0, 10, 1000):
            left = 2000.0
            for _ in range(300):
                turn = self.budget({"remaining_ms": [0, left], "increment_ms": increment})
                spent = turn.budget() * 1000
                self.assertLess(spent, left)
                left += increment - spent
                if left < 15:
                    break

    def test_time_goes_by(self):
        turn = self.budget({"move_ms": 1000})
        before = turn.time_left()
        time.sleep(0.01)
        self.assertLessEqual(turn.time_left(), before - 0.01)


if __name__ == "__main__":
    unittest.main()
