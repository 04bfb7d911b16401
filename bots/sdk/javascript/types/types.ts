// Checked by `tsc`, never run: the declarations fit what bots do with them.

import { Bot, type Child, type Choice, Model, RESIGN, type Turn } from "../index.js";
import { BadReply, type Reply, ask } from "../testing.js";

class Typed extends Bot {
  name = "typed";

  async choose(turn: Turn): Promise<Choice> {
    const model: Model = await this.modelAt(turn, 80);
    const children: Child[] = await model.children({ want: ["value", "state"] });
    const key: string | undefined = (await model.play("a1", "a2", { want: ["key"] })).key;
    await model.undo(2, { want: ["legal"] });
    const { count } = await model.playout(undefined, 1, { ms: 5 });
    if (key === undefined || count === undefined || children.length === 0) return RESIGN;
    return { move: children[0].move, info: { value: (await model.evaluate())[turn.match.seat] } };
  }

  async ponder(_turn: Turn, _choice: Choice, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.model.playout(10);
  }
}

const reply: Reply = await ask(new Typed(), "siam", { moves: ["+c1n"], clock: { move_ms: 100 } });
if (reply.move === null) throw new BadReply("resigned");

// @ts-expect-error there is no such thing to want
await new Model().children({ want: ["everything"] });
// @ts-expect-error moves are texts
await new Model().play(1);
