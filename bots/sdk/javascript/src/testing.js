/**
 * For tests of bots: gives a bot a position and sees what it plays, without a referee. The rules are
 * those of `referee model`, so `referee` must be on the PATH or named in REFEREE.
 * @module
 */

import { PassThrough, Readable } from "node:stream";
import { Model } from "./model.js";

/** The bot answered with something that would lose the match. */
export class BadReply extends Error {
  name = "BadReply";
}

/**
 * Lets a bot play one move in the position after `moves` from `state`, or from the start that belongs
 * to `seed`. It sits wherever it is to move. `clock` is that of a `turn`; it is handed to the bot, and
 * not enforced.
 */
export async function ask(bot, game, position = {}) {
  const turn = await positionOf(game, position);
  const messages = messagesOf(turn, bot, game, position);
  const output = new PassThrough();
  const began = performance.now();
  await bot.run(Readable.from(messages.map((message) => `${JSON.stringify(message)}\n`)), output);
  const ms = performance.now() - began;
  output.end();
  const lines = (await output.toArray()).join("").split("\n").filter(Boolean);
  return replyOf(turn, lines.map((line) => JSON.parse(line)), ms);
}

/** The position in which the bot is asked. */
async function positionOf(game, { options, state, seed, moves = [] }) {
  const model = new Model();
  try {
    let position = await model.create(game, { options, state, seed, want: ["state"] });
    const start = position.state;
    const played = [];
    for (const move of moves) {
      played.push({ seat: position.to_move, move });
      position = await model.play(move);
    }
    if (position.to_move === null) throw new Error("the game is over: nobody is to move");
    const { legal, state: now } = await model.position({ want: ["legal", "state"] });
    return { start, played, seat: position.to_move, ply: position.ply, state: now, legal };
  } finally {
    await model.close();
  }
}

/** All that a bot hears of a match until its first turn, and then the end. */
function messagesOf({ start, played, seat, ply, state, legal }, bot, game, position) {
  const { options = {}, clock = {}, limits = {} } = position;
  const { wants } = bot;
  return [
    { type: "hello", protocol: 1, referee: "referee-bot/testing" },
    {
      type: "start",
      match: "test",
      game,
      options,
      seat,
      role: "",
      players: [],
      state: start,
      time: {},
      limits,
    },
    {
      type: "turn",
      ply,
      moves: played,
      state: wants.state ? state : undefined,
      legal: wants.legal ? legal : undefined,
      clock,
    },
    { type: "quit" },
  ];
}

/** What the answers of the bot mean. */
function replyOf({ state, legal }, answers, ms) {
  const last = answers.at(-1);
  if (last?.type !== "move" && last?.type !== "resign") {
    throw new BadReply("the bot did not answer its turn");
  }
  const move = last.move ?? null;
  if (move !== null && !legal.includes(move)) {
    const few = legal.slice(0, 5).join(", ");
    throw new BadReply(`\`${move}\` is not legal; legal are ${few}, … (${legal.length} in all)`);
  }
  const progress = answers
    .filter(({ type }) => type === "info")
    .map(({ type: _type, ...fields }) => fields);
  return { move, info: last.info ?? {}, progress, ms, state, legal };
}
