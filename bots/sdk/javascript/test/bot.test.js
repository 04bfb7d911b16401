// The loop, without a referee: messages in, answers out.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { Bot, RESIGN, Turn, VERSION } from "../index.js";

const START = {
  type: "start",
  match: "m-000001",
  game: "siam",
  options: { max_exits: null },
  seat: 1,
  role: "rhinos",
  state: { ply: 0 },
  limits: { max_plies: 300, repetition: 3 },
  weather: "fine",
};
const TURN = {
  type: "turn",
  ply: 3,
  moves: [{ seat: 0, move: "+c1n" }],
  state: { ply: 3 },
  legal: ["+c5s", "+a1n"],
  clock: { move_ms: 100 },
};

class Scripted extends Bot {
  name = "scripted";
  told = [];

  constructor(choice) {
    super();
    this.choice = choice;
  }

  async choose(turn) {
    return this.choice ?? turn.legal[0];
  }

  ended(result) {
    this.told.push(result);
  }

  log(...what) {
    this.told.push(...what);
  }
}

async function talk(bot, ...messages) {
  const lines = messages.map((m) => (typeof m === "string" ? m : `${JSON.stringify(m)}\n`));
  const output = new PassThrough();
  await bot.run(Readable.from(lines), output);
  output.end();
  const text = (await output.toArray()).join("");
  return text.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

test("offers are read and come before the move", async () => {
  class Agreeable extends Scripted {
    async choose(turn) {
      for (const { kind, outcome } of turn.offers) this.offer(kind, { outcome });
      return super.choose(turn);
    }
  }
  const draw = { seat: 0, kind: "draw" };
  const settle = { seat: 0, kind: "settle", outcome: [1, 0], scores: [2, 0] };
  const turns = [{ ...TURN, offers: [draw] }, { ...TURN, offers: [settle] }, TURN];
  const said = await talk(new Agreeable(), START, ...turns);
  const move = { type: "move", move: "+c5s", ply: 3 };
  assert.deepEqual(said.slice(1), [
    { type: "offer", kind: "draw" },
    move,
    { type: "offer", kind: "settle", outcome: [1, 0] },
    move,
    move,
  ]);
});

test("an analysis says how many lines it would like", async () => {
  class Asked extends Scripted {
    async choose(turn) {
      return { move: turn.legal[0], info: { wanted: turn.lines } };
    }
  }
  const said = await talk(new Asked(), START, { ...TURN, lines: 3 }, TURN);
  assert.deepEqual(said.slice(1).map((message) => message.info), [{ wanted: 3 }, {}]);
});

test("chance has no seat, and what is hidden is observed", async () => {
  const turns = [];
  const bot = new Scripted();
  bot.choose = (turn) => {
    turns.push(turn);
    return turn.legal[0];
  };
  const hidden = { moves: [{ seat: null, move: "heads" }], observation: { card: 2 }, sees: [["2"], []] };
  await talk(bot, START, { ...TURN, ...hidden, state: undefined }, TURN);
  assert.deepEqual(turns[0].moves, hidden.moves);
  assert.deepEqual([turns[0].state, turns[0].observation], [undefined, { card: 2 }]);
  assert.deepEqual([turns[0].sees, turns[1].sees], [[["2"], []], []]);
  assert.deepEqual([turns[1].state, turns[1].observation], [{ ply: 3 }, undefined]);
});

test("a match is answered message by message", async () => {
  const bot = new Scripted();
  const end = { type: "end", moves: [], result: { scores: [0, 1] } };
  const answers = await talk(bot, { type: "hello" }, START, TURN, end, { type: "quit" }, TURN);
  assert.deepEqual(answers, [
    { type: "hello", protocol: 1, name: "scripted", wants: { state: true, legal: true }, sdk: `javascript ${VERSION}` },
    { type: "ready" },
    { type: "move", move: "+c5s", ply: 3 },
  ]);
  assert.deepEqual(bot.told, [{ scores: [0, 1] }]);
});

test("moves may carry info, and a match may be given up", async () => {
  const informed = await talk(new Scripted({ move: "+a1n", info: { value: 0.5 } }), START, TURN);
  assert.deepEqual(informed[1], { type: "move", move: "+a1n", ply: 3, info: { value: 0.5 } });
  const resigned = await talk(new Scripted(RESIGN), START, TURN);
  assert.deepEqual(resigned[1], { type: "resign" });
});

test("a bot without a move says why", async () => {
  const answers = await talk(new Scripted({ noMove: "the model is away" }), START, TURN);
  const fault = { type: "fault", code: "no_move", message: "the model is away" };
  assert.deepEqual(answers[1], fault);
});

test("what is unknown or empty is passed over, and faults are told", async () => {
  const bot = new Scripted();
  const error = { type: "error", code: "timeout", message: "late" };
  assert.deepEqual(await talk(bot, { type: "applause", volume: 11 }, "\r\n", error), []);
  assert.deepEqual(bot.told, ["lost by timeout: late"]);
});

test("what is logged is no message", () => {
  const sdk = new URL("../index.js", import.meta.url).href;
  const program = `import { Bot } from "${sdk}";
    class Talker extends Bot {
      choose(turn) { console.log("thinking"); return turn.legal[0]; }
    }
    await new Talker().run();`;
  const input = [START, TURN].map((message) => `${JSON.stringify(message)}\n`).join("");
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", program], { input });
  assert.equal(ran.stderr.toString(), "thinking\n");
  assert.deepEqual(
    ran.stdout.toString().trim().split("\n").map((line) => JSON.parse(line).type),
    ["ready", "move"],
  );
});

test("a forgotten return is told", async () => {
  class Silent extends Bot {
    choose() {}
  }
  await assert.rejects(talk(new Silent(), START, TURN), /gave undefined/);
});

test("info is sent while the bot thinks", async () => {
  class Talker extends Bot {
    choose(turn) {
      this.info({ depth: 3 });
      return turn.legal[1];
    }
  }
  const answers = await talk(new Talker(), START, TURN);
  assert.deepEqual(answers[1], { type: "info", depth: 3 });
});

test("pondering lasts from the answer to the next message", async () => {
  let begun;
  const pondering = new Promise((resolve) => (begun = resolve));
  class Ponderer extends Bot {
    pondered = [];
    choose(turn) {
      return turn.legal[0];
    }
    async ponder(turn, choice, signal) {
      begun();
      await new Promise((aborted) => signal.addEventListener("abort", aborted));
      this.pondered.push([turn.ply, choice]);
    }
  }
  async function* input() {
    yield `${JSON.stringify(START)}\n${JSON.stringify(TURN)}\n`;
    await pondering;
    yield `${JSON.stringify({ ...TURN, ply: 5 })}\n`;
  }
  const bot = new Ponderer();
  await bot.run(Readable.from(input()), new PassThrough());
  assert.deepEqual(bot.pondered, [
    [3, "+c5s"],
    [5, "+c5s"],
  ]);
});

test("what fails while pondering ends the bot", async () => {
  class Failing extends Scripted {
    async ponder() {
      throw new Error("no idea");
    }
  }
  await assert.rejects(talk(new Failing(), START, TURN), /no idea/);
});

const budget = (clock) => new Turn(START, { ...TURN, clock }, 0).budget();

test("the smaller limit counts", () => {
  assert.equal(budget({ move_ms: 100 }), 70);
  assert.equal(budget({ move_ms: 100, remaining_ms: [null, 1e6] }), 70);
  assert.ok(budget({ move_ms: 10_000, remaining_ms: [0, 10_000] }) < 400);
  assert.equal(budget({}), 1000);
  assert.equal(budget({ remaining_ms: [9, null] }), 1000);
  assert.equal(budget({ move_ms: 5 }), 0);
});

test("a game clock never runs out", () => {
  for (const increment of [0, 10, 1000]) {
    let left = 2000;
    for (let move = 0; move < 300 && left > 15; move++) {
      const spent = budget({ remaining_ms: [0, left], increment_ms: increment });
      assert.ok(spent < left, `${spent} of ${left}`);
      left += increment - spent;
    }
  }
});
