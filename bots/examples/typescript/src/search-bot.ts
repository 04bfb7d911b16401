// Plays every game without knowing a rule: a best-first search on the referee's forward model, which
// says in one answer what all moves lead to and what that is worth. Uses the SDK for JavaScript, which
// `npm install` links from this repository.

import { Bot, type Model, type Position, type Turn } from "referee-ggp";

/** How much moves that were tried less are preferred. */
const CURIOSITY = 0.1;

/** A move of a seat, the position after it, and the answers to it. */
class Node {
  /** What its seat expects, summed up over all looks at it and beyond. */
  sum: number;
  looks = 1;
  children: Node[] = [];

  constructor(
    readonly move: string,
    readonly seat: number,
    readonly position: Position,
  ) {
    this.sum = this.worthTo(seat);
  }

  /** What a seat expects here; asked for with `want`, so it is there. */
  worthTo(seat: number): number {
    return this.position.value?.[seat] ?? 0;
  }

  /** The child to try next: a good one, or one that is not known well (UCB1). */
  pick(): Node {
    const total = Math.log(this.children.reduce((sum, { looks }) => sum + looks, 1));
    return this.best(({ sum, looks }) => sum / looks + CURIOSITY * Math.sqrt(total / looks));
  }

  /** The child that is worth most; the node itself if it has none. */
  best(worth: (child: Node) => number): Node {
    let [best, most]: [Node, number] = [this, -Infinity];
    for (const child of this.children) {
      const value = worth(child);
      if (value > most) [best, most] = [child, value];
    }
    return best;
  }
}

class SearchBot extends Bot {
  override name = "search-typescript";
  override version = "2";
  override wants = { state: true, legal: false };

  override async choose(turn: Turn) {
    const model = await this.modelAt(turn);
    const root = new Node("", turn.match.seat, await model.position({ want: ["value"] }));
    await this.expand(model, root, []);
    let tried = 0;
    for (; turn.timeLeft() > 0 && root.children.length > 1; tried += 1) {
      await this.tryLine(model, root);
    }
    // Of those that were looked at as often, the better one.
    const best = root.best(({ looks, sum }) => looks + sum / looks / 2);
    return { move: best.move, info: { value: best.sum / best.looks, nodes: tried } };
  }

  /**
   * Follows the most promising moves, looks at all answers to the last one, and remembers what the best
   * of them leads to.
   */
  private async tryLine(model: Model, root: Node): Promise<void> {
    const line: Node[] = [];
    let node = root;
    while (node.children.length > 0) {
      node = node.pick();
      line.push(node);
    }
    const moves = line.map(({ move }) => move);
    if (!node.position.result) node = await this.expand(model, node, moves);
    for (const passed of line) {
      passed.sum += node.worthTo(passed.seat);
      passed.looks += 1;
    }
  }

  /** Gives a node its children, with one request, and returns the best of them. */
  private async expand(model: Model, node: Node, moves: string[]): Promise<Node> {
    const seat = node.position.to_move ?? 0;
    const children = await model.childrenAfter(moves, { want: ["value"] });
    node.children = children.map((child) => new Node(child.move, seat, child));
    return node.best(({ sum }) => sum);
  }
}

await new SearchBot().run();
