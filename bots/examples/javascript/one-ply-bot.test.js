// Tests of the bot: node --test

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { choose, play } from "./one-ply-bot.js";

test("captures and pushes come first", () => {
  assert.equal(choose({}, ["c1-c2", "c3xe3", "c3xe3xg5"]), "c3xe3xg5");
  assert.equal(choose({}, ["+c1n", "c1-out", "c2>c3"]), "c2>c3");
});

test("then the most fish", () => {
  const state = { fish: ["132", "11", "12."] };
  assert.equal(choose(state, ["a1-b1", "a1-c3", "a1-b3", "a1-c1"]), "a1-b3");
  assert.equal(choose(state, ["a1", "b1", "c1"]), "b1");
});

test("then the loneliest shot", () => {
  assert.equal(choose({}, ["a1-b1/b2", "a1-b2/b1", "a1-b1/c7"]), "a1-b1/c7");
});

test("equal moves are all chosen", () => {
  assert.equal(choose({}, ["a1-a2", "a1-a3"], () => 0), "a1-a2");
  assert.equal(choose({}, ["a1-a2", "a1-a3"], () => 0.99), "a1-a3");
});

test("a match is answered", async () => {
  const lines = [
    '{"type":"hello","protocol":1,"referee":"referee 0.1.0"}',
    '{"type":"start","match":"m-000001","game":"run","seat":0}',
    '{"type":"turn","ply":4,"moves":[],"state":{},"legal":["e4-e5"],"clock":{}}',
    '{"type":"end","moves":[],"result":{}}',
    '{"type":"quit"}',
  ];
  const answers = [];
  await play(Readable.from(lines.map((line) => `${line}\n`)), (answer) => answers.push(answer));
  assert.deepEqual(
    answers.map(({ type }) => type),
    ["hello", "ready", "move"],
  );
  assert.deepEqual(answers[2], { type: "move", move: "e4-e5", ply: 4 });
});
