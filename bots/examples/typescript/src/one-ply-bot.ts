// Plays every game one ply ahead, from nothing but `state` and `legal`. Node, nothing else.

import { realpathSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** What the bot looks at in a position; each game has more, and its own. */
export interface State {
  /** Rows of digits, the top row first. */
  fish?: string[];
  points?: string[];
}

/** The messages of the referee that matter here. */
type Message =
  | { type: "hello" | "start" | "end" | "quit" }
  | { type: "turn"; ply: number; state: State; legal: string[] }
  | { type: "error"; code: string; message: string };

const cellsOf = (move: string): string[] => move.match(/[a-z]\d+/g) ?? [];

/** The fish or points of a cell, in games that have them. */
function points(state: State, cell: string): number {
  const rows = state.fish ?? state.points ?? [];
  const row = rows[rows.length - Number(cell.slice(1))];
  const digit = row?.[cell.charCodeAt(0) - "a".charCodeAt(0)];
  return Number(digit) || 0;
}

const count = (text: string, letter: string): number => text.split(letter).length - 1;

/**
 * First what captures (`x`) or pushes (`>`) most, then the cell with the most points, then the
 * shot (`/`) at the cell that matters to the fewest moves: one number for all three.
 */
function worth(state: State, move: string, named: Map<string, number>): number {
  const cells = cellsOf(move);
  // A move names the cell that it begins on, if there is one, then that where it goes.
  const target = cells[1] ?? cells[0];
  const strikes = count(move, "x") + count(move, ">");
  const shot = move.includes("/") ? (named.get(cells.at(-1) ?? "") ?? 0) : 0;
  return (strikes * 10 + (target ? points(state, target) : 0)) * 100_000 - shot;
}

/** The move to play in a position. */
export function choose(state: State, legal: string[], random = Math.random): string | undefined {
  const named = new Map<string, number>();
  for (const cell of legal.flatMap(cellsOf)) named.set(cell, (named.get(cell) ?? 0) + 1);
  const worths = legal.map((move) => worth(state, move, named));
  const highest = worths.reduce((a, b) => Math.max(a, b));
  const best = legal.filter((_, index) => worths[index] === highest);
  return best[Math.floor(random() * best.length)];
}

/** Answers the referee's messages. */
export async function play(
  input: NodeJS.ReadableStream,
  send: (message: object) => void,
): Promise<void> {
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const message = JSON.parse(line) as Message;
    if (message.type === "hello") {
      send({ type: "hello", protocol: 1, name: "one-ply-typescript" });
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

if (fileURLToPath(import.meta.url) === realpathSync(process.argv[1] ?? "")) {
  await play(process.stdin, (message) => process.stdout.write(`${JSON.stringify(message)}\n`));
}
