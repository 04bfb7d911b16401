/** Bots for `referee`: subclass `Bot`, implement `choose(turn)`, call `run()`. */

/** What `start` says about the match. */
export interface Match {
  /** The match's id: with the seat a good seed for random numbers. */
  match: string;
  game: string;
  options: Record<string, unknown>;
  /** The bot's own seat, counted from 0. */
  seat: number;
  role: string;
  players: { name: string; role: string }[];
  /** The position at the start; absent in games with hidden information. */
  state?: unknown;
  /** What the bot may know of the start, in games with hidden information. */
  observation?: unknown;
  time: Record<string, unknown>;
  limits: { max_plies: number | null; repetition: number | null };
  /** Whether the match ends when all bots offer the same. */
  offers?: boolean;
}

/** An end that a bot would agree to. */
export interface Offer {
  kind: "draw" | "settle";
  /** To settle: what each seat would get, from 0 to 1. */
  outcome?: number[];
  /** To settle: the final points of each seat. */
  scores?: number[];
}

/** A line of play, in an analysis. */
export interface Line {
  /** The outcome that is expected, from 0 to 1. */
  value?: number;
  /** The moves, the bot's own first. */
  pv: string[];
  depth?: number;
  nodes?: number;
}

/** What an end is worth. */
export interface Result {
  /** The game's points a seat. */
  scores: number[];
  /** What they are worth, from 0 to 1 a seat. */
  outcome: number[];
  reason: string;
}

/** What a clock allows, in milliseconds; what is absent does not apply. */
export interface Clock {
  move_ms?: number;
  remaining_ms?: (number | null)[];
  increment_ms?: number;
}

/** What is customary to tell about a move; any other field may be there as well. */
export interface Info {
  depth?: number;
  nodes?: number;
  /** The outcome that is expected, from 0 to 1. */
  value?: number;
  pv?: string[];
  text?: string;
  /** The best lines, the best first, where `turn.lines` asks for them. */
  lines?: Line[];
  [field: string]: unknown;
}

/** What `turn` says, and how much time there is. */
export class Turn {
  readonly match: Match;
  /** Plies made so far. */
  readonly ply: number;
  /**
   * All plies since the bot's last turn, its own first; only its own in games with hidden information.
   * What chance brought has no seat.
   */
  readonly moves: { seat: number | null; move: string }[];
  /** The position now; `undefined` for bots that do not want it, and where information is hidden. */
  readonly state: unknown;
  /** All that the bot may know now, in place of `state` in games with hidden information. */
  readonly observation: unknown;
  /**
   * What the bot perceived of each step since its last turn, in games with hidden information: a list
   * a step, often empty.
   */
  readonly sees: unknown[][];
  /** All legal moves; empty for bots that do not want them. */
  readonly legal: string[];
  readonly clock: Clock;
  /** What the others offered with their last moves. */
  readonly offers: ({ seat: number } & Offer)[];
  /** How many best lines an analysis would like to see in `info`; `undefined` in a match. */
  readonly lines?: number;
  /** When the turn began, by `performance.now()`. */
  readonly began: number;
  /** Milliseconds to spend on this move, from its beginning. */
  budget(): number;
  /** Milliseconds of the budget that are left now; negative when it is used up. */
  timeLeft(): number;
}

/** Returned from `choose`, it gives the match up. */
export const RESIGN: unique symbol;

/** A move, perhaps with notes for the log; giving up; or no move at all, with the reason for the log. */
export type Choice = string | { move: string; info?: Info } | typeof RESIGN | { noMove: string };

/** The version of the SDK, which is that of `referee`. */
export const VERSION: string;

/** A bot: a subclass implements `choose`, and its program calls `run`. */
export abstract class Bot {
  /** What the bot calls itself. */
  name: string;
  version?: string;
  author?: string;
  /** Ids of the games that it plays; left out, all. */
  games?: string[];
  /** Without them, turns are quicker to read. */
  wants: { state: boolean; legal: boolean };
  /** The forward model; its process is started at the first use. */
  get model(): Model;
  /** The move to make. */
  abstract choose(turn: Turn): Choice | Promise<Choice>;
  /**
   * Thinks on while the others move, from the answer to `turn` until it returns. The next message
   * waits for that: `signal` is aborted when it comes. Only what awaits something can notice it.
   * Many tournaments let bots rest while it is not their turn.
   */
  ponder(turn: Turn, choice: Choice, signal: AbortSignal): void | Promise<void>;
  /** A match begins: forget the one before. */
  started(match: Match): void | Promise<void>;
  /** The match is over. */
  ended(result: Result): void;
  /** The match was lost by a fault; by default that is told on stderr. */
  fault(code: string, message: string): void;
  /** Prints to stderr, which the referee keeps. */
  log(...what: unknown[]): void;
  /** Tells for the log how thinking goes, at any time during `choose`. */
  info(fields: Info): void;
  /**
   * Offers an end with the move that follows, in `choose`. It means something only where `match.offers`;
   * the match ends once the last moves of all bots came with the same.
   */
  offer(kind: "draw"): void;
  offer(kind: "settle", result: { outcome: number[]; scores?: number[] }): void;
  /**
   * The forward model, set up with the position of a turn. Playouts stop where the match does, and
   * after `horizon` plies: in long games, short ones say more. In games with hidden information it
   * is set up with the observation, and `sample` draws states for `create`.
   */
  modelAt(turn: Turn, horizon?: number): Promise<Model>;
  /** Answers the referee's messages until `quit` or the end of the input. */
  run(input?: NodeJS.ReadableStream, output?: NodeJS.WritableStream): Promise<void>;
}

/** Where the model is. */
export interface Position {
  ply: number;
  /**
   * The seat to move; `null` when the game is over. In games where that happens, `"chance"`, or a list
   * of several that act at once: narrow it there with `typeof` or `as ToMove`.
   */
  to_move: number | null;
  result: Result | null;
  /**
   * All legal moves; none when the game is over. This and all that follows: if it was wanted. Where
   * several act at once, an object of them by seat; for chance, one of outcomes with their
   * probabilities: read it `as Legal`.
   */
  legal?: string[];
  /** The position as the game writes it. */
  state?: unknown;
  /** A text that is equal exactly for equal positions. */
  key?: string;
  /** The outcome that the reference evaluation expects, from 0 to 1 a seat. */
  value?: number[];
  /** The board, for drawing. */
  view?: unknown;
}

/** Who acts, in any game. */
export type ToMove = number | "chance" | (number | "chance")[] | null;

/** What is legal, in any game. */
export type Legal = string[] | Record<string, string[] | Record<string, number>> | Record<string, number>;

/**
 * A step: a move, what chance brings or, where several act at once, the choices of all by their seats
 * and `chance`.
 */
export type Step = string | Record<string, string>;

/** A legal move and the position after it. */
export interface Child extends Position {
  move: string;
  key: string;
}

/** What an answer can hold besides where the model is. */
export type Want = "legal" | "state" | "key" | "value" | "view";

/** What comes with the same answer, so that a search needs to ask once a node. */
export interface Wanted {
  want?: Want[];
}

/** Means of random games. */
export interface Playout {
  /** What each seat got, from 0 (lost) to 1 (won). */
  outcome: number[];
  plies: number;
  /** How many games were played, if `ms` limited them. */
  count?: number;
}

/** A request that the model refused; the position is what it was before. */
export class ModelError extends Error {
  /** A word of the protocol, such as `illegal_move`; `gone` when the process has ended. */
  readonly code: string;
  constructor(code: string, message: string);
}

/** The forward model: one position of one game, in a child process `referee model`. */
export class Model {
  /** `command` names the program; otherwise REFEREE does, or it is on the PATH. */
  constructor(command?: string[]);
  /** Sets up a position: `state`, or the start that belongs to `seed`. */
  create(
    game: string,
    settings?: {
      options?: Record<string, unknown>;
      state?: unknown;
      /** What a seat knows, in place of a position; only `sample` is of use then. */
      observation?: unknown;
      seed?: number;
      /** Where playouts stop, instead of the game's own limit. */
      maxPlies?: number | null;
    } & Wanted,
  ): Promise<Position>;
  /** Where the model is. */
  position(wanted?: Wanted): Promise<Position>;
  /** All legal moves; none when the game is over. */
  legal(): Promise<string[]>;
  /** The position as the game writes it. */
  state(): Promise<unknown>;
  /** A text that is equal exactly for equal positions, for transposition tables. */
  key(): Promise<string>;
  /** The board, for drawing. */
  view(): Promise<unknown>;
  /** Plays all of these moves, or none if one of them is not legal. */
  play(...moves: Step[]): Promise<Position>;
  /** The same, with what the answer should hold: `play(move, { want: ["legal", "key"] })`. */
  play(...moves: [...Step[], Wanted]): Promise<Position>;
  /** All that a seat may know; the state where nothing is hidden. */
  observation(seat: number): Promise<unknown>;
  /**
   * At most `count` states that a seat cannot tell from the present one, also after `create` with an
   * `observation`; none if the rules draw none.
   */
  sample(seat: number, count?: number, seed?: number): Promise<unknown[]>;
  /** Takes back as many moves. */
  undo(count?: number, wanted?: Wanted): Promise<Position>;
  /** Every legal move with the position after it. */
  children(wanted?: Wanted): Promise<Child[]>;
  /** The outcome that the reference evaluation expects, from 0 to 1 a seat. */
  evaluate(): Promise<number[]>;
  /** How many positions there are after exactly `depth` plies, counted by paths. */
  perft(depth: number): Promise<number>;
  /** Means of random games from here: `count` of them (by default 1), or as many as fit into `ms`. */
  playout(count?: number, seed?: number, time?: { ms?: number }): Promise<Playout>;
  /**
   * For every legal move the mean outcome a seat of random games after it: `count` a move, or as many
   * as fit into `ms`. In a very short time some moves may have none and are left out.
   */
  playouts(
    count?: number,
    seed?: number,
    time?: { ms?: number },
  ): Promise<Record<string, number[]>>;
  /** The same as `playout` after these moves, which are taken back: one wait instead of three. */
  playoutAfter(moves: Step[], count?: number, seed?: number): Promise<Playout>;
  /** The same as `children` after these moves, which are taken back: one wait instead of three. */
  childrenAfter(moves: Step[], wanted?: Wanted): Promise<Child[]>;
  /** Ends the process. */
  close(): Promise<void>;
}
