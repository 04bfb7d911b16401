"""The harness, with the real model: REFEREE names the program, or it is on the PATH."""

import os
import shutil
import unittest

from referee_bot import RESIGN, AsyncBot, Bot, Move
from referee_bot.testing import BadReply, _plies, _seat, ask

FOUND = shutil.which(os.environ.get("REFEREE", "referee"))


class Last(Bot):
    def choose(self, turn):
        self.info(seat=turn.match.seat)
        return Move(turn.legal[-1], {"plies": len(turn.moves), "ply": turn.ply})


class Deaf(Bot):
    wants_state = wants_legal = False

    def choose(self, turn):
        return "a1" if turn.legal or turn.state else RESIGN


class AsyncFirst(AsyncBot):
    async def choose(self, turn):
        return turn.legal[0]


class Wrong(Bot):
    def choose(self, turn):
        return "z9"


class Mute(Bot):
    def choose(self, turn):
        raise SystemExit


class Steps(unittest.TestCase):
    def test_steps_become_plies_in_the_order_of_a_match(self):
        self.assertEqual(list(_plies(1, "a1")), [{"seat": 1, "move": "a1"}])
        self.assertEqual(list(_plies("chance", "heads")), [{"seat": None, "move": "heads"}])
        step = {"chance": "heads", "0": "rock", "2": "paper"}
        self.assertEqual(list(_plies([0, 2, "chance"], step)), [
            {"seat": 0, "move": "rock"}, {"seat": 2, "move": "paper"},
            {"seat": None, "move": "heads"},
        ])

    def test_a_bot_takes_a_seat_that_is_to_move(self):
        self.assertEqual((_seat(1, None), _seat([0, 2], None), _seat([0, 2, "chance"], 2)), (1, 0, 2))
        for to_move, seat in ((None, None), ("chance", None), ([0, 1], 2)):
            with self.assertRaises(ValueError):
                _seat(to_move, seat)


@unittest.skipUnless(FOUND, "needs `referee` on the PATH or in REFEREE")
class Harness(unittest.TestCase):
    def test_a_bot_plays_where_it_is_put(self):
        reply = ask(Last(), "siam", moves=["+c1n", "+c5s", "c1-c2n"])
        self.assertEqual(reply.move, reply.legal[-1])
        self.assertEqual((reply.info, reply.progress), ({"plies": 3, "ply": 3}, [{"seat": 1}]))
        self.assertEqual(reply.state["elephants"], {"c2": "n"})
        again = ask(Last(), "siam", state=reply.state)
        self.assertEqual((again.move, again.info), (reply.move, {"plies": 0, "ply": 3}))

    def test_a_bot_gets_what_it_wants(self):
        self.assertIsNone(ask(Deaf(), "amazons", options={"size": 5}).move)
        self.assertIsNotNone(ask(AsyncFirst(), "amazons", options={"size": 5}).move)

    def test_bad_replies_are_errors(self):
        with self.assertRaisesRegex(BadReply, "`z9` is not legal; legal are a1"):
            ask(Wrong(), "elephant-run")
        with self.assertRaises(SystemExit):
            ask(Mute(), "elephant-run")
        with self.assertRaisesRegex(ValueError, "over"):
            ask(Last(), "elephant-run", moves=["a1", "a2", "b1", "b2", "a3", "c1", "c3"])


if __name__ == "__main__":
    unittest.main()
