"""The loop, without a referee: messages in, answers out."""

import asyncio
import contextlib
import io
import json
import threading
import time
import unittest

from referee_bot import RESIGN, AsyncBot, Bot, Move, NoMove, Played, __version__

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
             "wants": {"state": False, "legal": True}, "sdk": f"python {__version__}"},
            {"type": "ready"},
            {"type": "move", "move": "+c5s", "ply": 3},
        ])
        self.assertEqual((bot.matches[0].game, bot.matches[0].seat), ("siam", 1))
        self.assertEqual(bot.turns[0].moves, [Played(0, "+c1n")])
        self.assertEqual(bot.results, [END["result"]])

    def test_chance_has_no_seat_and_what_is_hidden_is_observed(self):
        bot = Scripted()
        start = {**START, "observation": {"card": None}}
        del start["state"]
        turn = {
            **TURN, "moves": [{"seat": None, "move": "heads"}], "observation": {"card": 2},
            "sees": [["2"], []],
        }
        del turn["state"]
        talk(bot, start, turn, TURN)
        self.assertEqual((bot.matches[0].state, bot.matches[0].observation), (None, {"card": None}))
        hidden, plain = bot.turns
        self.assertEqual(hidden.moves, [Played(None, "heads")])
        self.assertEqual((hidden.state, hidden.observation), (None, {"card": 2}))
        self.assertEqual((hidden.sees, plain.sees), ([["2"], []], []))
        self.assertEqual((plain.state, plain.observation), ({"ply": 3}, None))

    def test_moves_may_carry_info_and_a_match_may_be_given_up(self):
        answers, _ = talk(Scripted(Move("+a1n", {"value": 0.5})), START, TURN)
        self.assertEqual(answers[1]["info"], {"value": 0.5})
        answers, _ = talk(Scripted(RESIGN), START, TURN)
        self.assertEqual(answers[1], {"type": "resign"})

    def test_a_bot_without_a_move_says_why(self):
        answers, _ = talk(Scripted(NoMove("the model is away")), START, TURN)
        fault = {"type": "fault", "code": "no_move", "message": "the model is away"}
        self.assertEqual(answers[1], fault)
        answers, _ = talk(Scripted(NoMove()), START, TURN)
        self.assertEqual(answers[1], {"type": "fault", "code": "no_move"})

    def test_offers_are_read_and_come_before_the_move(self):
        class Agreeable(Scripted):
            def choose(self, turn):
                for offer in turn.offers:
                    self.offer(offer["kind"], outcome=offer.get("outcome"))
                return super().choose(turn)

        bot = Agreeable()
        draw = {"seat": 0, "kind": "draw"}
        settle = {"seat": 0, "kind": "settle", "outcome": [1.0, 0.0], "scores": [2, 0]}
        start = {**START, "offers": True}
        said, _ = talk(bot, start, {**TURN, "offers": [draw]}, {**TURN, "offers": [settle]}, TURN)
        move = {"type": "move", "move": "+c5s", "ply": 3}
        self.assertEqual(said[1:], [
            {"type": "offer", "kind": "draw"}, move,
            {"type": "offer", "kind": "settle", "outcome": [1.0, 0.0]}, move, move,
        ])
        self.assertTrue(bot.matches[0].takes_offers)

    def test_an_analysis_says_how_many_lines_it_would_like(self):
        bot = Scripted()
        talk(bot, START, {**TURN, "lines": 3}, TURN)
        self.assertEqual([turn.lines for turn in bot.turns], [3, None])
        self.assertFalse(bot.matches[0].takes_offers)

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


class Ponderer(Bot):
    """Ponders until it is stopped."""

    def __init__(self):
        self.pondered, self.begun = [], threading.Event()

    def choose(self, turn):
        return turn.legal[0]

    def ponder(self, turn, choice, stop):
        self.begun.set()
        stop.wait()
        self.pondered.append((turn.ply, choice))


class Waiting:
    """Lines of which all after the first turn come only when an event has happened."""

    def __init__(self, event, *messages):
        self.event, self.messages = event, messages

    def __iter__(self):
        for message in self.messages:
            yield json.dumps(message) + "\n"
            if message["type"] == "turn":
                assert self.event.wait(60)


class Pondering(unittest.TestCase):
    def test_it_lasts_from_the_answer_to_the_next_message(self):
        bot = Ponderer()
        output = io.StringIO()
        bot.run(Waiting(bot.begun, START, TURN, {**TURN, "ply": 5}, {"type": "quit"}), output)
        self.assertEqual(bot.pondered, [(3, "+c5s"), (5, "+c5s")])
        answers = [json.loads(line)["type"] for line in output.getvalue().splitlines()]
        self.assertEqual(answers, ["ready", "move", "move"])

    def test_a_bot_that_does_not_ponder_has_no_thread(self):
        before = threading.active_count()
        talk(Scripted(), START, TURN)
        self.assertEqual(threading.active_count(), before)


class AsyncScripted(AsyncBot):
    """Like `Scripted`; ponders until it is cancelled."""

    name = "async"

    def __init__(self):
        self.results, self.cancelled, self.begun = [], 0, threading.Event()

    async def choose(self, turn):
        await asyncio.sleep(0)
        self.info(depth=1)
        return Move(turn.legal[1], {"value": 0.5})

    async def ended(self, result):
        self.results.append(result)

    async def ponder(self, turn, choice):
        self.begun.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


class Async(unittest.TestCase):
    def test_a_match_is_answered_message_by_message(self):
        bot = AsyncScripted()
        output = io.StringIO()
        lines = Waiting(bot.begun, HELLO, START, TURN, END, {"type": "quit"}, HELLO)
        bot.run(lines, output)
        answers = [json.loads(line) for line in output.getvalue().splitlines()]
        self.assertEqual(answers, [
            {"type": "hello", "protocol": 1, "name": "async",
             "wants": {"state": True, "legal": True}, "sdk": f"python {__version__}"},
            {"type": "ready"},
            {"type": "info", "depth": 1},
            {"type": "move", "move": "+a1n", "ply": 3, "info": {"value": 0.5}},
        ])
        self.assertEqual((bot.results, bot.cancelled), ([END["result"]], 1))

    def test_what_goes_wrong_ends_the_bot(self):
        class Failing(AsyncBot):
            async def choose(self, turn):
                raise KeyError("lost")

        with self.assertRaises(KeyError):
            talk(Failing(), START, TURN)
        with self.assertRaises(json.JSONDecodeError):
            talk(Failing(), "nonsense\n")


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
