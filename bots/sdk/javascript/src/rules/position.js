/** A point in a match, in the terms of the protocol: who acts, what is legal, what follows. */

import { BadState, CHANCE } from "./game.js";
import { canonical, cut, isObject } from "./values.js";

/** More plies than any match has. */
const MOST_PLIES = 2 ** 32 - 1;

/** A step that cannot be made. */
export class IllegalStep extends Error {
  name = "IllegalStep";
}

/** It would take too long. */
export class TooMuch extends Error {}

/** A state of a game, with the number of plies made so far. */
export class Position {
  #result;
  #toMove;
  #choices;

  constructor(game, state, ply = 0) {
    this.game = game;
    this.state = state;
    this.ply = ply;
  }

  /** The position that `wire` describes. Throws BadState if it is none. */
  static read(game, given) {
    if (!isObject(given)) throw new BadState("a state is an object");
    const { ply, to_move: toMove, ...fields } = given;
    if (!Number.isInteger(ply) || ply < 0 || ply > MOST_PLIES) {
      throw new BadState("`ply` is not the number of plies made so far");
    }
    let position;
    let again;
    try {
      position = new Position(game, game.fromJson(fields), ply);
      again = position.wire();
      position.checkActors();
    } catch (error) {
      if (error instanceof BadState) throw error;
      // An author need not foresee everything that is wrong.
      throw new BadState(`it makes no sense (${error.name}: ${error.message})`);
    }
    if (toMove !== undefined && canonical(toMove) !== canonical(again.to_move)) {
      const [is, must] = [toMove, again.to_move].map((turn) => JSON.stringify(turn));
      throw new BadState(`\`to_move\` is ${is}; it must be ${must}`);
    }
    if (canonical({ ...again, to_move: 0 }) !== canonical({ ...given, to_move: 0 })) {
      throw new BadState("there are other fields in it than this game has, or other values");
    }
    return position;
  }

  /** How the game ended; `null` while it goes on. */
  get result() {
    this.#result ??= { is: this.game.result(this.state) ?? null };
    return this.#result.is;
  }

  /** Who acts, as the protocol has it; `null` when the game is over. */
  get toMove() {
    if (this.result !== null) return null;
    this.#toMove ??= this.game.toMove(this.state);
    return this.#toMove;
  }

  /** All who act. */
  get actors() {
    if (this.toMove === null) return [];
    return Array.isArray(this.toMove) ? this.toMove : [this.toMove];
  }

  /** What each of those who act may do, in their order: lists of moves, or outcomes with
   * probabilities. */
  get choices() {
    const { game, state } = this;
    this.#choices ??= this.actors.map((actor) =>
      actor === CHANCE ? game.chance(state) : game.legal(state, actor),
    );
    return this.#choices;
  }

  /** What is legal, as the protocol has it. */
  get legal() {
    const { toMove, actors, choices } = this;
    if (!Array.isArray(toMove)) return choices[0] ?? [];
    return Object.fromEntries(actors.map((actor, index) => [actor, choices[index]]));
  }

  /** The state as the protocol has it: with `ply` and `to_move`. */
  wire() {
    const fields = this.game.toJson(this.state);
    if (!isObject(fields)) throw new TypeError("toJson() did not return an object");
    if ("ply" in fields || "to_move" in fields) {
      throw new TypeError("a state has no fields `ply` and `to_move` of its own: they are added");
    }
    return { ply: this.ply, to_move: this.toMove, ...fields };
  }

  /** What a seat knows. */
  observation(seat) {
    const known = this.game.observation(this.state, seat);
    if (!isObject(known)) throw new TypeError("observation() did not return an object");
    // In one order: otherwise the text could tell apart what is equal.
    return JSON.parse(canonical({ ply: this.ply, to_move: this.toMove, ...known }));
  }

  /** Scores and outcome: those of the end, or if play stopped here. */
  scores() {
    const { scores, outcome } = this.result ?? { scores: this.game.scores(this.state) };
    const seats = this.game.seatCount();
    if (scores.length !== seats) {
      throw new RangeError(`there are ${scores.length} scores, but ${seats} seats`);
    }
    return { scores, outcome: outcome ?? ranked(scores) };
  }

  /** What the position is worth to each seat if play stops here. */
  outcome() {
    if (this.result === null && !this.game.constructor.overrides("scores")) {
      return Array(this.game.seatCount()).fill(0.5);
    }
    return this.scores().outcome;
  }

  /** The result as the protocol has it. */
  ended() {
    return this.result && { ...this.scores(), reason: this.result.reason };
  }

  /** A step out of what the protocol has for it. Throws IllegalStep. */
  step(given) {
    if (this.result !== null) throw new IllegalStep(`the game is over (${this.result.reason})`);
    const { actors } = this;
    if (!Array.isArray(this.toMove)) {
      this.#check(0, given);
      return given;
    }
    const names = actors.map((actor) => this.#name(actor)).join(" and ");
    if (!isObject(given) || canonical(Object.keys(given).sort()) !== canonical(actors.map(String).sort())) {
      throw new IllegalStep(`${names} act at once: a step is an object with the move of each`);
    }
    actors.forEach((actor, index) => this.#check(index, given[actor]));
    return given;
  }

  /** All steps that can be made here. */
  steps() {
    const texts = this.choices.map(textsOf);
    if (!Array.isArray(this.toMove)) return texts[0] ?? [];
    const extend = (steps, more, index) =>
      steps.flatMap((step) => more.map((move) => ({ ...step, [this.actors[index]]: move })));
    return texts.reduce(extend, [{}]);
  }

  /** The position after a step, which must be legal. */
  after(step) {
    const state = this.game.apply(this.state, step);
    return new Position(this.game, state, this.ply + this.actors.length);
  }

  /** A step that is drawn: moves with equal chances, outcomes of chance with theirs. */
  randomStep(rng) {
    const drawn = this.choices.map((choice) => drawnFrom(choice, rng));
    if (!Array.isArray(this.toMove)) return drawn[0];
    return Object.fromEntries(this.actors.map((actor, index) => [actor, drawn[index]]));
  }

  /** What each seat perceives of a step. */
  sees(step) {
    const seats = Array.from({ length: this.game.seatCount() }, (_, seat) => seat);
    return seats.map((seat) => this.game.sees(this.state, step, seat));
  }

  /** Throws BadState if somebody is to move who cannot. */
  checkActors() {
    this.actors.forEach((actor, index) => {
      const seat = Number.isInteger(actor) && actor >= 0 && actor < this.game.seatCount();
      if (!(seat || actor === CHANCE) || textsOf(this.choices[index]).length === 0) {
        throw new BadState(`${JSON.stringify(actor)} would be to move, but cannot move`);
      }
    });
  }

  #check(index, given) {
    const actor = this.actors[index];
    const texts = textsOf(this.choices[index]);
    const name = this.#name(actor);
    if (typeof given !== "string") {
      throw new IllegalStep(`a move of ${name} is a text`);
    }
    if (!texts.includes(given)) {
      const kind = actor === CHANCE ? "outcomes" : "legal moves";
      const has = `${name}, which has ${texts.length} ${kind}`;
      throw new IllegalStep(`\`${cut(given)}\` is not legal here for ${has}`);
    }
  }

  #name(actor) {
    return actor === CHANCE ? "chance" : `${this.game.constructor.roles[actor]} (seat ${actor})`;
  }
}

/** How many ways there are to make exactly `depth` steps. */
export function perft(position, depth, most = Infinity) {
  let looked = 0;
  const count = (here, left) => {
    if (left === 0) return 1;
    if (here.result !== null) return 0;
    looked += 1;
    if (looked > most) throw new TooMuch();
    if (left === 1) return here.choices.reduce((sum, list) => sum * textsOf(list).length, 1);
    return here.steps().reduce((sum, step) => sum + count(here.after(step), left - 1), 0);
  };
  return count(position, depth);
}

/**
 * What a random game from here is worth to each seat, and its plies. It stops at the ply `lastPly`.
 * Throws TooMuch if it has more than `most` plies.
 */
export function playout(position, rng, lastPly = Infinity, most = Infinity) {
  let here = position;
  while (here.result === null && here.ply < lastPly) {
    if (here.ply - position.ply >= most) throw new TooMuch();
    here = here.after(here.randomStep(rng));
  }
  return { outcome: here.outcome(), plies: here.ply - position.ply };
}

/** One of a list of moves, or of the outcomes of chance with their probabilities. */
function drawnFrom(choice, rng) {
  if (Array.isArray(choice)) return rng.pick(choice);
  const outcomes = Object.entries(choice);
  let left = rng.next() * outcomes.reduce((sum, [, probability]) => sum + probability, 0);
  // Rounding may leave a rest.
  const found = outcomes.find(([, probability]) => (left -= probability) < 0);
  return (found ?? outcomes.reduce((one, other) => (other[1] > one[1] ? other : one)))[0];
}

/** The outcome that belongs to scores: the share of rivals beaten, half for ties. */
function ranked(scores) {
  if (scores.length < 2) throw new RangeError("a game of one seat needs an `outcome` in its result");
  const worth = (own) => {
    const beaten = scores.filter((score) => score < own).length;
    const tied = scores.filter((score) => score === own).length - 1;
    return (beaten + tied / 2) / (scores.length - 1);
  };
  return scores.map(worth);
}

/** The texts of a list of moves, or of outcomes with probabilities. */
function textsOf(choices) {
  return Array.isArray(choices) ? choices : Object.keys(choices);
}
