// Checked by `tsc`, never run: the declarations fit what games do with them.

import { type Actor, CHANCE, Game, type Random, type Result, bool, int, require, run } from "../rules.js";
import { check, playthrough } from "../rules-testing.js";

interface State {
  left: number;
  turn: number;
}

class Nim extends Game<State> {
  static id = "nim";
  static roles = ["first", "second"];
  static seats: [number, number] = [2, 2];
  static options = { heap: int({ default: 21, min: 1, max: 100 }), loud: bool() };

  start(rng: Random): State {
    return { left: this.options.heap, turn: rng.below(2) };
  }

  toMove({ turn, left }: State): Actor | Actor[] {
    return left > 50 ? [0, 1, CHANCE] : turn;
  }

  legal({ left }: State): string[] {
    return [1, 2, 3].filter((count) => count <= left).map(String);
  }

  apply({ left, turn }: State, step: string): State {
    return { left: left - Number(step), turn: 1 - turn };
  }

  result({ left, turn }: State): Result | null {
    return left > 0 ? null : { scores: [turn, 1 - turn], reason: "heap_empty" };
  }

  fromJson(fields: State): State {
    require(fields.left >= 0, "left", "is below 0");
    return fields;
  }
}

check(Nim, { options: { heap: 5 }, games: 3 });
const scores: number[] | undefined = playthrough(Nim, ["3"], { seed: 1 }).at(-1)?.result?.scores;
if (scores === undefined) await run([Nim], { name: "nim" });
await run(Nim);

// @ts-expect-error an option has a default
int({ min: 1, max: 2 });
// @ts-expect-error a string is no game
await run("nim");
// @ts-expect-error without `apply` it is no game
class Half extends Game { start() {} }
