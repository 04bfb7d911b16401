/**
 * Games for `referee`: subclass `Game`, describe the rules, call `run`.
 * @module
 */

export {
  BadOption,
  BadState,
  bool,
  CHANCE,
  choice,
  Game,
  int,
  Random,
  require,
  text,
} from "./game.js";
export { IllegalStep, perft, Position } from "./position.js";
export { Program, Refused, run } from "./program.js";
export { canonical } from "./values.js";
