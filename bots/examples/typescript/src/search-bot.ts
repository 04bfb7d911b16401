// Plays every game without knowing a rule: Monte Carlo tree search on the referee's forward
// model. Uses the SDK for JavaScript, which `npm install` links from this repository.

import { Bot, type Model, type Turn } from "referee-bot";

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
  children: Node[] = [];

  constructor(
    readonly move: string,
    readonly seat: number,
    public sum: number,
  ) {}

  /** The child to try next: a good one, or one that is not known well (UCB1). */
  pick(): Node {
    const total = Math.log(this.children.reduce((sum, { games }) => sum + games, 1));
    return this.best(({ sum, games }) => {
      // As if half a game more had been won and half a game lost.
      const mean = (sum + 0.5) / (games + 1);
      return mean + CURIOSITY * Math.sqrt(total / games);
    });
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
  override version = "1";
  override wants = { state: true, legal: false };

  override async choose(turn: Turn) {
    const model = await this.modelAt(turn, HORIZON);
    const root = new Node("", turn.match.seat, 0);
    await this.expand(model, root, []);
    let playouts = root.children.length;
    while (turn.timeLeft() > 0 && root.children.length > 1) {
      await this.tryLine(model, root, playouts);
      playouts += BATCH;
    }
    const best = root.best(({ games }) => games);
    return { move: best.move, info: { value: best.sum / best.games, nodes: playouts } };
  }

  /** Follows the most promising moves, plays on at random, and remembers what that gave. */
  private async tryLine(model: Model, root: Node, seed: number): Promise<void> {
    const line: Node[] = [];
    let node = root;
    while (node.children.length > 0) {
      node = node.pick();
      line.push(node);
    }
    const moves = line.map(({ move }) => move);
    if (node.games >= READY) await this.expand(model, node, moves);
    const { outcome } = await model.playoutAfter(moves, BATCH, seed);
    for (const node of line) {
      node.sum += BATCH * (outcome[node.seat] ?? 0);
      node.games += BATCH;
    }
  }

  /** Gives a node its children, each of which begins with one random game. */
  private async expand(model: Model, node: Node, moves: string[]): Promise<void> {
    const [position, means] = await Promise.all([
      model.play(...moves),
      model.playouts(1, node.games),
      model.undo(moves.length),
    ]);
    const seat = position.to_move ?? 0;
    const children = Object.entries(means);
    node.children = children.map(([move, outcome]) => new Node(move, seat, outcome[seat] ?? 0));
  }
}

await new SearchBot().run();
