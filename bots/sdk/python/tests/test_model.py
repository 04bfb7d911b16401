"""The forward model, against the real one: REFEREE names the program, or it is on the PATH."""

import os
import shutil
import unittest

from referee_bot import Model, ModelError

FOUND = shutil.which(os.environ.get("REFEREE", "referee"))


@unittest.skipUnless(FOUND, "needs `referee` on the PATH or in REFEREE")
class ForwardModel(unittest.TestCase):
    def setUp(self):
        self.model = Model()
        self.addCleanup(self.model.close)
        self.model.new("amazons", {"size": 5}, seed=1)

    def test_a_game_is_played_back_and_forth(self):
        legal, key = self.model.legal(), self.model.key()
        self.assertEqual(len(legal), 260)
        position = self.model.play(legal[7])
        self.assertEqual((position.ply, position.to_move, position.over), (1, 1, False))
        self.assertNotEqual(self.model.key(), key)
        self.assertEqual(self.model.undo(), self.model.position())
        self.assertEqual((self.model.key(), self.model.legal()), (key, legal))
        self.assertEqual(self.model.perft(2), 50422)

    def test_states_can_be_set_up_again(self):
        self.model.play(self.model.legal()[0])
        state, key = self.model.state(), self.model.key()
        self.model.new("amazons", {"size": 5}, state=state)
        self.assertEqual((self.model.state(), self.model.key()), (state, key))
        self.assertEqual(len(self.model.view()["cells"]), 25)

    def test_playouts_give_means(self):
        playout = self.model.playout(50, seed=1)
        self.assertAlmostEqual(sum(playout.outcome), 1)
        self.assertGreater(playout.plies, 4)
        self.assertEqual(list(self.model.playouts(1, seed=1)), self.model.legal())
        before = self.model.position()
        self.assertAlmostEqual(sum(self.model.playout_after(self.model.legal()[:1]).outcome), 1)
        self.assertEqual(self.model.position(), before)

    def test_the_end_is_told(self):
        self.model.new("run", seed=1)
        while not (position := self.model.position()).over and position.ply < 600:
            self.model.play(self.model.legal()[-1])
        if position.over:
            self.assertIsNone(position.to_move)
            self.assertEqual(self.model.legal(), [])

    def test_what_is_refused_changes_nothing(self):
        self.model.play(self.model.legal()[0])
        before = self.model.key()
        with self.assertRaises(ModelError):
            self.model.playout_after(["z9-z8/z7"])
        with self.assertRaises(ModelError) as refused:
            self.model.play(self.model.legal()[0], "z9-z8/z7")
        self.assertEqual(refused.exception.code, "illegal_move")
        with self.assertRaises(ModelError) as refused:
            self.model.new("chess")
        self.assertEqual(refused.exception.code, "unknown_game")
        self.assertEqual(self.model.key(), before)


class Missing(unittest.TestCase):
    def test_a_model_that_is_gone_is_an_error(self):
        with Model(["true"]) as model, self.assertRaises(ModelError) as gone:
            model.new("siam")
        self.assertEqual(gone.exception.code, "gone")

    def test_a_model_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(ModelError, "no program `/no/such/program`") as gone:
            Model(["/no/such/program"])
        self.assertEqual(gone.exception.code, "gone")


if __name__ == "__main__":
    unittest.main()
