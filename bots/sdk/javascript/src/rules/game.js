/** What an author writes: a subclass of `Game`, with its options and what it answers. */

import { canonical, cut, quoted } from "./values.js";

/** Who draws at random: see `Game.toMove`. */
export const CHANCE = "chance";

/** An option's value that the game cannot be played with. */
export class BadOption extends Error {
  name = "BadOption";

  /**
   * @param {string} option
   * @param {string} message
   */
  constructor(option, message) {
    super(message);
    this.option = option;
  }
}

/** A state that no game can be in. */
export class BadState extends Error {
  name = "BadState";
}

/** Refuses a state unless the condition holds: `require(left >= 0, "left", "is below 0")`. */
export function require(condition, field, message) {
  if (!condition) throw new BadState(`\`${field}\` ${message}`);
}

/** An option: a whole number from `min` to `max`. */
export function int({ default: value, min, max, help = "" }) {
  return {
    describe: () => ({ type: "int", min, max, default: value, help }),
    allows: (given) => Number.isInteger(given) && min <= given && given <= max,
    allowed: `a whole number from ${min} to ${max}`,
  };
}

/** An option: true or false. */
export function bool({ default: value = false, help = "" } = {}) {
  return {
    describe: () => ({ type: "bool", default: value, help }),
    allows: (given) => typeof given === "boolean",
    allowed: "true or false",
  };
}

/** An option: any text. */
export function text({ default: value = "", help = "" } = {}) {
  return {
    describe: () => ({ type: "text", default: value, help }),
    allows: (given) => typeof given === "string",
    allowed: "a text",
  };
}

/** An option: one of several words, the first one by default. */
export function choice(values, { default: value = values[0], help = "" } = {}) {
  return {
    describe: () => ({ type: "choice", values, default: value, help }),
    allows: (given) => values.includes(given),
    allowed: `one of ${quoted(values)}`,
  };
}

/** Random numbers that follow from a seed, on every machine alike (SplitMix32). */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    // Seeds may be larger than 32 bits.
    this.#state = (seed ^ Math.floor(seed / 2 ** 32)) >>> 0;
  }

  /** A number from 0 to 1, 1 excluded. */
  next() {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `count`, `count` excluded. */
  below(count) {
    return Math.floor(this.next() * count);
  }

  /** One of a list. */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** A list in random order, as a new one. */
  shuffled(list) {
    const mixed = [...list];
    for (let last = mixed.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [mixed[last], mixed[other]] = [mixed[other], mixed[last]];
    }
    return mixed;
  }
}

/**
 * The rules of a game. An object of it is the game with the options of one match.
 *
 * States are values: `apply` returns a new one and leaves the old one as it is. A state holds all
 * that matters for how play goes on; the number of plies made is kept for you. If it is an object of
 * what JSON can hold (without the names `ply` and `to_move`), nothing else is needed; otherwise write
 * `toJson` and `fromJson`.
 */
export class Game {
  static id = "";
  static title = "";
  static summary = "";
  static roles = [];
  static seats = undefined;
  static symmetric = false;
  static hidden = false;
  static options = {};
  static notation = [];
  static maxPlies = null;
  static repetition = null;
  static guide = "";

  /** @param {object} [given] options; what is missing gets its default */
  constructor(given = {}) {
    const { options } = this.constructor;
    for (const [name, value] of Object.entries(given)) {
      if (!Object.hasOwn(options, name)) throw new BadOption(name, unknown(Object.keys(options)));
      const option = options[name];
      if (!option.allows(value)) {
        throw new BadOption(name, `${cut(JSON.stringify(value))} is not ${option.allowed}`);
      }
    }
    const chosen = ([name, option]) => [name, given[name] ?? option.describe().default];
    /** All options of the match, those that were left at their defaults included. */
    this.options = Object.fromEntries(Object.entries(options).map(chosen));
  }

  // What every game needs.

  /** The state at the start. Only what is drawn from `rng` may be random. */
  start(_rng) {
    return missing(this, "start");
  }

  /** Who acts: a seat; a list of seats that act at once, which may end with CHANCE; or CHANCE. */
  toMove(_state) {
    return missing(this, "toMove");
  }

  /** The moves of a seat that acts: texts, all different, at least one. */
  legal(_state, _seat) {
    return missing(this, "legal");
  }

  /** The state after a step, a new one: a text, or where several act an object with the text of
   * each. */
  apply(_state, _step) {
    return missing(this, "apply");
  }

  /** How the game ended: `{ scores, reason }`, perhaps with `outcome`; `null` while it goes on. */
  result(_state) {
    return missing(this, "result");
  }

  // What some games need.

  /** What can come of chance, with probabilities. The referee draws, never the game. */
  chance(_state) {
    return missing(this, "chance");
  }

  /** How many seats there are, for games with `seats`. */
  seatCount() {
    return this.constructor.roles.length;
  }

  /** The state as an object for JSON, without `ply` and `to_move`. */
  toJson(state) {
    return state;
  }

  /** The state that `toJson` made these fields of. Throw BadState, or anything else, if they make no
   * sense. */
  fromJson(fields) {
    return fields;
  }

  /** Every move that any position can have, each once, in an order that never changes: for programs that
   * learn, the place of a move here is its number. */
  actions() {
    return missing(this, "actions");
  }

  /** The points if play stopped here, for matches that a limit ends. */
  scores(_state) {
    return Array(this.seatCount()).fill(0);
  }

  /** A text that is equal exactly for states that play on alike. */
  key(state) {
    return canonical(this.toJson(state));
  }

  /** The board, for drawing: `shape`, `cells`, `pieces` and `notes`. */
  view(state) {
    const fields = Object.entries(this.toJson(state));
    const notes = fields.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return { shape: "square", cells: [], pieces: [], notes };
  }

  // What games with hidden information need.

  /** All that a seat knows: equal for two ways to get here exactly if the seat cannot tell them
   * apart. `ply` and `to_move` are added, unless they are there. */
  observation(state, _seat) {
    return this.toJson(state);
  }

  /** What a seat perceives of a step that is made in this state. */
  sees(_state, step, _seat) {
    return [step];
  }

  /** A state drawn from all those in which the seat would observe this. */
  sample(_observation, _seat, _rng) {
    return missing(this, "sample");
  }

  /** Whether the author wrote this method. */
  static overrides(method) {
    return this.prototype[method] !== Game.prototype[method];
  }

  /** The game's entry in `hello`. */
  static describe() {
    const options = Object.entries(this.options);
    return {
      id: this.id,
      title: this.title || this.id,
      summary: this.summary,
      roles: this.roles,
      seats: this.seats,
      symmetric: this.symmetric,
      hidden: this.hidden,
      // So that the referee draws what no bot can foresee.
      chance: this.overrides("chance") || undefined,
      options: Object.fromEntries(options.map(([name, option]) => [name, option.describe()])),
      notation: this.notation,
      limits: { max_plies: this.maxPlies, repetition: this.repetition },
      guide: this.guide || undefined,
    };
  }
}

function missing(game, method) {
  throw new TypeError(`class ${game.constructor.name} needs a method \`${method}\``);
}

function unknown(known) {
  if (known.length === 0) return "there is no such option: this game has none";
  return `there is no such option; allowed are ${quoted(known)}`;
}
