"""Tests of the bridge with bots that are written here."""

import json
import sys
import tempfile
import time
import unittest
from pathlib import Path

import botzone
from referee_bot import Match, Move, NoMove, Turn

STATE = {"amazons": [["a3", "c1", "f1", "h3"], ["a6", "c8", "f8", "h6"]], "arrows": []}
ANSWER = {"x0": 2, "y0": 7, "x1": 2, "y1": 2, "x2": 7, "y2": 2}
# It puts its questions into a file, and answers each in the same way.
BOT = """
import sys
while line := sys.stdin.readline():
    print(line, end="", file=open(sys.argv[1], "a"), flush=True)
    print({answer!r}, flush=True)
    if {kept}:
        print({mark!r}, flush=True)
    else:
        break
"""


class Botzone(unittest.TestCase):
    def play(self, answer: str, kept: bool = False, state: dict = STATE) -> tuple[list, list]:
        """Two turns of the second seat: what the bridge answers, and what the bot was asked."""
        with tempfile.TemporaryDirectory() as folder:
            bot, asked = Path(folder, "bot.py"), Path(folder, "asked")
            bot.write_text(BOT.format(answer=answer, kept=kept, mark=botzone.KEPT))
            asked.touch()
            bridge = botzone.Botzone([sys.executable, str(bot), str(asked)], simple=False)
            start = {"match": "m", "game": "amazons", "options": {"size": 8}, "seat": 1}
            match = Match.read({**start, "state": state})
            bridge.started(match)
            answers = []
            for moves in (["f1-f4/g5"], ["c8-c3/h3", "a3-a4/a5"]):
                played = [{"seat": len(moves) - 1 - at, "move": it} for at, it in enumerate(moves)]
                message = {"ply": 1, "moves": played}
                answers.append(bridge.choose(Turn.read(match, message, time.monotonic())))
            bridge.ended({})
            return answers, [json.loads(line) for line in asked.read_text().splitlines()]

    def test_a_bot_that_ends_gets_the_whole_history(self) -> None:
        answers, asked = self.play(json.dumps({"response": ANSWER, "data": "x"}))
        self.assertEqual(answers, [Move("c8-c3/h3")] * 2)
        first = {"x0": 5, "y0": 0, "x1": 5, "y1": 3, "x2": 6, "y2": 4}
        second = {"x0": 0, "y0": 2, "x1": 0, "y1": 3, "x2": 0, "y2": 4}
        self.assertEqual(asked[0], {"requests": [first], "responses": []})
        self.assertEqual(asked[1], {"requests": [first, second], "responses": [ANSWER]})

    def test_a_bot_that_is_kept_gets_the_last_move(self) -> None:
        answers, asked = self.play(json.dumps({"response": ANSWER}), kept=True)
        self.assertEqual(answers, [Move("c8-c3/h3")] * 2)
        self.assertEqual(asked[1], {"x0": 0, "y0": 2, "x1": 0, "y1": 3, "x2": 0, "y2": 4})

    def test_what_is_no_move_is_said(self) -> None:
        for answer in ("", "hello", "[1]", '{"response": {"x0": 9}}', '{"response": -1}'):
            answers, _ = self.play(answer)
            self.assertIsInstance(answers[0], NoMove, answer)

    def test_other_starts_are_refused(self) -> None:
        answers, asked = self.play("", state={"amazons": [["a2"], ["e5"]], "arrows": []})
        self.assertIsInstance(answers[0], NoMove)
        self.assertEqual(asked, [])


if __name__ == "__main__":
    unittest.main()
