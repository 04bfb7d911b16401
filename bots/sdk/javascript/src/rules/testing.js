/**
 * For tests of rules: plays games and checks what a rules program promises, without a referee.
 * @module
 */

import { BadState, CHANCE, Position, Program, Random, canonical } from "./index.js";

/** The longest move, in bytes. */
const LONGEST_MOVE = 200;
/** So many plies are played of a game that does not end. */
const LONGEST_GAME = 2000;

/** A promise that the rules do not keep; the message has the steps that led there. */
export class Broken extends Error {
  name = "Broken";
}

/** The position at the start of a match. */
export function start(game, { options, seed = 0 } = {}) {
  const rules = new game(options);
  return new Position(rules, rules.start(new Random(seed)));
}

/** All positions of a match, from the start to the one after the last step. Throws IllegalStep if one
 * is not legal. */
export function playthrough(game, steps, settings) {
  const path = [start(game, settings)];
  for (const step of steps) path.push(path.at(-1).after(path.at(-1).step(step)));
  return path;
}

/** All positions of a random match; chance is drawn by its probabilities. One that does not end is cut
 * after 2000 plies. */
export function randomGame(game, settings = {}) {
  const rng = new Random(settings.seed ?? 0);
  const path = [start(game, settings)];
  while (path.at(-1).result === null && path.at(-1).ply < LONGEST_GAME) {
    path.push(path.at(-1).after(path.at(-1).randomStep(rng)));
  }
  return path;
}

/**
 * Plays random games and checks at every position that states come back, that moves are unique and
 * lead somewhere, that `apply` leaves the old state alone, that probabilities sum to 1, that the game
 * ends with a result, and that observations tell a seat what it saw and nothing else. Throws Broken.
 */
export function check(game, { options, games = 20, seed = 0 } = {}) {
  const memories = { known: new Map(), seen: new Map() };
  JSON.stringify(new Program([game]).ask("hello"));
  for (let number = 0; number < games; number++) {
    checkGame(game, options, seed + number, memories);
  }
}

function checkGame(game, options, seed, memories) {
  const steps = [];
  try {
    const rng = new Random(seed);
    let here = start(game, { options, seed });
    const again = start(game, { options, seed });
    need(canonical(again.wire()) === canonical(here.wire()), "the same seed starts otherwise");
    // What a seat knows of a random start is where its memory begins.
    const seats = Array.from({ length: here.game.seatCount() }, (_, seat) => seat);
    const seen = game.hidden ? seats.map((seat) => [here.observation(seat)]) : [];
    while (here.ply < LONGEST_GAME) {
      look(here, seen, memories, rng);
      if (here.result !== null) break;
      const step = here.randomStep(rng);
      if (game.hidden) here.sees(step).forEach((values, seat) => seen[seat].push(values));
      here = checkedStep(here, step);
      steps.push(step);
    }
  } catch (error) {
    const what = error instanceof Broken ? error.message : `${error.name}: ${error.message}`;
    const where = `(seed ${seed}, after ${JSON.stringify(steps)})`;
    throw new Broken(`${what}\n${where}`, { cause: error });
  }
}

function checkedStep(here, step) {
  const [before, legal] = [JSON.stringify(here.wire()), canonical(here.legal)];
  const after = here.after(step);
  need(JSON.stringify(here.wire()) === before, "`apply` has changed the state that it was given");
  const again = new Position(here.game, here.state, here.ply);
  need(canonical(again.legal) === legal, "`legal` says something else the second time");
  const same = canonical(again.after(step).wire()) === canonical(after.wire());
  need(same, "`apply` is not always the same");
  return after;
}

/** All checks of one position. */
function look(here, seen, memories, rng) {
  checkTurn(here);
  const wire = JSON.stringify(here.wire());
  let back;
  try {
    back = Position.read(here.game, JSON.parse(wire));
  } catch (error) {
    if (error instanceof BadState) throw new Broken(`the state does not come back: ${error.message}`);
    throw error;
  }
  for (const [what, of] of Object.entries({
    state: (position) => position.wire(),
    legal: (position) => position.legal,
    toMove: (position) => position.toMove,
    result: (position) => position.ended(),
    key: (position) => position.game.key(position.state),
  })) {
    need(canonical(of(back)) === canonical(of(here)), `\`${what}\` changes with the state's way back`);
  }
  checkScores(here);
  if (here.game.constructor.overrides("view")) checkView(here);
  seen.forEach((values, seat) => checkObservation(here, back, seat, values, memories, rng));
}

function checkTurn(here) {
  if (here.result !== null) return;
  const { actors, choices } = here;
  need(actors.length > 0, "nobody is to move, but there is no result");
  actors.forEach((actor, index) => {
    const seat = Number.isInteger(actor) && actor >= 0 && actor < here.game.seatCount();
    need(seat || actor === CHANCE, `${JSON.stringify(actor)} is to move, but is no seat`);
    const list = choices[index];
    const texts = Array.isArray(list) ? list : Object.keys(list);
    need(texts.length > 0, `${actor} is to move, but has no legal move`);
    need(new Set(texts).size === texts.length, `two moves are equal: ${texts}`);
    for (const text of texts) {
      const fits = typeof text === "string" && text !== "" && Buffer.byteLength(text) <= LONGEST_MOVE;
      need(fits && !/\p{Cc}/u.test(text), `${JSON.stringify(text)} is no text for a move`);
    }
    if (!Array.isArray(list)) {
      const chances = Object.values(list);
      const sum = chances.reduce((total, chance) => total + chance, 0);
      const fits = chances.every((chance) => chance > 0) && Math.abs(sum - 1) < 1e-9;
      need(fits, `the probabilities are not positive with the sum 1: ${JSON.stringify(list)}`);
    }
  });
  if (Array.isArray(here.toMove)) {
    const order = actors.map((actor) => (actor === CHANCE ? Infinity : actor));
    const rising = order.every((actor, index) => index === 0 || order[index - 1] < actor);
    need(order.length > 1 && rising, `${actors} is no ascending list of several`);
  }
}

function checkScores(here) {
  const { scores, outcome } = here.scores();
  need(scores.every(Number.isInteger), `scores are whole numbers, not ${scores}`);
  const inside = outcome.length === scores.length && outcome.every((share) => share >= 0 && share <= 1);
  need(inside, `an outcome is from 0 to 1 a seat, not ${outcome}`);
}

function checkView(here) {
  const { shape, cells, pieces } = here.game.view(here.state);
  need(["square", "hex"].includes(shape), "a view's shape is `square` or `hex`");
  const names = new Set(cells.map(({ name }) => name));
  need(names.size === cells.length, "two cells of the view have one name");
  const taken = new Set(pieces.map(({ cell }) => cell));
  need([...taken].every((cell) => names.has(cell)), "a piece of the view stands on no cell");
  need(taken.size === pieces.length, "two pieces of the view stand on one cell");
  need(pieces.every(({ glyph }) => [...glyph].length === 1), "the glyph of a piece is one letter");
}

function checkObservation(here, back, seat, seen, memories, rng) {
  const known = here.observation(seat);
  const same = canonical(back.observation(seat)) === canonical(known);
  need(same, `the observation of seat ${seat} changes with the state's way back`);
  const [saw, knows] = [`${seat} ${canonical(seen)}`, `${seat} ${canonical(known)}`];
  const { known: before, seen: earlier } = memories;
  if (!before.has(saw)) before.set(saw, knows);
  if (!earlier.has(knows)) earlier.set(knows, saw);
  const [other, path] = [before.get(saw), earlier.get(knows)];
  need(other === knows, `an observation tells more than the seat saw: ${knows}, but also ${other}`);
  need(path === saw, `an observation forgets what the seat saw: ${knows} comes after ${saw} and ${path}`);
  if (here.game.constructor.overrides("sample")) {
    const drawn = here.game.sample(JSON.parse(JSON.stringify(known)), seat, rng);
    const sample = new Position(here.game, drawn, here.ply);
    const fits = canonical(sample.observation(seat)) === canonical(known);
    need(fits, `a sample is not what seat ${seat} observes: ${JSON.stringify(sample.wire())}`);
  }
}

function need(condition, message) {
  if (!condition) throw new Broken(message);
}
