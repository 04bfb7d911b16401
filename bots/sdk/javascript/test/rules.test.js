// Rules programs, without a referee: requests in, answers out.

import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import {
  BadOption,
  CHANCE,
  Game,
  Program,
  Random,
  bool,
  choice,
  int,
  perft,
  require,
  text,
} from "../src/rules/index.js";
import { Broken, check, playthrough, randomGame, start } from "../src/rules/testing.js";

class Nim extends Game {
  static id = "nim";
  static title = "Nim";
  static summary = "Take one to three.";
  static roles = ["first", "second"];
  static notation = [["take2", "take two"]];
  static guide = "# Nim";
  static options = { heap: int({ default: 21, min: 1, max: 100, help: "How many there are." }) };

  start() {
    return { left: this.options.heap, turn: 0 };
  }

  toMove({ turn }) {
    return turn;
  }

  legal({ left }) {
    return [1, 2, 3].filter((count) => count <= left).map((count) => `take${count}`);
  }

  apply({ left, turn }, step) {
    return { left: left - Number(step.slice(4)), turn: 1 - turn };
  }

  result({ left, turn }) {
    return left > 0 ? null : { scores: [turn, 1 - turn], reason: "heap_empty" };
  }

  fromJson(fields) {
    require(fields.left >= 0 && fields.left <= this.options.heap, "left", "is more than the heap");
    return fields;
  }
}

/** Each of some players shows a coin, secretly, and chance adds one; equal pairs score. */
class Coins extends Game {
  static id = "coins";
  static roles = ["one", "two", "three"];
  static seats = [2, 3];
  static hidden = true;
  static options = {
    players: int({ default: 2, min: 2, max: 3 }),
    word: choice(["heads", "tails"]),
    loud: bool(),
    note: text({ default: "x" }),
  };

  seatCount() {
    return this.options.players;
  }

  start(rng) {
    if (this.options.note === "bad") throw new BadOption("note", "is bad");
    return { shown: [], first: rng.below(1000) };
  }

  toMove() {
    return [0, 1, 2].slice(0, this.seatCount()).concat(CHANCE);
  }

  legal() {
    return ["heads", "tails"];
  }

  chance() {
    return { heads: 0.25, tails: 0.75 };
  }

  apply({ first }, step) {
    const shown = [0, 1, 2].slice(0, this.seatCount()).map((seat) => step[seat]);
    return { shown, first, added: step[CHANCE] };
  }

  result({ shown, added }) {
    if (shown.length === 0) return null;
    return { scores: shown.map((coin) => Number(coin === added)), reason: "shown" };
  }

  observation({ shown }, seat) {
    return { own: shown.slice(seat, seat + 1), to_move: null };
  }

  sees(_state, step, seat) {
    return [step[seat]];
  }

  sample({ own }, seat, rng) {
    const shown = Array.from({ length: this.seatCount() }, () => rng.pick(["heads", "tails"]));
    shown[seat] = own[0].toString();
    return { shown, first: 0, added: "heads" };
  }
}

function refused(program, op, fields) {
  try {
    const answer = program.ask(op, fields);
    assert.fail(`it was answered: ${JSON.stringify(answer)}`);
  } catch (error) {
    if (error.name !== "Refused") throw error;
    return [error.code, error.message];
  }
}

const both = () => new Program([Nim, Coins], { name: "two-games", version: "7" });
/** What remains on the wire. */
const plain = (value) => JSON.parse(JSON.stringify(value));

test("a game may list all moves", () => {
  class Listed extends Nim {
    actions() {
      return ["take1", "take2", "take3"];
    }
  }
  const program = new Program([Listed], {});
  assert.ok(program.ask("hello", { protocol: 1 }).can.includes("actions"));
  const answer = program.ask("new", { game: "nim", want: ["actions"] });
  assert.deepEqual(answer.actions, ["take1", "take2", "take3"]);
  assert.ok(!both().ask("hello", { protocol: 1 }).can.includes("actions"));
});

test("hello describes the games", () => {
  const hello = plain(both().ask("hello", { protocol: 1 }));
  assert.deepEqual([hello.name, hello.version], ["two-games", "7"]);
  assert.deepEqual(hello.can, ["undo", "key", "perft", "playout", "observation", "sample"]);
  const [nim, coins] = hello.games;
  assert.deepEqual(nim, {
    id: "nim",
    title: "Nim",
    summary: "Take one to three.",
    roles: ["first", "second"],
    symmetric: false,
    hidden: false,
    options: { heap: { type: "int", min: 1, max: 100, default: 21, help: "How many there are." } },
    notation: [["take2", "take two"]],
    limits: { max_plies: null, repetition: null },
    guide: "# Nim",
  });
  assert.deepEqual([coins.title, coins.seats, coins.hidden, coins.chance], ["coins", [2, 3], true, true]);
  assert.deepEqual(Object.values(coins.options).map(({ type }) => type), ["int", "choice", "bool", "text"]);
});

test("a game is played back and forth", () => {
  const program = both();
  const want = ["legal", "state"];
  const begun = plain(program.ask("new", { game: "nim", options: { heap: 5 }, want }));
  assert.deepEqual(begun, {
    ply: 0,
    to_move: 0,
    result: null,
    legal: ["take1", "take2", "take3"],
    state: { ply: 0, to_move: 0, left: 5, turn: 0 },
  });
  const played = program.ask("play", { moves: ["take3", "take1"], want: ["state", "key"] });
  assert.deepEqual(played.state, { ply: 2, to_move: 0, left: 1, turn: 0 });
  assert.equal(played.key, '{"left":1,"turn":0}');
  const end = program.ask("play", { moves: ["take1"], want: ["legal", "scores"] });
  assert.deepEqual(plain(end), {
    ply: 3,
    to_move: null,
    result: { scores: [1, 0], outcome: [1, 0], reason: "heap_empty" },
    legal: [],
    scores: [1, 0],
    outcome: [1, 0],
  });
  assert.deepEqual(plain(program.ask("undo", { count: 3, want })), begun);
  assert.deepEqual(program.ask("perft", { depth: 2 }), { nodes: 8 });
});

test("states come back or are refused", () => {
  const program = both();
  const state = { ply: 3, to_move: 1, left: 4, turn: 1 };
  const opened = program.ask("new", { game: "nim", state, want: ["state"] });
  assert.deepEqual(opened.state, state);
  const { to_move: _, ...without } = state;
  assert.deepEqual(program.ask("new", { game: "nim", state: without, want: ["state"] }).state, state);
  for (const change of [{ left: 200 }, { turn: 7 }, { turn: null }, { ply: -1 }, { to_move: 0 }, { ply: 1e30 }]) {
    const [code] = refused(program, "new", { game: "nim", state: { ...state, ...change } });
    assert.equal(code, "bad_state", JSON.stringify(change));
  }
  const [, message] = refused(program, "new", { game: "nim", state: { ...state, left: 200 } });
  assert.equal(message, "`left` is more than the heap");
  for (const broken of [[], 7, {}, { ply: 3 }]) {
    assert.equal(refused(program, "new", { game: "nim", state: broken })[0], "bad_state");
  }
  assert.equal(program.ask("get").ply, 3);
});

test("options are checked by name", () => {
  for (const [game, options, message] of [
    ["nim", { heap: 0 }, "option `heap` of nim: 0 is not a whole number from 1 to 100"],
    ["nim", { heap: "x".repeat(99) }, 'option `heap` of nim: "xxx'],
    ["nim", { haep: 5 }, "option `haep` of nim: there is no such option; allowed are `heap`"],
    ["nim", { toString: 5 }, "option `toString` of nim: there is no such option"],
    ["coins", { word: "edge" }, '"edge" is not one of `heads`, `tails`'],
    ["coins", { loud: 1 }, "1 is not true or false"],
    ["coins", { note: null }, "null is not a text"],
    ["coins", { note: "bad" }, "option `note` of coins: is bad"],
    ["coins", [], "not an object"],
  ]) {
    const [code, told] = refused(both(), "new", { game, options });
    assert.equal(code, "bad_option");
    assert.ok(told.includes(message) && told.length < 120, told);
  }
});

test("errors have codes and change nothing", () => {
  const program = both();
  for (const op of ["get", "play", "undo", "perft", "playout", "sample"]) {
    assert.equal(refused(program, op, { moves: [], depth: 1, as: 0 })[0], "no_game");
  }
  program.ask("new", { game: "nim", options: { heap: 4 } });
  const before = program.ask("get", { want: ["state", "legal"] });
  for (const [code, op, fields] of [
    ["bad_request", "fly"],
    ["bad_request", "constructor"],
    ["bad_request", "new", {}],
    ["bad_request", "new", { game: "nim", seed: "x" }],
    ["unknown_game", "new", { game: "chess" }],
    ["bad_request", "play", {}],
    ["bad_request", "play", { moves: "take1" }],
    ["bad_request", "play", { moves: [1] }],
    ["illegal_move", "play", { moves: ["take1", "take4"] }],
    ["illegal_move", "play", { moves: [{ 0: "take1" }] }],
    ["game_over", "play", { moves: ["take3", "take1", "take1"] }],
    ["bad_request", "play", { moves: ["take1"], want: ["everything"] }],
    ["bad_request", "get", { want: "legal" }],
    ["bad_request", "get", { want: ["sees"] }],
    ["bad_request", "get", { want: ["observation"] }],
    ["bad_request", "get", { want: ["observation"], as: 2 }],
    ["bad_count", "undo", {}],
    ["bad_request", "undo", { count: -1 }],
    ["bad_request", "perft", {}],
    ["bad_count", "playout", { count: 0 }],
    ["bad_count", "sample", { as: 0, count: 0 }],
  ]) {
    assert.equal(refused(program, op, fields)[0], code, `${op} ${JSON.stringify(fields)}`);
    assert.deepEqual(program.ask("get", { want: ["state", "legal"] }), before);
  }
  assert.equal(
    refused(program, "play", { moves: ["take9"] })[1],
    "`take9` is not legal here for first (seat 0), which has 3 legal moves",
  );
});

test("a perft that is too large is given up", () => {
  const program = both();
  program.ask("new", { game: "nim", options: { heap: 100 } });
  assert.equal(refused(program, "perft", { depth: 40 })[0], "too_much");
  program.ask("new", { game: "nim", options: { heap: 2 } });
  assert.deepEqual(program.ask("perft", { depth: 40 }), { nodes: 0 });
});

test("random games are played to the end or a limit", () => {
  const program = both();
  program.ask("new", { game: "nim", options: { heap: 10 } });
  const played = program.ask("playout", { count: 50, seed: 3 });
  assert.deepEqual(program.ask("playout", { count: 50, seed: 3 }), played);
  assert.notDeepEqual(program.ask("playout", { count: 50, seed: 4 }), played);
  assert.ok(Math.abs(played.outcome[0] + played.outcome[1] - 1) < 1e-9, played.outcome.join());
  assert.ok(played.plies >= 4 && played.plies <= 10, `${played.plies}`);
  assert.equal(program.ask("get").ply, 0);
  assert.equal(refused(program, "playout", { count: 1000 })[0], "too_much");
  program.ask("new", { game: "nim", options: { heap: 10 }, max_plies: 2 });
  assert.deepEqual(program.ask("playout", { count: 9 }), { outcome: [0.5, 0.5], plies: 2 });
  program.ask("new", { game: "nim", options: { heap: 1 } });
  program.ask("play", { moves: ["take1"] });
  assert.equal(refused(program, "playout")[0], "game_over");
});

test("random games draw chance by its probabilities", () => {
  const program = both();
  program.ask("new", { game: "coins", options: { players: 3 } });
  assert.equal(program.ask("playout", { count: 20 }).plies, 4);
  const rng = new Random(1);
  const begun = start(Coins);
  const drawn = Array.from({ length: 1000 }, () => begun.randomStep(rng));
  // The coin shows tails three times out of four, and seats draw evenly.
  const tails = drawn.filter((step) => step.chance === "tails").length;
  const heads = drawn.filter((step) => step[0] === "heads").length;
  assert.ok(tails > 700 && tails < 800, `${tails}`);
  assert.ok(heads > 450 && heads < 550, `${heads}`);
});

test("several act at once with chance", () => {
  const program = both();
  const begun = program.ask("new", { game: "coins", options: { players: 3 }, want: ["legal"] });
  assert.deepEqual([begun.to_move, begun.roles], [[0, 1, 2, "chance"], ["one", "two", "three"]]);
  const coins = ["heads", "tails"];
  const chance = { heads: 0.25, tails: 0.75 };
  assert.deepEqual(begun.legal, { 0: coins, 1: coins, 2: coins, chance });
  assert.deepEqual(program.ask("perft", { depth: 1 }), { nodes: 16 });
  const step = { 0: "heads", 1: "tails", 2: "tails", chance: "tails" };
  for (const wrong of ["heads", { 0: "heads" }, { ...step, 3: "heads" }, { ...step, 1: "edge" }, { ...step, 1: null }]) {
    assert.equal(refused(program, "play", { moves: [wrong] })[0], "illegal_move");
  }
  const end = program.ask("play", { moves: [step], want: ["sees", "observation"], as: 1 });
  assert.equal(end.ply, 4);
  assert.deepEqual(end.result, { scores: [0, 1, 1], outcome: [0, 0.75, 0.75], reason: "shown" });
  assert.deepEqual(end.sees, [[["heads"], ["tails"], ["tails"]]]);
  // With its fields in order, whatever the author's is.
  assert.equal(JSON.stringify(end.observation), '{"own":["tails"],"ply":4,"to_move":null}');
  const { states } = program.ask("sample", { as: 1, seed: 5, count: 20 });
  assert.deepEqual(states, program.ask("sample", { as: 1, seed: 5, count: 20 }).states);
  assert.deepEqual(new Set(states.map(({ shown }) => shown[1])), new Set(["tails"]));
  assert.equal(new Set(states.map(({ shown }) => shown[0])).size, 2);
});

test("an observation is enough for samples", () => {
  const program = both();
  const observation = { ply: 3, to_move: null, own: ["heads"] };
  const begun = plain(program.ask("new", { game: "coins", observation }));
  assert.deepEqual(begun, { ply: 3, to_move: null, result: null, roles: ["one", "two"] });
  assert.deepEqual(program.ask("get", { want: ["observation"], as: 0 }).observation, observation);
  const { states } = program.ask("sample", { as: 0, count: 5 });
  assert.deepEqual(states.map(({ ply, shown }) => [ply, shown[0]]), Array(5).fill([3, "heads"]));
  assert.equal(refused(program, "get", { want: ["state"] })[0], "no_game");
  assert.equal(refused(program, "play", { moves: [] })[0], "no_game");
  for (const broken of [{}, { own: [] }]) {
    program.ask("new", { game: "coins", observation: broken });
    assert.equal(refused(program, "sample", { as: 0 })[0], "bad_state");
  }
});

test("seeds decide the start", () => {
  const program = both();
  const first = (seed) => program.ask("new", { game: "coins", seed, want: ["state"] }).state.first;
  assert.equal(first(5), first(5));
  assert.ok(new Set(Array.from({ length: 20 }, (_, seed) => first(seed))).size > 10);
  assert.notEqual(new Random(2 ** 40).next(), new Random(0).next());
  assert.deepEqual(new Random(1).shuffled([1, 2, 3, 4]).sort(), [1, 2, 3, 4]);
});

async function runLines(program, lines) {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const code = await program.run(Readable.from(lines.map((line) => `${line}\n`)), output, errors);
  const [answers, told] = await Promise.all(
    [output, errors].map(async (stream) => (stream.end(), (await stream.toArray()).join(""))),
  );
  return { code, answers: answers.split("\n").filter(Boolean).map((line) => JSON.parse(line)), told };
}

test("every line has an answer with its id", async () => {
  const { code, answers, told } = await runLines(both(), [
    '{"id":[1,"x"],"op":"new","game":"nim","weather":"fine"}',
    '{"op":"get"}\r',
    "",
    "[1]",
    "{",
    '{"id":4,"op":"fly"}',
  ]);
  assert.deepEqual([code, told], [0, ""]);
  assert.deepEqual(answers.map(({ id }) => id), [[1, "x"], null, null, null, null, 4]);
  const codes = answers.map(({ error }) => error?.code);
  assert.deepEqual(codes, [undefined, undefined, ...Array(4).fill("bad_request")]);
});

test("an exception of the author is one line", async () => {
  class Failing extends Nim {
    apply() {
      console.log("thinking");
      return undefined.left;
    }
  }
  const { code, answers, told } = await runLines(new Program([Failing]), [
    '{"id":1,"op":"new","game":"nim"}',
    '{"id":2,"op":"play","moves":["take1"]}',
    '{"id":3,"op":"get"}',
  ]);
  assert.deepEqual([code, answers.length], [1, 1]);
  const [printed, line, ...rest] = told.split("\n");
  assert.deepEqual([printed, rest], ["thinking", [""]]);
  const pattern = /^the rules failed: TypeError: .*undefined.*\(at Failing.apply \(?.*rules.test.js:\d+:\d+\) at the request {"id":2,/;
  assert.match(line, pattern);
});

test("what is forgotten is told at once", () => {
  const mistakes = [
    [class extends Nim { static id = "Nim"; }, /small letters/],
    [class extends Nim { static roles = []; }, /roles/],
    [class extends Nim { static hidden = true; }, /observation/],
    [class extends Nim { static seats = [2, 3]; }, /seatCount/],
    [class extends Game { static id = "x"; static roles = ["one"]; }, /start/],
  ];
  for (const [game, message] of mistakes) assert.throws(() => new Program([game]), message);
  assert.throws(() => new Program([Nim, Nim]), /same id/);
  class Own extends Nim {
    toJson(state) {
      return { ...state, to_move: 1 };
    }
  }
  assert.throws(() => new Program([Own]).ask("new", { game: "nim", want: ["state"] }), /to_move/);
});

test("good rules pass the checks", () => {
  check(Nim);
  check(Nim, { options: { heap: 1 } });
});

test("each check has rules that fail it", () => {
  const cases = [
    [/two moves are equal/, { legal: () => ["take1", "take1"] }],
    [/no legal move/, { legal: () => [] }],
    [/no text/, { legal: () => ["take1", ""] }],
    [/no text/, { legal: () => ["take1", "x".repeat(201)] }],
    [/no seat/, { toMove: () => 2 }],
    [/ascending/, { toMove: () => [1, 0] }],
    [/sum 1/, { toMove: () => CHANCE, chance: () => ({ take1: 0.5 }) }],
    [/changed the state/, { apply: (state) => ((state.left -= 1), state) }],
    [/not always the same/, { apply: (state) => ({ ...state, left: state.left - 1, luck: Math.random() }) }],
    [/come back/, { toJson: ({ left }) => ({ left, turn: 0 }) }],
    [/whole numbers/, { scores: () => [0.5, 0.5] }],
    [/3 scores/, { scores: () => [0, 0, 0] }],
    [/no cell/, { view: () => ({ shape: "hex", cells: [], pieces: [{ cell: "a1", glyph: "x" }] }) }],
    [/TypeError.*\n.*seed/, { result: () => undefined.x }],
    [/same seed/, { start: () => ({ left: 5, turn: 0, luck: Math.random() }) }],
  ];
  for (const [message, methods] of cases) {
    const Bad = class extends Nim {};
    Object.assign(Bad.prototype, methods);
    const wrong = (error) => error instanceof Broken && message.test(error.message);
    assert.throws(() => check(Bad, { options: { heap: 6 }, games: 5 }), wrong, String(message));
  }
});

test("observations tell what was seen and nothing else", () => {
  class Secret extends Nim {
    static hidden = true;
    start() {
      return { ...super.start(), taken: [] };
    }
    apply(state, step) {
      return { ...super.apply(state, step), taken: [...state.taken, step] };
    }
    sees({ turn }, step, seat) {
      return seat === turn ? [step] : [];
    }
    observation({ taken }, seat) {
      return { own: taken.filter((_, index) => index % 2 === seat), to_move: "?" };
    }
  }
  const options = { heap: 9 };
  check(Secret, { options });
  class Leaking extends Secret {
    observation(state, seat) {
      return { ...super.observation(state, seat), left: state.left };
    }
  }
  assert.throws(() => check(Leaking, { options }), /tells more than the seat saw/);
  class Forgetful extends Secret {
    observation(state, seat) {
      return { own: super.observation(state, seat).own.slice(-1), to_move: "?" };
    }
  }
  assert.throws(() => check(Forgetful, { options }), /forgets what the seat saw/);
  class Guessing extends Secret {
    sample() {
      return this.start();
    }
  }
  assert.throws(() => check(Guessing, { options }), /a sample is not/);
});

test("helpers", () => {
  const path = playthrough(Nim, ["take3", "take2"], { options: { heap: 5 } });
  assert.deepEqual(path.map(({ ply }) => ply), [0, 1, 2]);
  assert.deepEqual(path.at(-1).result.scores, [0, 1]);
  assert.throws(() => playthrough(Nim, ["take3", "take3"], { options: { heap: 5 } }), /take3/);
  assert.throws(() => playthrough(Nim, ["take3", "take1"], { options: { heap: 3 } }), /over/);
  const step = { 0: "heads", 1: "heads", chance: "tails" };
  assert.deepEqual(playthrough(Coins, [step]).at(-1).result.scores, [0, 0]);
  const [one, two] = [1, 2].map(() => randomGame(Nim, { seed: 3 }).map((position) => position.wire()));
  assert.deepEqual(one, two);
  assert.equal(perft(start(Coins), 1), 8);
  assert.equal(perft(start(Coins), 2), 0);
});
