// Tests of the game: node --test

import assert from "node:assert/strict";
import { test } from "node:test";
import { Nim } from "./game.js";
import { perft } from "./referee-rules/index.js";
import { check, playthrough, start } from "./referee-rules/testing.js";

test("the promises of a rules program hold", () => {
  check(Nim);
  check(Nim, { options: { heap: 1 } });
  check(Nim, { options: { heap: 30, most: 10 } });
});

test("who takes the last one wins", () => {
  const path = playthrough(Nim, ["take3", "take1", "take1"], { options: { heap: 5 } });
  assert.equal(path.at(-2).result, null);
  assert.deepEqual(path.at(-1).result, { scores: [1, 0], reason: "heap_empty" });
  assert.deepEqual(path.at(-1).legal, []);
});

test("no more than are left", () => {
  assert.deepEqual(start(Nim, { options: { heap: 2 } }).legal, ["take1", "take2"]);
  assert.deepEqual(start(Nim, { options: { most: 1 } }).legal, ["take1"]);
});

test("perft", () => {
  const depths = [0, 1, 2, 3, 4, 5, 6];
  const counts = depths.map((depth) => perft(start(Nim, { options: { heap: 5 } }), depth));
  assert.deepEqual(counts, [1, 3, 8, 10, 5, 1, 0]);
});
