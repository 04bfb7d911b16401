// The harness, with the real model: REFEREE names the program, or it is on the PATH.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Bot, RESIGN } from "../index.js";
import { BadReply, ask, pliesOf, seatOf } from "../src/testing.js";

const program = process.env.REFEREE ?? "referee";
const found = spawnSync(program, ["--version"]).status === 0;
const options = { skip: found ? false : "needs `referee` on the PATH or in REFEREE" };

class Last extends Bot {
  choose(turn) {
    this.info({ seat: turn.match.seat });
    return { move: turn.legal.at(-1), info: { plies: turn.moves.length, ply: turn.ply } };
  }
}

class Deaf extends Bot {
  wants = { state: false, legal: false };
  choose(turn) {
    return turn.state || turn.legal.length > 0 ? "a1" : RESIGN;
  }
}

class Wrong extends Bot {
  choose() {
    return "z9";
  }
}

test("steps become plies in the order of a match", () => {
  assert.deepEqual(pliesOf(1, "a1"), [{ seat: 1, move: "a1" }]);
  assert.deepEqual(pliesOf("chance", "heads"), [{ seat: null, move: "heads" }]);
  assert.deepEqual(pliesOf([0, 2, "chance"], { 0: "rock", 2: "paper", chance: "heads" }), [
    { seat: 0, move: "rock" },
    { seat: 2, move: "paper" },
    { seat: null, move: "heads" },
  ]);
});

test("a bot takes a seat that is to move", () => {
  assert.deepEqual([seatOf(1), seatOf([0, 2]), seatOf([0, 2, "chance"], 2)], [1, 0, 2]);
  for (const [toMove, seat] of [[null], ["chance"], [[0, 1], 2]]) {
    assert.throws(() => seatOf(toMove, seat));
  }
});

test("a bot plays where it is put", options, async () => {
  const reply = await ask(new Last(), "siam", { moves: ["+c1n", "+c5s", "c1-c2n"] });
  assert.equal(reply.move, reply.legal.at(-1));
  assert.deepEqual([reply.info, reply.progress], [{ plies: 3, ply: 3 }, [{ seat: 1 }]]);
  const again = await ask(new Last(), "siam", { state: reply.state });
  assert.deepEqual([again.move, again.info], [reply.move, { plies: 0, ply: 3 }]);
});

test("a bot gets what it wants", options, async () => {
  assert.equal((await ask(new Deaf(), "amazons", { options: { size: 5 } })).move, null);
});

test("bad replies are errors", options, async () => {
  await assert.rejects(ask(new Wrong(), "elephant-run"), BadReply);
  const moves = ["a1", "a2", "b1", "b2", "a3", "c1", "c3"];
  await assert.rejects(ask(new Last(), "elephant-run", { moves }), /over/);
});
