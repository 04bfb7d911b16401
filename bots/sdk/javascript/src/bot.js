/**
 * The loop of a bot: reads the referee's messages and answers with what `choose` says.
 * @module
 */

import { Console } from "node:console";
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import { Model } from "./model.js";

/** The share of a limit that is spent; the rest is for a machine that does other things. */
const SHARE = 0.8;
/** Milliseconds that are kept back besides, for the way of the answer. */
const RESERVE_MS = 10;
/** A game clock is divided as if this many moves were still to come. */
const MOVES_TO_GO = 25;

/** Returned from `choose`, it gives the match up. */
export const RESIGN = Symbol("resign");

/** The version of the SDK, which is that of `referee`. */
export const VERSION = "0.2.0";

/** What `turn` says, and how much time there is. */
export class Turn {
  /**
   * @param {object} match what `start` told
   * @param {object} message
   * @param {number} began by `performance.now()`
   */
  constructor(match, message, began) {
    this.match = match;
    this.ply = message.ply;
    this.moves = message.moves ?? [];
    this.state = message.state;
    this.observation = message.observation;
    this.sees = message.sees ?? [];
    this.legal = message.legal ?? [];
    this.clock = message.clock ?? {};
    this.offers = message.offers ?? [];
    this.lines = message.lines;
    this.began = began;
  }

  /** Milliseconds to spend on this move: a safe part of what the clock allows. */
  budget() {
    const { move_ms: perMove, remaining_ms: remaining, increment_ms: increment } = this.clock;
    const left = remaining?.[this.match.seat] ?? undefined;
    const limits = [];
    if (perMove !== undefined) limits.push(usable(perMove));
    if (left !== undefined) {
      const part = usable(left) / MOVES_TO_GO + SHARE * (increment ?? 0);
      limits.push(Math.min(part, usable(left)));
    }
    return limits.length > 0 ? Math.min(...limits) : 1000;
  }

  /** Milliseconds of the budget that are left now; negative when it is used up. */
  timeLeft() {
    return this.began + this.budget() - performance.now();
  }
}

/** In place of pondering, while there is none. */
function rest() {
  return { stop: async () => {} };
}

/** Lines with the time at which they came, even if the bot was thinking then. */
async function* received(input) {
  const lines = createInterface({ input, crlfDelay: Infinity });
  const waiting = [];
  let wake = () => {};
  let closed = false;
  lines.on("line", (line) => {
    waiting.push({ line, began: performance.now() });
    wake();
  });
  lines.on("close", () => {
    closed = true;
    wake();
  });
  try {
    while (!closed || waiting.length > 0) {
      if (waiting.length > 0) yield waiting.shift();
      else await new Promise((woken) => (wake = woken));
    }
  } finally {
    lines.close();
  }
}

function usable(limit) {
  return Math.max(0, limit * SHARE - RESERVE_MS);
}

/**
 * A bot: a subclass implements `choose`, and its program calls `run`. Standard output belongs to
 * the protocol; use `log` for all else. (`console.log` goes the same way while `run` runs.)
 */
export class Bot {
  /** What the bot calls itself. */
  name = "bot";
  version = undefined;
  author = undefined;
  /** Ids of the games that it plays; left out, all. */
  games = undefined;
  /** Without them, turns are quicker to read. */
  wants = { state: true, legal: true };

  #model;
  #output = process.stdout;

  /** The move to make: a text out of `turn.legal`, `{ move, info }`, `RESIGN` or `{ noMove }`. */
  choose(_turn) {
    throw new Error("a bot needs a method `choose`");
  }

  /**
   * Thinks on while the others move, from the answer to `turn` until it returns. The next message
   * waits for that: `signal` is aborted when it comes. Only what awaits something can notice it.
   */
  ponder(_turn, _choice, _signal) {}

  /** A match begins: forget the one before. */
  started(_match) {}

  /** The match is over. */
  ended(_result) {}

  /** The match was lost by a fault. */
  fault(code, message) {
    this.log(`lost by ${code}: ${message}`);
  }

  /** Prints to stderr, which the referee keeps. */
  log(...what) {
    console.error(...what);
  }

  /** Tells for the log how thinking goes, at any time during `choose`. */
  info(fields) {
    this.#send({ type: "info", ...fields });
  }

  /** Offers an end with the move that follows, in `choose`: `draw`, or `settle` with an outcome. */
  offer(kind, { outcome, scores } = {}) {
    this.#send({ type: "offer", kind, outcome, scores });
  }

  /** The forward model; its process is started at the first use. */
  get model() {
    this.#model ??= new Model();
    return this.#model;
  }

  /**
   * The forward model, set up with the position of a turn. Playouts stop where the match does, and
   * after `horizon` plies: in long games, short ones say more. In games with hidden information it
   * is set up with the observation, and `sample` draws states for `create`.
   */
  async modelAt({ match, ply, state, observation }, horizon = Infinity) {
    const maxPlies = Math.min(match.limits?.max_plies ?? Infinity, ply + horizon);
    await this.model.create(match.game, {
      options: match.options,
      state,
      observation,
      maxPlies: Number.isFinite(maxPlies) ? maxPlies : undefined,
    });
    return this.model;
  }

  /** Answers the referee's messages until `quit` or the end of the input. */
  async run(input = process.stdin, output = process.stdout) {
    this.#output = output;
    const { console } = globalThis;
    // What is logged to see how the bot thinks would be taken for messages.
    globalThis.console = new Console(process.stderr);
    let match;
    let pondering = rest();
    try {
      for await (const { line, began } of received(input)) {
        if (line.trim() === "") continue;
        const message = JSON.parse(line);
        await pondering.stop();
        pondering = rest();
        if (message.type === "hello") {
          this.#hello();
        } else if (message.type === "start") {
          match = message;
          await this.started(match);
          this.#send({ type: "ready" });
        } else if (message.type === "turn") {
          const turn = new Turn(match, message, began);
          const choice = await this.choose(turn);
          this.#answer(turn, choice);
          pondering = this.#ponder(turn, choice);
        } else if (message.type === "error") {
          this.fault(message.code, message.message);
        } else if (message.type === "end") {
          this.ended(message.result);
        } else if (message.type === "quit") {
          break;
        }
      }
    } finally {
      await pondering.stop();
      globalThis.console = console;
      await this.#model?.close();
      this.#model = undefined;
      // While standard input is open, Node would wait for it.
      if (input === process.stdin) process.stdin.destroy();
    }
  }

  #hello() {
    const { name, version, author, games, wants } = this;
    const sdk = `javascript ${VERSION}`;
    this.#send({ type: "hello", protocol: 1, name, version, author, games, wants, sdk });
  }

  #ponder(turn, choice) {
    const controller = new AbortController();
    const done = Promise.resolve(this.ponder(turn, choice, controller.signal));
    // What it failed with is thrown when it is stopped.
    done.catch(() => {});
    const stop = () => {
      controller.abort();
      return done;
    };
    return { stop };
  }

  #answer(turn, choice) {
    if (choice === RESIGN) {
      this.#send({ type: "resign" });
      return;
    }
    if (choice?.noMove !== undefined) {
      this.#send({ type: "fault", code: "no_move", message: String(choice.noMove) });
      return;
    }
    const { move, info } = typeof choice === "string" ? { move: choice } : (choice ?? {});
    if (typeof move !== "string") {
      const right = "a text out of turn.legal, { move, info }, RESIGN or { noMove }";
      throw new TypeError(`choose() gave ${inspect(choice)}, not ${right}`);
    }
    this.#send({ type: "move", move, ply: turn.ply, info });
  }

  #send(message) {
    this.#output.write(`${JSON.stringify(message)}\n`);
  }
}
