"""Tests of the game: python3 -m unittest"""

import unittest

from game import Nim
from referee_rules import perft
from referee_rules.testing import check, playthrough, start


class Rules(unittest.TestCase):
    def test_the_promises_of_a_rules_program_hold(self):
        check(Nim)
        check(Nim, {"heap": 1})
        check(Nim, {"heap": 30, "most": 10})

    def test_who_takes_the_last_one_wins(self):
        path = playthrough(Nim, ["take3", "take1", "take1"], {"heap": 5})
        self.assertIsNone(path[-2].result)
        self.assertEqual(path[-1].result, ([1, 0], "heap_empty", None))
        self.assertEqual(path[-1].legal, [])

    def test_no_more_than_are_left(self):
        self.assertEqual(start(Nim, {"heap": 2}).legal, ["take1", "take2"])
        self.assertEqual(start(Nim, {"most": 1}).legal, ["take1"])

    def test_perft(self):
        counts = [perft(start(Nim, {"heap": 5}), depth) for depth in range(7)]
        self.assertEqual(counts, [1, 3, 8, 10, 5, 1, 0])


if __name__ == "__main__":
    unittest.main()
