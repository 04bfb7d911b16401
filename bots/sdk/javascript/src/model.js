/**
 * The forward model: `referee model` as an object that knows the rules of all games.
 * @module
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A request that the model refused; the position is what it was before. */
export class ModelError extends Error {
  /**
   * @param {string} code a word of the protocol, such as `illegal_move`
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "ModelError";
    this.code = code;
  }
}

/**
 * One position of one game, in a child process `referee model`.
 *
 * The referee gives its bots its own path in the environment variable `REFEREE`; otherwise
 * `referee` must be on the PATH, or `command` names the program. Call `create` first. Requests are
 * answered in order, so several can be on their way: `await Promise.all([…])`.
 */
export class Model {
  #process;
  #input;
  /** Those who wait for an answer, the first one first. */
  #waiting = [];
  #gone;

  /** @param {string[]} [command] */
  constructor(command = [process.env.REFEREE ?? "referee"]) {
    const [program, ...args] = command;
    this.#process = spawn(program, [...args, "model"], { stdio: ["pipe", "pipe", "inherit"] });
    this.#input = this.#process.stdin;
    const end = () => this.#end(new ModelError("gone", "the model's process has ended"));
    this.#process.on("error", ({ code, message }) => {
      const missing = `there is no program \`${program}\`: name it in REFEREE, or put it on the PATH`;
      this.#end(new ModelError("gone", code === "ENOENT" ? missing : message));
    });
    this.#input.on("error", end);
    const lines = createInterface({ input: this.#process.stdout });
    lines.on("line", (line) => this.#waiting.shift()?.answered(line));
    lines.on("close", end);
  }

  /**
   * Sets up a position: `state`, or the start that belongs to `seed`. With an `observation`, what a
   * seat knows is set up in place of a position; only `sample` is of use then.
   */
  create(game, { options = {}, state, observation, seed = 0, maxPlies, want } = {}) {
    const position = state === undefined ? { seed } : { state };
    const from = observation === undefined ? position : { observation };
    return this.#ask({ op: "new", game, options, ...from, max_plies: maxPlies ?? undefined, want });
  }

  /** Where the model is. What `want` names comes with the same answer, here and elsewhere. */
  position({ want } = {}) {
    return this.#ask({ op: "get", want });
  }

  /** All legal moves; none when the game is over. */
  legal() {
    return this.#get("legal");
  }

  /** The position as the game writes it. */
  state() {
    return this.#get("state");
  }

  /** A text that is equal exactly for equal positions, for transposition tables. */
  key() {
    return this.#get("key");
  }

  /** The board, for drawing. */
  view() {
    return this.#get("view");
  }

  /** Plays all of these moves, or none if one of them is not legal. The last argument may be what
   * the answer should hold: `play(move, { want: ["legal", "key"] })`. Where several seats act at
   * once, a move is an object: `play({ 0: "rock", 1: "paper" })`. */
  play(...moves) {
    const last = moves.at(-1);
    // Steps of several seats are objects, too.
    const isStep = typeof last === "string" || Object.keys(last ?? {}).some((key) => key !== "want");
    const { want } = isStep || last === undefined ? {} : moves.pop();
    return this.#ask({ op: "play", moves, want });
  }

  /** All that a seat may know; the state where nothing is hidden. */
  async observation(seat) {
    return (await this.#ask({ op: "get", as: seat, want: ["observation"] })).observation;
  }

  /**
   * At most `count` states that a seat cannot tell from the present one, also after `create` with an
   * `observation`; none if the rules draw none.
   */
  async sample(seat, count = 1, seed = 0) {
    return (await this.#ask({ op: "sample", as: seat, count, seed })).states;
  }

  /**
   * Whether seats know different things in this game.
   * @internal
   */
  async isHidden(game) {
    // An older program knows neither `hello` nor such games.
    const { games } = await this.#ask({ op: "hello", protocol: 1 }).catch(() => ({ games: [] }));
    return games.some(({ id, hidden }) => id === game && hidden === true);
  }

  /** Takes back as many moves. */
  undo(count = 1, { want } = {}) {
    return this.#ask({ op: "undo", count, want });
  }

  /** Every legal move, as `move`, with the position after it and its `key`. */
  async children({ want } = {}) {
    return (await this.#ask({ op: "children", want })).children;
  }

  /** The outcome that the reference evaluation expects, from 0 to 1 a seat. */
  async evaluate() {
    return (await this.#ask({ op: "evaluate" })).value;
  }

  /** How many positions there are after exactly `depth` plies, counted by paths. */
  async perft(depth) {
    return (await this.#ask({ op: "perft", depth })).nodes;
  }

  /** Means of random games from here: `count` of them, or as many as fit into `ms`. */
  playout(count, seed = 0, { ms } = {}) {
    return this.#ask({ op: "playout", count, seed, ms });
  }

  /**
   * For every legal move the mean outcome a seat of random games after it: `count` a move, or as many
   * as fit into `ms`. In a very short time some moves may have none and are left out.
   */
  async playouts(count, seed = 0, { ms } = {}) {
    return (await this.#ask({ op: "playouts", count, seed, ms })).moves;
  }

  /** The same as `playout` after these moves, which are taken back: one wait instead of three. */
  async playoutAfter(moves, count = 1, seed = 0) {
    const [, playout] = await Promise.all([this.play(...moves), this.playout(count, seed)]);
    this.undo(moves.length).catch(() => {}); // whoever asks next is told if the process is gone
    return playout;
  }

  /** The same as `children` after these moves, which are taken back: one wait instead of three. */
  async childrenAfter(moves, { want } = {}) {
    const [, children] = await Promise.all([this.play(...moves), this.children({ want })]);
    this.undo(moves.length).catch(() => {}); // whoever asks next is told if the process is gone
    return children;
  }

  /** Ends the process. */
  async close() {
    this.#input.end();
    if (this.#process.exitCode === null && !this.#gone) {
      await new Promise((closed) => this.#process.once("close", closed));
    }
  }

  async #get(what) {
    return (await this.#ask({ op: "get", want: [what] }))[what];
  }

  #ask(request) {
    if (this.#gone) return Promise.reject(this.#gone);
    this.#input.write(`${JSON.stringify(request)}\n`);
    return new Promise((resolve, reject) => {
      const answered = (line) => {
        const { ok, error } = JSON.parse(line);
        if (error) reject(new ModelError(error.code, error.message));
        else resolve(ok);
      };
      this.#waiting.push({ answered, reject });
    });
  }

  #end(error) {
    this.#gone ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#gone);
  }
}
