#!/usr/bin/env node
// Plays every game without knowing a rule: Monte Carlo tree search on the referee's forward
// model. Uses the SDK where it lies in the repository; installed, it is "referee-bot".

import { Bot } from "../../sdk/javascript/index.js";

/** Random games stop after this many plies: longer ones say less. */
const HORIZON = 80;
/** Random games at a time. */
const BATCH = 4;
/** After this many games with a move, the replies to it are searched, too. */
const READY = 8;
/** How much moves that were tried less are preferred. */
const CURIOSITY = 0.4;

/** A move, what games after it came to for the seat that made it, and the answers to it. */
class Node {
  games = 1;
  children = [];

  constructor(move, seat, outcome) {
    this.move = move;
    this.seat = seat;
    this.sum = outcome;
  }

  /** The child to try next: a good one, or one that is not known well (UCB1). */
  pick() {
    const total = Math.log(this.children.reduce((sum, { games }) => sum + games, 1));
    return highest(this.children, ({ sum, games }) => {
      // As if half a game more had been won and half a game lost.
      const mean = (sum + 0.5) / (games + 1);
      return mean + CURIOSITY * Math.sqrt(total / games);
    });
  }
}

function highest(items, worth) {
  let [best, most] = [undefined, -Infinity];
  for (const item of items) {
    const value = worth(item);
    if (value > most) [best, most] = [item, value];
  }
  return best;
}

class SearchBot extends Bot {
  name = "search-javascript";
  version = "1";
  wants = { state: true, legal: false };

  async choose(turn) {
    const model = await this.modelAt(turn, HORIZON);
    const root = new Node(undefined, turn.match.seat, 0);
    await this.expand(model, root, []);
    let playouts = root.children.length;
    while (turn.timeLeft() > 0 && root.children.length > 1) {
      await this.tryLine(model, root, playouts);
      playouts += BATCH;
    }
    const best = highest(root.children, ({ games }) => games);
    return { move: best.move, info: { value: best.sum / best.games, nodes: playouts } };
  }

  /** Follows the most promising moves, plays on at random, and remembers what that gave. */
  async tryLine(model, root, seed) {
    const line = [];
    let node = root;
    while (node.children.length > 0) {
      node = node.pick();
      line.push(node);
    }
    const moves = line.map(({ move }) => move);
    if (node.games >= READY) await this.expand(model, node, moves);
    const { outcome } = await model.playoutAfter(moves, BATCH, seed);
    for (const node of line) {
      node.sum += BATCH * outcome[node.seat];
      node.games += BATCH;
    }
  }

  /** Gives a node its children, each of which begins with one random game. */
  async expand(model, node, moves) {
    const [{ to_move: seat }, means] = await Promise.all([
      model.play(...moves),
      model.playouts(1, node.games),
      model.undo(moves.length),
    ]);
    const children = Object.entries(means);
    node.children = children.map(([move, outcome]) => new Node(move, seat, outcome[seat]));
  }
}

await new SearchBot().run();
