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
 * to `seed`. Moves are those of all seats and of chance; where several act at once, one move is an
 * object. The bot sits wherever it is to move; `seat` says where if there are several. `clock` is that
 * of a `turn`; it is handed to the bot, and not enforced.
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
async function positionOf(game, { options, state, seed, moves = [], seat: wanted }) {
  const model = new Model();
  try {
    let position = await model.create(game, { options, state, seed, want: ["state"] });
    const start = position.state;
    const played = [];
    const perceived = [];
    for (const step of moves) {
      played.push(...pliesOf(position.to_move, step));
      position = await model.play(step, { want: ["sees"] });
      perceived.push(...(position.sees ?? []));
    }
    const seat = seatOf(position.to_move, wanted);
    const { legal, state: now } = await model.position({ want: ["legal", "state"] });
    const turn = { start, played, seat, ply: position.ply, state: now };
    turn.legal = Array.isArray(legal) ? legal : legal[seat];
    if (await model.isHidden(game)) await hide(turn, perceived, model, game, options);
    return turn;
  } finally {
    await model.close();
  }
}

/** Keeps to what a seat may know. */
async function hide(turn, perceived, model, game, options) {
  const { seat, start } = turn;
  turn.observation = await model.observation(seat);
  turn.sees = perceived.map((seats) => seats[seat] ?? []);
  turn.played = turn.played.filter((ply) => ply.seat === seat);
  await model.create(game, { options, state: start });
  turn.startObservation = await model.observation(seat);
}

/** The plies of a step, in the order of a match. */
export function pliesOf(toMove, step) {
  const ply = (actor, move) => ({ seat: actor === "chance" ? null : actor, move });
  if (typeof step === "string") return [ply(toMove, step)];
  return toMove.map((actor) => ply(actor, step[actor]));
}

/** The seat that the bot takes. */
export function seatOf(toMove, wanted) {
  if (toMove === null) throw new Error("the game is over: nobody is to move");
  const seats = [toMove].flat().filter((actor) => actor !== "chance");
  if (seats.length === 0) {
    throw new Error("chance is to move: say what it brings in `moves`");
  }
  if (wanted !== undefined && !seats.includes(wanted)) {
    throw new Error(`seat ${wanted} is not to move`);
  }
  return wanted ?? seats[0];
}

/** All that a bot hears of a match until its first turn, and then the end. */
function messagesOf(position, bot, game, { options = {}, clock = {}, limits = {} }) {
  const { start, startObservation, played, seat, ply, state, observation, sees, legal } = position;
  const { wants } = bot;
  const hidden = observation !== undefined;
  return [
    { type: "hello", protocol: 1, referee: "referee-ggp/testing" },
    {
      type: "start",
      match: "test",
      game,
      options,
      seat,
      role: "",
      players: [],
      state: hidden ? undefined : start,
      observation: startObservation,
      time: {},
      limits,
    },
    {
      type: "turn",
      ply,
      moves: played,
      sees,
      state: wants.state && !hidden ? state : undefined,
      observation: wants.state ? observation : undefined,
      legal: wants.legal ? legal : undefined,
      clock,
    },
    { type: "quit" },
  ];
}

/** What the answers of the bot mean. */
function replyOf({ state, legal }, answers, ms) {
  const last = answers.at(-1);
  if (!["move", "resign", "fault"].includes(last?.type)) {
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
