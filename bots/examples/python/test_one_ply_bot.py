"""Tests of the bot: python3 -m unittest"""

import random
import unittest

from one_ply_bot import choose, play


class Choose(unittest.TestCase):
    def choose(self, state, *legal):
        return choose(state, list(legal), random.Random(1))

    def test_captures_and_pushes_come_first(self):
        self.assertEqual(self.choose({}, "c1-c2", "c3xe3", "c3xe3xg5"), "c3xe3xg5")
        self.assertEqual(self.choose({}, "+c1n", "c1-out", "c2>c3"), "c2>c3")

    def test_then_the_most_fish(self):
        fish = {"fish": ["132", "11", "12."]}
        self.assertEqual(self.choose(fish, "a1-b1", "a1-c3", "a1-b3", "a1-c1"), "a1-b3")
        self.assertEqual(self.choose(fish, "a1", "b1", "c1"), "b1")

    def test_then_the_loneliest_shot(self):
        self.assertEqual(self.choose({}, "a1-b1/b2", "a1-b2/b1", "a1-b1/c7"), "a1-b1/c7")


class Play(unittest.TestCase):
    def test_a_match_is_answered(self):
        answers = []
        play(
            [
                '{"type":"hello","protocol":1,"referee":"referee 0.1.0"}',
                '{"type":"start","match":"m-000001","game":"run","seat":0}',
                '{"type":"turn","ply":4,"moves":[],"state":{},"legal":["e4-e5"],"clock":{}}',
                '{"type":"end","moves":[],"result":{}}',
                '{"type":"quit"}',
            ],
            answers.append,
        )
        self.assertEqual([answer["type"] for answer in answers], ["hello", "ready", "move"])
        self.assertEqual(answers[2], {"type": "move", "move": "e4-e5", "ply": 4})


if __name__ == "__main__":
    unittest.main()
