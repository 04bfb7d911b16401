#!/usr/bin/env node
// Plays every game one ply ahead, from nothing but `state` and `legal`. Node, nothing else.

import { realpathSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const cellsOf = (move) => move.match(/[a-z]\d+/g) ?? [];

/** The fish or points of a cell, in games that have them: rows of digits, the top row first. */
function points(state, cell) {
  const rows = state.fish ?? state.points ?? [];
  const row = rows[rows.length - Number(cell.slice(1))];
  const digit = row?.[cell.charCodeAt(0) - "a".charCodeAt(0)];
  return Number(digit) || 0;
}

const count = (text, letter) => text.split(letter).length - 1;

/**
 * First what captures (`x`) or pushes (`>`) most, then the cell with the most points, then the
 * shot (`/`) at the cell that matters to the fewest moves: one number for all three.
 */
function worth(state, move, named) {
  const cells = cellsOf(move);
  // A move names the cell that it begins on, if there is one, then that where it goes.
  const target = cells[1] ?? cells[0];
  const strikes = count(move, "x") + count(move, ">");
  const shot = move.includes("/") ? named.get(cells.at(-1)) : 0;
  return (strikes * 10 + (target ? points(state, target) : 0)) * 100_000 - shot;
}

/** The move to play in a position. */
export function choose(state, legal, random = Math.random) {
  const named = new Map();
  for (const cell of legal.flatMap(cellsOf)) named.set(cell, (named.get(cell) ?? 0) + 1);
  const worths = legal.map((move) => worth(state, move, named));
  const highest = worths.reduce((a, b) => Math.max(a, b));
  const best = legal.filter((_, index) => worths[index] === highest);
  return best[Math.floor(random() * best.length)];
}

/** Answers the referee's messages. */
export async function play(input, send) {
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const message = JSON.parse(line);
    if (message.type === "hello") {
      send({ type: "hello", protocol: 1, name: "one-ply-javascript" });
    } else if (message.type === "start") {
      send({ type: "ready" });
    } else if (message.type === "turn") {
      send({ type: "move", move: choose(message.state, message.legal), ply: message.ply });
    } else if (message.type === "error") {
      console.error(`lost by ${message.code}: ${message.message}`);
    } else if (message.type === "quit") {
      break;
    }
  }
}

if (fileURLToPath(import.meta.url) === realpathSync(process.argv[1])) {
  await play(process.stdin, (message) => process.stdout.write(`${JSON.stringify(message)}\n`));
}
