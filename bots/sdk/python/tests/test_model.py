"""The forward model, against the real one: REFEREE names the program, or it is on the PATH."""

import asyncio
import os
import shutil
import unittest

from referee_bot import AsyncModel, Model, ModelError

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

    def test_children_after_moves_leave_the_position(self):
        before, first = self.model.position(), self.model.legal()[0]
        after = self.model.children_after([first], want=["value"])
        self.assertEqual(self.model.position(), before)
        self.model.play(first)
        self.assertEqual(after, self.model.children(want=["value"]))

    def test_one_answer_can_hold_everything(self):
        want = ["legal", "state", "key", "value", "view"]
        start = self.model.position(want)
        self.assertEqual(start.legal, self.model.legal())
        self.assertEqual((start.state, start.key), (self.model.state(), self.model.key()))
        self.assertEqual((start.value, start.view), (self.model.evaluate(), self.model.view()))
        self.assertAlmostEqual(sum(start.value), 1, 5)
        played = self.model.play(start.legal[0], want=["key"])
        self.assertIsNone(played.legal)
        self.assertEqual(self.model.undo(want=want), start)
        again = self.model.new("amazons", {"size": 5}, seed=1, want=["key"])
        self.assertEqual(again.key, start.key)

    def test_children_are_the_positions_after_each_move(self):
        children = self.model.children(want=["value", "state"])
        self.assertEqual([child.move for child in children], self.model.legal())
        first = children[0]
        self.assertEqual(self.model.play(first.move, want=["key", "value", "state"]),
                         first.position)

    def test_random_games_stop_in_time(self):
        playout = self.model.playout(ms=5)
        self.assertGreater(playout.count, 0)
        self.assertEqual(self.model.playout(3, seed=1).count, None)
        self.assertEqual(self.model.playout(3, seed=1, ms=60000).count, 3)
        self.assertLessEqual(set(self.model.playouts(ms=5)), set(self.model.legal()))

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


@unittest.skipUnless(FOUND, "needs `referee` on the PATH or in REFEREE")
class AsyncForwardModel(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.model = await AsyncModel.start()
        self.addAsyncCleanup(self.model.close)
        await self.model.new("amazons", {"size": 5}, seed=1)

    async def test_it_says_what_the_other_one_says(self):
        with Model() as model:
            model.new("amazons", {"size": 5}, seed=1)
            legal, key, value = await asyncio.gather(
                self.model.legal(), self.model.key(), self.model.evaluate())
            self.assertEqual((legal, key, value), (model.legal(), model.key(), model.evaluate()))
            self.assertEqual(await self.model.children(), model.children())
            self.assertEqual(await self.model.playout(5, 1), model.playout(5, 1))
            self.assertEqual(await self.model.playouts(1, 1), model.playouts(1, 1))
            self.assertEqual(await self.model.playout_after(legal[:1], 2),
                             model.playout_after(legal[:1], 2))
            self.assertEqual(await self.model.children_after(legal[:1], ["value"]),
                             model.children_after(legal[:1], ["value"]))
            self.assertEqual(await self.model.perft(2), model.perft(2))
            self.assertEqual(await self.model.play(legal[3], want=["key"]),
                             model.play(legal[3], want=["key"]))
            self.assertEqual(await self.model.undo(), model.undo())
            self.assertEqual(await self.model.state(), model.state())
            self.assertEqual(await self.model.view(), model.view())
            self.assertEqual(await self.model.position(), model.position())

    async def test_what_is_refused_changes_nothing(self):
        key = await self.model.key()
        with self.assertRaises(ModelError) as refused:
            await self.model.playout_after(["z9-z8/z7"])
        with self.assertRaises(ModelError):
            await self.model.children_after(["z9-z8/z7"])
        self.assertEqual(refused.exception.code, "illegal_move")
        self.assertEqual(await self.model.key(), key)

    async def test_a_request_that_is_cancelled_leaves_the_answers_in_order(self):
        key = await self.model.key()
        playout = asyncio.create_task(self.model.playout(2000))
        await asyncio.sleep(0)
        playout.cancel()
        self.assertEqual(await self.model.key(), key)


class Missing(unittest.TestCase):
    def test_a_model_that_is_gone_is_an_error(self):
        with Model(["true"]) as model, self.assertRaises(ModelError) as gone:
            model.new("siam")
        self.assertEqual(gone.exception.code, "gone")

    def test_a_model_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(ModelError, "no program `/no/such/program`") as gone:
            Model(["/no/such/program"])
        self.assertEqual(gone.exception.code, "gone")

    def test_the_same_with_coroutines(self):
        async def ask(*command):
            async with await AsyncModel.start(command) as model:
                await model.new("siam")

        for command in ("true", "/no/such/program"):
            with self.assertRaises(ModelError) as gone:
                asyncio.run(ask(command))
            self.assertEqual(gone.exception.code, "gone")


if __name__ == "__main__":
    unittest.main()
