/** For tests of bots: gives a bot a position and sees what it plays, without a referee. */

import type { Bot, Clock, Info, Match, Step } from "./index.js";

/** Where a bot is asked: after `moves` from `state`, or from the start that belongs to `seed`. */
export interface TestPosition {
  options?: Record<string, unknown>;
  state?: unknown;
  seed?: number;
  /** Of all seats and of chance; where several act at once, one move is an object. */
  moves?: Step[];
  /** The seat that the bot takes, where several act at once. */
  seat?: number;
  /** Handed to the bot, and not enforced. */
  clock?: Clock;
  limits?: Partial<Match["limits"]>;
}

/** What a bot did in its turn. */
export interface Reply {
  /** The move, which is legal; `null` if the bot resigned. */
  move: string | null;
  /** What it logged with the move. */
  info: Info;
  /** What it sent while it was thinking, in order. */
  progress: Info[];
  /** How long all that took, in milliseconds, the start of the match included. */
  ms: number;
  /** The position in which it had to move, whatever the bot may know of it. */
  state: unknown;
  /** The moves that it could have played. */
  legal: string[];
}

/** The bot answered with something that would lose the match. */
export class BadReply extends Error {}

/** Lets a bot play one move. Rejects with `BadReply`, or with what the bot throws. */
export function ask(bot: Bot, game: string, position?: TestPosition): Promise<Reply>;
