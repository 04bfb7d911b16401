/** For tests of rules: plays games and checks what a rules program promises, without a referee. */

import type { GameClass, Position, Step } from "./rules.js";

/** How a match begins. */
export interface Settings {
  options?: Record<string, unknown>;
  seed?: number;
}

/** A promise that the rules do not keep; the message has the steps that led there. */
export class Broken extends Error {}

/** The position at the start of a match. */
export function start(game: GameClass, settings?: Settings): Position;

/** All positions of a match, from the start to the one after the last step. Throws `IllegalStep` if one
 * is not legal. */
export function playthrough(game: GameClass, steps: Step[], settings?: Settings): Position[];

/** All positions of a random match; chance is drawn by its probabilities. One that does not end is cut
 * after 2000 plies. */
export function randomGame(game: GameClass, settings?: Settings): Position[];

/**
 * Plays random games and checks at every position that states come back, that moves are unique and
 * lead somewhere, that `apply` leaves the old state alone, that probabilities sum to 1, that the game
 * ends with a result, and that observations tell a seat what it saw and nothing else. Throws `Broken`.
 */
export function check(game: GameClass, settings?: Settings & { games?: number }): void;
