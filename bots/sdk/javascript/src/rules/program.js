/** The program: reads the referee's requests and answers them for the games that it knows. */

import { Console } from "node:console";
import { createInterface } from "node:readline";

import { BadOption, BadState, Random } from "./game.js";
import { IllegalStep, perft, playout, Position, TooMuch } from "./position.js";
import { cut, isObject, quoted } from "./values.js";

/** A perft asks the moves of at most this many positions, so that it ends in time. */
const MOST_POSITIONS = 20_000;
/** Random games of one request have at most this many plies together. */
const MOST_PLIES = 1_000;
/** A request for samples gets at most this many. */
const MOST_SAMPLES = 10_000;
/** Longer requests are cut in messages. */
const LONGEST_REQUEST = 160;
/** What `want` can name. */
const WANTS = ["legal", "state", "key", "view", "observation", "scores", "actions", "sees"];

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

/** Answers requests about some games; holds one position of one of them. */
export class Program {
  #games;
  #identity;
  #game;
  /** All positions of the match so far, the present one last. */
  #history = [];
  /** The ply at which random games stop, if there is one. */
  #maxPlies;
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
      playout: () => this.#playout(request),
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
    const optional = ["view", "scores", "observation", "sample", "actions"];
    const own = optional.filter((method) => games.some((game) => game.overrides(method)));
    const can = ["undo", "key", "perft", "playout", ...own];
    // A step is compared with what is legal before it is made.
    const strict = true;
    return { protocol: 1, ...this.#identity, can, strict, games: games.map((game) => game.describe()) };
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
    const limit = (request.max_plies ?? null) === null ? undefined : whole(request, "max_plies");
    const answer = { ...describe([position], request), roles };
    this.#maxPlies = limit;
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

  #playout(request) {
    const here = this.#here();
    const count = whole(request, "count", 1);
    if (here.result !== null) throw new Refused("game_over", `the game is over (${here.result.reason})`);
    if (count < 1) throw new Refused("bad_count", `\`count\` is ${count}; it must be 1 or more`);
    const rng = new Random(whole(request, "seed", 0));
    const total = Array(here.game.seatCount()).fill(0);
    let plies = 0;
    for (let played = 0; played < count; played++) {
      let one;
      try {
        one = playout(here, rng, this.#maxPlies, MOST_PLIES - plies);
      } catch (error) {
        if (!(error instanceof TooMuch)) throw error;
        const message = `${count} random games have more than ${MOST_PLIES} plies together`;
        throw new Refused("too_much", message);
      }
      one.outcome.forEach((worth, seat) => (total[seat] += worth));
      plies += one.plies;
    }
    return { outcome: total.map((worth) => worth / count), plies: plies / count };
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
    actions: () => ({ actions: here.game.actions() }),
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
  const here = new URL(".", import.meta.url).href;
  const own = frames.find((frame) => !frame.includes(here) && /:\d+:\d+\)?$/.test(frame));
  const place = own ? ` (${own.trim().replace(/\(?file:.*\//, "").replace(/\)$/, "")})` : "";
  const what = `${error?.name ?? "Error"}: ${error?.message ?? error}`.replace(/\s+/g, " ");
  return `the rules failed: ${what}${place} at the request ${cut(line.trim(), LONGEST_REQUEST)}`;
}
