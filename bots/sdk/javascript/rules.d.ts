/** Games for `referee`: subclass `Game`, describe the rules, call `run`. */

/** Who draws at random: see `Game.toMove`. */
export const CHANCE: "chance";

/** Who acts: a seat, counted from 0, or `CHANCE`. */
export type Actor = number | "chance";

/** What happens in a step: the text of a move or of an outcome of chance; where several act at once,
 * an object with the text of each, such as `{ 0: "rock", 1: "paper" }`. */
export type Step = any;

/** How a game ended. */
export interface Result {
  /** The game's points: a whole number a seat. */
  scores: number[];
  /** Why it ended: a short word in snake_case. */
  reason: string;
  /**
   * What the scores are worth, from 0 to 1 a seat. By default each seat gets the share of its rivals
   * that it beat, and half for a tie: a win is 1, a draw 0.5.
   */
  outcome?: number[];
}

/** What a board looks like. */
export interface View {
  shape: "square" | "hex";
  cells: {
    /** The name in moves. */
    name: string;
    /** The centre's column, in half widths of a cell. */
    x: number;
    /** The row, counted from the bottom. */
    y: number;
    ground: "open" | "marked" | "gone";
    label?: string;
  }[];
  /** At most one a cell. */
  pieces: { cell: string; kind: string; seat?: number; glyph: string; facing?: string }[];
  /** What is not on the board, one line each. */
  notes: string[];
}

/** The declaration of an option. */
export interface Option<Value = unknown> {
  describe(): { type: string; default: Value; help: string; [field: string]: unknown };
  allows(given: unknown): boolean;
  readonly allowed: string;
}

/** A whole number from `min` to `max`. */
export function int(spec: { default: number; min: number; max: number; help?: string }): Option<number>;
/** True or false; false by default. */
export function bool(spec?: { default?: boolean; help?: string }): Option<boolean>;
/** Any text. */
export function text(spec?: { default?: string; help?: string }): Option<string>;
/** One of several words, the first one by default. */
export function choice(values: string[], spec?: { default?: string; help?: string }): Option<string>;

/** Random numbers that follow from a seed, on every machine alike. */
export class Random {
  constructor(seed: number);
  /** A number from 0 to 1, 1 excluded. */
  next(): number;
  /** A whole number from 0 to `count`, `count` excluded. */
  below(count: number): number;
  /** One of a list. */
  pick<Item>(list: readonly Item[]): Item;
  /** A list in random order, as a new one. */
  shuffled<Item>(list: readonly Item[]): Item[];
}

/** An option's value that the game cannot be played with. Throw it in `start` for what the
 * declarations of single options cannot express. */
export class BadOption extends Error {
  readonly option: string;
  constructor(option: string, message: string);
}

/** A state that no game can be in. Throw it in `fromJson`. */
export class BadState extends Error {}

/** A step that cannot be made. */
export class IllegalStep extends Error {}

/** A request that is refused; everything is as it was before. */
export class Refused extends Error {
  /** A word of the protocol, such as `illegal_move`. */
  readonly code: string;
  constructor(code: string, message: string);
}

/** Refuses a state unless the condition holds: `require(left >= 0, "left", "is below 0")`. */
export function require(condition: unknown, field: string, message: string): void;

/**
 * The rules of a game. An object of it is the game with the options of one match.
 *
 * States are values: `apply` returns a new one and leaves the old one as it is. A state holds all that
 * matters for how play goes on; the number of plies made is kept for you. If it is an object of what
 * JSON can hold (without the names `ply` and `to_move`), nothing else is needed; otherwise write
 * `toJson` and `fromJson`.
 */
export abstract class Game<State = any> {
  /** The name in configurations: small letters, digits and `-`. */
  static id: string;
  /** The name for people; by default the id. */
  static title: string;
  /** One sentence about how the game is played and won. */
  static summary: string;
  /** What the seats are called, in order; for the largest number of them. */
  static roles: string[];
  /** The smallest and the largest number of seats, if it depends on an option: see `seatCount`. */
  static seats?: [number, number];
  /** Whether all seats play by the same rules and with the same pieces. */
  static symmetric: boolean;
  /** Whether seats know different things: then `observation` and `sees` are needed. */
  static hidden: boolean;
  static options: Record<string, Option>;
  /** How moves are written: pairs of a move and its meaning. */
  static notation: [string, string][];
  /** Where a match ends that does not set its own limit. */
  static maxPlies: number | null;
  /** How often one position may occur, likewise. */
  static repetition: number | null;
  /** The rules for people, as Markdown. */
  static guide: string;

  constructor(options?: Record<string, unknown>);
  /** All options of the match, those that were left at their defaults included. */
  readonly options: Record<string, any>;

  /** The state at the start. Only what is drawn from `rng` may be random. */
  abstract start(rng: Random): State;
  /** Who acts: a seat; a list of two or more seats that act at once, which may end with `CHANCE`; or
   * `CHANCE` alone. It is not asked when the game is over. */
  abstract toMove(state: State): Actor | Actor[];
  /** The moves of a seat that acts: texts, all different, at least one. */
  abstract legal(state: State, seat: number): string[];
  /** The state after a step: a new one. */
  abstract apply(state: State, step: Step): State;
  /** How the game ended; `null` while it goes on. */
  abstract result(state: State): Result | null;

  /** What can come of chance, with probabilities. The referee draws, never the game. */
  chance(state: State): Record<string, number>;
  /** How many seats there are, for games with `seats`. */
  seatCount(): number;
  /** The state as an object for JSON, without `ply` and `to_move`. */
  toJson(state: State): object;
  /** The state that `toJson` made these fields of. Throw `BadState`, or anything else, if they make no
   * sense. What does not come back as it went in is refused for you. */
  fromJson(fields: any): State;
  /** Every move that any position can have, each once, in an order that never changes: for programs that
   * learn, the place of a move here is its number. */
  actions(): string[];
  /** The points if play stopped here, for matches that a limit ends. */
  scores(state: State): number[];
  /** A text that is equal exactly for states that play on alike. */
  key(state: State): string;
  /** The board, for drawing. */
  view(state: State): View;

  /** All that a seat knows: equal for two ways to get here exactly if the seat cannot tell them
   * apart. `ply` and `to_move` are added, unless they are there. */
  observation(state: State, seat: number): object;
  /** What a seat perceives of a step that is made in this state. */
  sees(state: State, step: Step, seat: number): unknown[];
  /** A state drawn from all those in which the seat would observe this, for bots that search over what
   * may be. */
  sample(observation: any, seat: number, rng: Random): State;
}

/** A class of a game. */
export interface GameClass {
  new (options?: Record<string, unknown>): Game;
  readonly id: string;
  readonly roles: string[];
}

/** A state of a game, with the number of plies made so far. */
export class Position<State = any> {
  constructor(game: Game<State>, state: State, ply?: number);
  readonly game: Game<State>;
  readonly state: State;
  readonly ply: number;
  /** How the game ended; `null` while it goes on. */
  readonly result: Result | null;
  /** Who acts; `null` when the game is over. */
  readonly toMove: Actor | Actor[] | null;
  /** All who act. */
  readonly actors: Actor[];
  /** What each of those who act may do, in their order. */
  readonly choices: (string[] | Record<string, number>)[];
  /** What is legal, as the protocol has it. */
  readonly legal: any;
  /** The position that `wire` describes. Throws `BadState` if it is none. */
  static read(game: Game, given: unknown): Position;
  /** The state as the protocol has it: with `ply` and `to_move`. */
  wire(): Record<string, unknown>;
  /** What a seat knows. */
  observation(seat: number): Record<string, unknown>;
  /** Scores and outcome: those of the end, or if play stopped here. */
  scores(): { scores: number[]; outcome: number[] };
  /** The result as the protocol has it. */
  ended(): Required<Result> | null;
  /** A step out of what the protocol has for it. Throws `IllegalStep`. */
  step(given: unknown): Step;
  /** All steps that can be made here. */
  steps(): Step[];
  /** The position after a step, which must be legal. */
  after(step: Step): Position<State>;
  /** What each seat perceives of a step. */
  sees(step: Step): unknown[][];
  /** Throws `BadState` if somebody is to move who cannot. */
  checkActors(): void;
}

/** How many ways there are to make exactly `depth` steps. */
export function perft(position: Position, depth: number): number;

/** What a program calls itself, and its version, which tells one version of the rules from another in
 * logs. */
export interface Identity {
  name?: string;
  version?: string;
}

/** Answers requests about some games; holds one position of one of them. */
export class Program {
  constructor(games: GameClass[], identity?: Identity);
  /** The answer to a request. Throws `Refused` if there is none. */
  ask(op: string, fields?: Record<string, unknown>): any;
  /** The line that answers a line. */
  answer(line: string): string;
  /** Answers until the end of the input; resolves to the exit code. */
  run(
    input?: NodeJS.ReadableStream,
    output?: NodeJS.WritableStream,
    errors?: NodeJS.WritableStream,
  ): Promise<number>;
}

/** Answers the referee's requests about these games until the end of the input. */
export function run(games: GameClass | GameClass[], identity?: Identity): Promise<void>;

/** JSON with the keys of all objects in order. */
export function canonical(value: unknown): string;
