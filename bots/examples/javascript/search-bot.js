#!/usr/bin/env node
// Plays every game without knowing a rule: a best-first search on the referee's forward model, which
// says in one answer what all moves lead to and what that is worth. Uses the SDK where it lies in the
// repository; installed, it is "referee-ggp".

import { Bot } from "../../sdk/javascript/index.js";

/** How much moves that were tried less are preferred. */
const CURIOSITY = 0.1;

/** A move of a seat, the position after it, and the answers to it. */
class Node {
  looks = 1;
  children = [];

  constructor(move, seat, position) {
    this.move = move;
    this.seat = seat;
    this.position = position;
    // What its seat expects, summed up over all looks at it and beyond.
    this.sum = position.value[seat];
  }

  /** The child to try next: a good one, or one that is not known well (UCB1). */
  pick() {
    const total = Math.log(this.children.reduce((sum, { looks }) => sum + looks, 1));
    return highest(
      this.children,
      ({ sum, looks }) => sum / looks + CURIOSITY * Math.sqrt(total / looks),
    );
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
  version = "2";
  wants = { state: true, legal: false };

  async choose(turn) {
    const model = await this.modelAt(turn);
    const root = new Node("", turn.match.seat, await model.position({ want: ["value"] }));
    await this.expand(model, root, []);
    let tried = 0;
    for (; turn.timeLeft() > 0 && root.children.length > 1; tried += 1) {
      await this.tryLine(model, root);
    }
    // Of those that were looked at as often, the better one.
    const best = highest(root.children, ({ looks, sum }) => looks + sum / looks / 2);
    return { move: best.move, info: { value: best.sum / best.looks, nodes: tried } };
  }

  /**
   * Follows the most promising moves, looks at all answers to the last one, and remembers what the best
   * of them leads to.
   */
  async tryLine(model, root) {
    const line = [];
    let node = root;
    while (node.children.length > 0) {
      node = node.pick();
      line.push(node);
    }
    const moves = line.map(({ move }) => move);
    if (!node.position.result) node = await this.expand(model, node, moves);
    for (const passed of line) {
      passed.sum += node.position.value[passed.seat];
      passed.looks += 1;
    }
  }

  /** Gives a node its children, with one request, and returns the best of them. */
  async expand(model, node, moves) {
    const seat = node.position.to_move;
    const children = await model.childrenAfter(moves, { want: ["value"] });
    node.children = children.map((child) => new Node(child.move, seat, child));
    return highest(node.children, ({ sum }) => sum);
  }
}

await new SearchBot().run();
