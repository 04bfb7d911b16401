"""Tests of the translation to UCI and back."""

import time
import unittest

import uci
from referee_bot import Match, Turn

START = [["a4", "d1", "g1", "j4"], ["a7", "d10", "g10", "j7"]]


def turn(clock: dict, state: dict, **options: int) -> Turn:
    start = {"match": "m", "game": "amazons", "options": options, "seat": 1, "state": state}
    match = Match.read({**start, "players": [], "time": {}, "limits": {}})
    message = {"ply": 3, "moves": [], "state": state, "clock": clock}
    return Turn.read(match, message, time.monotonic())


class Translation(unittest.TestCase):
    def test_positions(self) -> None:
        state = {"to_move": 0, "amazons": START, "arrows": []}
        start = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 2"
        self.assertEqual(uci.fen(turn({}, state)), start)
        state = {"to_move": 1, "amazons": [["a1"], ["e5"]], "arrows": ["b1", "e4"]}
        self.assertEqual(uci.fen(turn({}, state, size=5)), "4q/4*/5/5/Q*3 b - - 0 2")
        wide = turn({}, state, columns=12, rows=5)
        self.assertEqual(uci.fen(wide), "4q7/4*7/12/12/Q*10 b - - 0 2")

    def test_moves(self) -> None:
        self.assertEqual(uci.ours("d1d10,d10a7"), "d1-d10/a7")
        self.assertEqual(uci.ours("j10a1,a1j10"), "j10-a1/j10")

    def test_clocks(self) -> None:
        game = {"remaining_ms": [9400.0, 8800.0], "increment_ms": 100}
        self.assertEqual(uci.limits(turn(game, {})), "wtime 9400 btime 8800 winc 100 binc 100")
        for clock in ({"move_ms": 100.0}, {**game, "move_ms": 100.0}):
            self.assertEqual(uci.limits(turn(clock, {})), "movetime 70")

    def test_reports(self) -> None:
        line = "info depth 7 seldepth 9 score cp 0 nodes 1200 nps 9 pv d1d7,d7g7 a7a8,a8b8"
        expected = {"depth": 7, "nodes": 1200, "value": 0.5, "pv": ["d1-d7/g7", "a7-a8/b8"]}
        self.assertEqual(uci.search_info(line), expected)
        self.assertEqual(uci.search_info("info score mate -3 pv a1a2,a2a1")["value"], 0.0)


if __name__ == "__main__":
    unittest.main()
