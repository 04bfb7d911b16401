#!/usr/bin/env node
// Nim: a heap, from which two players take in turn. Node 18 or newer, nothing else; the folder
// `referee-rules` speaks the protocol.

import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Game, int, require, run } from "./referee-rules/index.js";

export class Nim extends Game {
  static id = "nim";
  static title = "Nim";
  static summary = "Take from the heap; taking the last one wins.";
  static roles = ["first", "second"];
  static symmetric = true;
  static notation = [["take2", "take two of the heap"]];
  static options = {
    heap: int({ default: 21, min: 1, max: 100, help: "How many there are at the start." }),
    most: int({ default: 3, min: 1, max: 10, help: "How many a player may take at a time." }),
  };
  static guide = `# Nim

There is one heap. Two players take from it in turn, at least one and at most three at a time.
Whoever takes the last one wins.
`;

  start() {
    return { left: this.options.heap, turn: 0 };
  }

  toMove({ turn }) {
    return turn;
  }

  legal({ left }) {
    const count = Math.min(this.options.most, left);
    return Array.from({ length: count }, (_, index) => `take${index + 1}`);
  }

  apply({ left, turn }, step) {
    // A new state: the old one is still needed.
    return { left: left - Number(step.slice("take".length)), turn: 1 - turn };
  }

  result({ left, turn }) {
    if (left > 0) return null;
    const winner = 1 - turn;
    return { scores: [0, 1].map((seat) => Number(seat === winner)), reason: "heap_empty" };
  }

  /** Checks a state that comes from outside. */
  fromJson(fields) {
    const { left, turn } = fields;
    const fits = Number.isInteger(left) && left >= 0 && left <= this.options.heap;
    require(fits, "left", "does not fit the heap");
    require(turn === 0 || turn === 1, "turn", "is neither 0 nor 1");
    return fields;
  }
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await run(Nim);
