// The forward model, against the real one: REFEREE names the program, or it is on the PATH.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Model } from "../index.js";

const program = process.env.REFEREE ?? "referee";
const found = spawnSync(program, ["--version"]).status === 0;
const options = { skip: found ? false : "needs `referee` on the PATH or in REFEREE" };

async function amazons(use) {
  const model = new Model();
  try {
    await model.create("amazons", { options: { size: 5 }, seed: 1 });
    await use(model);
  } finally {
    await model.close();
  }
}

test("a game is played back and forth", options, () =>
  amazons(async (model) => {
    const [legal, key] = await Promise.all([model.legal(), model.key()]);
    assert.equal(legal.length, 260);
    assert.deepEqual(await model.play(legal[7]), { ply: 1, to_move: 1, result: null });
    assert.notEqual(await model.key(), key);
    assert.deepEqual(await model.undo(), await model.position());
    assert.equal(await model.key(), key);
    assert.equal(await model.perft(2), 50422);
  }),
);

test("states can be set up again", options, () =>
  amazons(async (model) => {
    await model.play((await model.legal())[0]);
    const [state, key] = [await model.state(), await model.key()];
    await model.create("amazons", { options: { size: 5 }, state });
    assert.deepEqual([await model.state(), await model.key()], [state, key]);
    assert.equal((await model.view()).cells.length, 25);
  }),
);

test("playouts give means", options, () =>
  amazons(async (model) => {
    const { outcome, plies } = await model.playout(50, 1);
    assert.ok(Math.abs(outcome[0] + outcome[1] - 1) < 1e-9 && plies > 4);
    const legal = await model.legal();
    assert.deepEqual(Object.keys(await model.playouts(1, 1)), legal);
    const before = await model.position();
    const after = await model.playoutAfter([legal[0]], 4);
    assert.ok(Math.abs(after.outcome[0] + after.outcome[1] - 1) < 1e-9);
    assert.deepEqual(await model.position(), before);
    const children = await model.childrenAfter([legal[0]], { want: ["value"] });
    assert.deepEqual(await model.position(), before);
    await model.play(legal[0]);
    assert.deepEqual(await model.children({ want: ["value"] }), children);
  }),
);

test("one answer can hold everything", options, () =>
  amazons(async (model) => {
    const want = ["legal", "state", "key", "value", "view"];
    const start = await model.position({ want });
    assert.deepEqual(start.legal, await model.legal());
    assert.deepEqual([start.state, start.key], [await model.state(), await model.key()]);
    assert.deepEqual([start.value, start.view], [await model.evaluate(), await model.view()]);
    const played = await model.play(start.legal[0], { want: ["key"] });
    assert.deepEqual(Object.keys(played), ["ply", "to_move", "result", "key"]);
    assert.deepEqual(await model.undo(1, { want }), start);
  }),
);

test("children are the positions after each move", options, () =>
  amazons(async (model) => {
    const children = await model.children({ want: ["value", "state"] });
    assert.deepEqual(children.map(({ move }) => move), await model.legal());
    const { move, ...position } = children[0];
    assert.deepEqual(await model.play(move, { want: ["key", "value", "state"] }), position);
  }),
);

test("random games stop in time", options, () =>
  amazons(async (model) => {
    assert.ok((await model.playout(undefined, 0, { ms: 5 })).count > 0);
    assert.equal((await model.playout(3, 1, { ms: 60_000 })).count, 3);
    const legal = await model.legal();
    const means = await model.playouts(undefined, 0, { ms: 5 });
    assert.ok(Object.keys(means).every((move) => legal.includes(move)));
  }),
);

test("what is refused changes nothing", options, () =>
  amazons(async (model) => {
    const [key, legal] = [await model.key(), await model.legal()];
    await assert.rejects(model.play(legal[0], "z9-z8/z7"), { code: "illegal_move" });
    await assert.rejects(model.playoutAfter(["z9-z8/z7"]), { code: "illegal_move" });
    await assert.rejects(model.childrenAfter(["z9-z8/z7"]), { code: "illegal_move" });
    await assert.rejects(model.create("chess"), { code: "unknown_game" });
    assert.equal(await model.key(), key);
  }),
);

test("a model that is not there or is gone is an error", async () => {
  for (const program of ["true", "/no/such/program"]) {
    const model = new Model([program]);
    await assert.rejects(model.create("siam"), { code: "gone" });
    await model.close();
  }
});
