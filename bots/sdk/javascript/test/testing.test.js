// The harness, with the real model: REFEREE names the program, or it is on the PATH.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Bot, RESIGN } from "../index.js";
import { BadReply, ask } from "../src/testing.js";

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
