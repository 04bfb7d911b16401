/**
 * Games for `referee`: subclass `Game`, describe the rules, call `run`.
 * @module
 */

import { Console } from "node:console";
import { createInterface } from "node:readline";

/** Who draws at random: see `Game.toMove`. */
export const CHANCE = "chance";

/** A perft asks the moves of at most this many positions, so that it ends in time. */
const MOST_POSITIONS = 20_000;
/** A request for samples gets at most this many. */
const MOST_SAMPLES = 10_000;
/** More plies than any match has. */
const MOST_PLIES = 2 ** 32 - 1;
/** Longer requests are cut in messages, and so are longer moves and values. */
const LONGEST_REQUEST = 160;
const LONGEST_VALUE = 40;
/** What `want` can name. */
const WANTS = ["legal", "state", "key", "view", "observation", "scores", "sees"];

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

/** A step that cannot be made. */
export class IllegalStep extends Error {
  name = "IllegalStep";
}

/** A request that is refused; everything is as it was before. */
export class Refused extends Error {
  name = "Refused";

  /**
   * @param {string} code a word of the protocol, such as `illegal_move`
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Counting would take too long. */
class TooMuch extends Error {}

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
      options: Object.fromEntries(options.map(([name, option]) => [name, option.describe()])),
      notation: this.notation,
      limits: { max_plies: this.maxPlies, repetition: this.repetition },
      guide: this.guide || undefined,
    };
  }
}

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

/** Answers requests about some games; holds one position of one of them. */
export class Program {
  #games;
  #identity;
  #game;
  /** All positions of the match so far, the present one last. */
  #history = [];
  /** What a seat knows, if that is all that was set up. */
  #observation;

  /**
   * @param {(typeof Game)[]} games
   * @param {{ name?: string, version?: string }} [identity]
   */
  constructor(games, { name = games[0].id, version = "1" } = {}) {
    games.forEach(lookAt);
    this.#games = new Map(games.map((game) => [game.id, game]));
    if (this.#games.size < games.length) throw new TypeError("two games have the same id");
    this.#identity = { name, version };
  }

  /** The answer to a request. Throws Refused if there is none. */
  ask(op, fields = {}) {
    return this.perform({ op, ...fields });
  }

  /** The same for a request as it stands in a line. */
  perform(request) {
    const operations = {
      hello: () => this.#hello(),
      new: () => this.#new(request),
      play: () => this.#play(request),
      undo: () => this.#undo(request),
      get: () => this.#get(request),
      perft: () => this.#perft(request),
      sample: () => this.#sample(request),
    };
    const { op } = request;
    if (typeof op !== "string" || !Object.hasOwn(operations, op)) {
      const known = quoted(Object.keys(operations));
      throw new Refused("bad_request", `\`op\` is ${cut(JSON.stringify(op) ?? "missing")}, not one of ${known}`);
    }
    return operations[op]();
  }

  /** The line that answers a line. */
  answer(line) {
    let id = null;
    try {
      const request = requestOf(line);
      id = request.id ?? null;
      return JSON.stringify({ id, ok: this.perform(request) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return JSON.stringify({ id, error: { code: error.code, message: error.message } });
    }
  }

  /** Answers until the end of the input. What an author's code throws is told in one line on stderr,
   * and ends it. Resolves to the exit code. */
  async run(input = process.stdin, output = process.stdout, errors = process.stderr) {
    const { console } = globalThis;
    // What is logged to see how the rules work would be taken for answers.
    globalThis.console = new Console(errors);
    try {
      for await (const line of createInterface({ input, crlfDelay: Infinity })) {
        let answer;
        try {
          answer = this.answer(line);
        } catch (error) {
          errors.write(`${told(error, line)}\n`);
          return 1;
        }
        output.write(`${answer}\n`);
      }
      return 0;
    } finally {
      globalThis.console = console;
      // While standard input is open, Node would wait for it.
      if (input === process.stdin) process.stdin.destroy();
    }
  }

  #hello() {
    const games = [...this.#games.values()];
    const optional = ["view", "scores", "observation", "sample"];
    const own = optional.filter((method) => games.some((game) => game.overrides(method)));
    const can = ["undo", "key", "perft", ...own];
    return { protocol: 1, ...this.#identity, can, games: games.map((game) => game.describe()) };
  }

  #new(request) {
    const game = this.#configure(request);
    const roles = game.constructor.seats && game.constructor.roles.slice(0, game.seatCount());
    if (request.observation !== undefined) {
      if (!isObject(request.observation)) throw new Refused("bad_state", "an observation is an object");
      [this.#game, this.#history, this.#observation] = [game, [], request.observation];
      return { ...this.#described(), roles };
    }
    const position = this.#begin(game, request);
    const answer = { ...describe([position], request), roles };
    [this.#game, this.#history, this.#observation] = [game, [position], undefined];
    return answer;
  }

  #begin(game, request) {
    try {
      if (request.state !== undefined && request.state !== null) {
        return Position.read(game, request.state);
      }
      return new Position(game, game.start(new Random(whole(request, "seed", 0))));
    } catch (error) {
      if (error instanceof BadOption) throw badOption(game.constructor.id, error);
      if (error instanceof BadState) throw new Refused("bad_state", error.message);
      throw error;
    }
  }

  #configure({ game: id, options }) {
    if (typeof id !== "string") throw new Refused("bad_request", "`new` needs the field `game`, a text");
    const game = this.#games.get(id);
    if (!game) {
      const known = quoted([...this.#games.keys()]);
      throw new Refused("unknown_game", `there is no game \`${cut(id)}\`; there are ${known}`);
    }
    if (options !== undefined && options !== null && !isObject(options)) {
      throw new Refused("bad_option", "`options` is not an object");
    }
    try {
      return new game(options ?? {});
    } catch (error) {
      throw error instanceof BadOption ? badOption(id, error) : error;
    }
  }

  #play(request) {
    const { moves } = request;
    const fits = (move) => typeof move === "string" || isObject(move);
    if (!Array.isArray(moves) || !moves.every(fits)) {
      throw new Refused("bad_request", "`moves` is not a list of texts and objects");
    }
    const wanted = wants(request).includes("sees");
    const path = [this.#here()];
    const sees = [];
    for (const move of moves) {
      const here = path.at(-1);
      if (here.result !== null) {
        throw new Refused("game_over", `the game is over (${here.result.reason})`);
      }
      const step = stepOf(here, move);
      if (wanted) sees.push(here.sees(step));
      path.push(here.after(step));
    }
    const answer = describe(path, request, sees);
    this.#history.push(...path.slice(1));
    return answer;
  }

  #undo(request) {
    this.#here();
    const count = whole(request, "count", 1);
    const made = this.#history.length - 1;
    if (count > made) {
      throw new Refused("bad_count", `\`count\` is ${count}, but ${made} steps were played`);
    }
    const left = this.#history.slice(0, this.#history.length - count);
    const answer = describe(left, request);
    this.#history = left;
    return answer;
  }

  #get(request) {
    const want = wants(request);
    if (this.#observation && want.every((name) => name === "observation")) {
      const observation = want.length > 0 ? this.#observation : undefined;
      return { ...this.#described(), observation };
    }
    return describe([this.#here()], request);
  }

  #perft(request) {
    const depth = whole(request, "depth");
    try {
      return { nodes: perft(this.#here(), depth, MOST_POSITIONS) };
    } catch (error) {
      // Too deep is a RangeError.
      if (!(error instanceof TooMuch || error instanceof RangeError)) throw error;
      const message = `depth ${depth} needs the moves of more than ${MOST_POSITIONS} positions`;
      throw new Refused("too_much", message);
    }
  }

  #sample(request) {
    const game = this.#game;
    if (!game) throw new Refused("no_game", "there is no position yet: `new` sets one up");
    const seat = seatOf(request, game);
    const count = whole(request, "count", 1);
    if (count < 1 || count > MOST_SAMPLES) {
      throw new Refused("bad_count", `\`count\` is ${count}; it must be from 1 to ${MOST_SAMPLES}`);
    }
    if (!game.constructor.hidden) return { states: Array(count).fill(this.#here().wire()) };
    const known = this.#observation ?? this.#here().observation(seat);
    const rng = new Random(whole(request, "seed", 0));
    const ply = whole(known, "ply", 0);
    const draw = () => new Position(game, game.sample(known, seat, rng), ply).wire();
    try {
      return { states: Array.from({ length: count }, draw) };
    } catch (error) {
      if (!this.#observation) throw error;
      // It came from outside, like a state.
      const why = `${error.name}: ${error.message}`;
      throw new Refused("bad_state", `no state fits this observation (${why})`);
    }
  }

  #here() {
    if (this.#history.length === 0) {
      const what = this.#observation ? "state, but an observation" : "position yet";
      throw new Refused("no_game", `there is no ${what}: \`new\` sets one up`);
    }
    return this.#history.at(-1);
  }

  /** What there is to say about a position of which only an observation is known. */
  #described() {
    const { ply = 0, to_move = null } = this.#observation;
    return { ply, to_move, result: null };
  }
}

/**
 * Answers the referee's requests about these games until the end of the input. `name` is what the
 * program calls itself, by default the first game's id; `version` tells one version of the rules from
 * another in logs.
 */
export async function run(games, identity) {
  process.exitCode = await new Program([games].flat(), identity).run();
}

/** What an answer says about the last position of a path, with what is wanted. */
function describe(path, request, sees) {
  const here = path.at(-1);
  const answer = { ply: here.ply, to_move: here.toMove, result: here.ended() };
  const add = {
    legal: () => ({ legal: here.legal }),
    state: () => ({ state: here.wire() }),
    key: () => ({ key: here.game.key(here.state) }),
    view: () => ({ view: here.game.view(here.state) }),
    observation: () => ({ observation: here.observation(seatOf(request, here.game)) }),
    scores: () => here.scores(),
    sees: () => {
      if (!sees) throw new Refused("bad_request", "only `play` can want `sees`");
      return { sees };
    },
  };
  return Object.assign(answer, ...wants(request).map((name) => add[name]()));
}

function stepOf(position, move) {
  try {
    return position.step(move);
  } catch (error) {
    throw error instanceof IllegalStep ? new Refused("illegal_move", error.message) : error;
  }
}

/** Whether an author forgot something that every answer would miss. */
function lookAt(game) {
  const what = `class ${game.name}`;
  if (!/^[a-z0-9][a-z0-9-]*$/.test(game.id)) {
    throw new TypeError(`${what} needs an \`id\` of small letters, digits and \`-\``);
  }
  if (game.roles.length === 0) throw new TypeError(`${what} needs \`roles\`, the names of its seats`);
  const needed = ["start", "toMove", "legal", "apply", "result"];
  if (game.hidden) needed.push("observation", "sees");
  if (game.seats) needed.push("seatCount");
  const forgotten = needed.find((method) => !game.overrides(method));
  if (forgotten) throw new TypeError(`${what} needs a method \`${forgotten}\``);
}

function requestOf(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch (error) {
    throw new Refused("bad_request", `the line is not JSON: ${error.message}`);
  }
  if (!isObject(request)) throw new Refused("bad_request", "a request is a JSON object");
  return request;
}

/** A field that is a whole number, at least 0. */
function whole(request, field, otherwise) {
  const number = request[field] === undefined ? otherwise : request[field];
  if (!Number.isInteger(number) || number < 0) {
    throw new Refused("bad_request", `\`${field}\` is not a whole number, 0 or more`);
  }
  return number;
}

function seatOf(request, game) {
  const seat = whole(request, "as");
  if (seat >= game.seatCount()) {
    throw new Refused("bad_request", `\`as\` is ${seat}, but there are ${game.seatCount()} seats`);
  }
  return seat;
}

function wants({ want }) {
  const names = want ?? [];
  if (!Array.isArray(names) || !names.every((name) => WANTS.includes(name))) {
    throw new Refused("bad_request", `\`want\` is not a list of ${quoted(WANTS)}`);
  }
  return names;
}

function badOption(id, error) {
  return new Refused("bad_option", `option \`${error.option}\` of ${id}: ${error.message}`);
}

/** One line about an error in an author's code: what, where, and at which request. */
function told(error, line) {
  const frames = String(error?.stack).split("\n").slice(1);
  const own = frames.find((frame) => !frame.includes(import.meta.url) && /:\d+:\d+\)?$/.test(frame));
  const place = own ? ` (${own.trim().replace(/\(?file:.*\//, "").replace(/\)$/, "")})` : "";
  const what = `${error?.name ?? "Error"}: ${error?.message ?? error}`.replace(/\s+/g, " ");
  return `the rules failed: ${what}${place} at the request ${cut(line.trim(), LONGEST_REQUEST)}`;
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

function missing(game, method) {
  throw new TypeError(`class ${game.constructor.name} needs a method \`${method}\``);
}

function unknown(known) {
  if (known.length === 0) return "there is no such option: this game has none";
  return `there is no such option; allowed are ${quoted(known)}`;
}

/** The texts of a list of moves, or of outcomes with probabilities. */
function textsOf(choices) {
  return Array.isArray(choices) ? choices : Object.keys(choices);
}

/** JSON with the keys of all objects in order. */
export function canonical(value) {
  const sorted = (_key, inner) => {
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.keys(inner).sort().map((key) => [key, inner[key]]));
  };
  return JSON.stringify(value, sorted);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function quoted(names) {
  return names.map((name) => `\`${name}\``).join(", ");
}

function cut(value, longest = LONGEST_VALUE) {
  return value.length <= longest ? value : `${value.slice(0, longest)}…`;
}
