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

  /** Sets up a position: `state`, or the start that belongs to `seed`. */
  create(game, { options = {}, state, seed = 0, maxPlies } = {}) {
    const from = state === undefined ? { seed } : { state };
    return this.#ask({ op: "new", game, options, ...from, max_plies: maxPlies ?? undefined });
  }

  /** Where the model is. */
  position() {
    return this.#ask({ op: "get" });
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

  /** Plays all of these moves, or none if one of them is not legal. */
  play(...moves) {
    return this.#ask({ op: "play", moves });
  }

  /** Takes back as many moves. */
  undo(count = 1) {
    return this.#ask({ op: "undo", count });
  }

  /** How many positions there are after exactly `depth` plies, counted by paths. */
  async perft(depth) {
    return (await this.#ask({ op: "perft", depth })).nodes;
  }

  /** Means of `count` random games from here. */
  playout(count = 1, seed = 0) {
    return this.#ask({ op: "playout", count, seed });
  }

  /** For every legal move the mean outcome a seat of `count` random games after it. */
  async playouts(count = 1, seed = 0) {
    return (await this.#ask({ op: "playouts", count, seed })).moves;
  }

  /** The same as `playout` after these moves, which are taken back: one wait instead of three. */
  async playoutAfter(moves, count = 1, seed = 0) {
    const [, playout] = await Promise.all([this.play(...moves), this.playout(count, seed)]);
    this.undo(moves.length).catch(() => {}); // whoever asks next is told if the process is gone
    return playout;
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
