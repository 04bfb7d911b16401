// Moves by clicking cells. It knows no game: the texts of the legal moves are split by the names of
// cells, and a move is played by clicking its cells in order. What cells leave open (a direction, a
// kind of piece) is left to choose.

/** A move as its cells and the texts around them: `c1-c2n` is `c1`, `c2` and `''`, `-`, `n`.
 * @typedef {{ text: string, cells: string[], between: string[] }} SplitMove */

/** The possibilities after some cells were clicked.
 * @typedef {object} Step
 * @property {Set<string>} next cells that can be clicked now
 * @property {SplitMove[]} choices moves whose cells are all chosen and that differ in other text only
 * @property {string | null} move the move, if only one is left and it is complete */

/** @param {string} character */
function classOf(character) {
  if (character >= '0' && character <= '9') return 'digit';
  return /\p{L}/u.test(character) ? 'letter' : 'other';
}

/** True if `name` stands at `start` of `text` as a word of its own: `c1` does in `c1n` and `xc1`, not in
 * `c12`; a name of letters alone does not in a longer word.
 * @param {string} text @param {number} start @param {string} name */
function standsAlone(text, start, name) {
  const before = start > 0 ? classOf(text[start - 1]) : 'other';
  const end = start + name.length;
  const after = end < text.length ? classOf(text[end]) : 'other';
  const first = classOf(name[0]);
  const last = classOf(name[name.length - 1]);
  const begins = before === 'other' || before !== first || (first === 'letter' && last === 'digit');
  return begins && (after === 'other' || after !== last);
}

/** Splits a move by the names of cells; of two names that fit, the longer one counts.
 * @param {string} text @param {Map<string, string>} names by how moves write them @param {number} longest @returns {SplitMove} */
function split(text, names, longest) {
  const cells = [];
  const between = [];
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const found = nameAt(text, at, names, longest);
    if (found === null) {
      at += 1;
      continue;
    }
    between.push(text.slice(from, at));
    cells.push(names.get(found) ?? found);
    at += found.length;
    from = at;
  }
  between.push(text.slice(from));
  return { text, cells, between };
}

/** @param {string} text @param {number} at @param {Map<string, string>} names @param {number} longest */
function nameAt(text, at, names, longest) {
  for (let length = Math.min(longest, text.length - at); length > 0; length -= 1) {
    const name = text.slice(at, at + length);
    if (names.has(name) && standsAlone(text, at, name)) return name;
  }
  return null;
}

/** @param {string[]} moves @param {Iterable<string>} cellNames @returns {SplitMove[]} */
export function splitMoves(moves, cellNames) {
  /** @type {Map<string, string>} */
  const names = new Map();
  let longest = 0;
  for (const name of cellNames) {
    names.set(name, name);
    // A cell by its coordinates, `1,3`, is two words of a move: `(mark 1 3)`.
    const words = name.split(',');
    if (words.length === 2 && words.every((word) => word !== '')) names.set(words.join(' '), name);
    longest = Math.max(longest, name.length);
  }
  return moves.map((text) => split(text, names, longest));
}

/** The cells that a move names.
 * @param {string} text @param {Iterable<string>} cellNames */
export function cellsOf(text, cellNames) {
  return splitMoves([text], cellNames)[0].cells;
}

/** The possibilities after the clicks in `chosen`.
 * @param {SplitMove[]} moves @param {string[]} chosen @returns {Step} */
export function stepAfter(moves, chosen) {
  const fitting = moves.filter((move) => chosen.every((cell, at) => move.cells[at] === cell));
  const complete = fitting.filter((move) => move.cells.length === chosen.length);
  const longer = fitting.filter((move) => move.cells.length > chosen.length);
  const next = new Set(longer.map((move) => move.cells[chosen.length]));
  const isSettled = chosen.length > 0 && complete.length === 1 && longer.length === 0;
  return { next, choices: isSettled ? [] : complete, move: isSettled ? complete[0].text : null };
}

/** The clicks after one more: on a cell that goes on, it is added; on another one that a move begins
 * with, it starts over; on any other, nothing stays chosen.
 * @param {SplitMove[]} moves @param {string[]} chosen @param {string} cell @returns {string[]} */
export function clicked(moves, chosen, cell) {
  const step = stepAfter(moves, chosen);
  if (step.next.has(cell)) return [...chosen, cell];
  if (chosen.length > 0 && chosen[chosen.length - 1] === cell) return chosen.slice(0, -1);
  const begins = moves.some((move) => move.cells[0] === cell);
  return begins && chosen.length > 0 && cell !== chosen[0] ? [cell] : [];
}

/** @type {Record<string, string>} */
const DIRECTIONS = {
  n: '↑ north', e: '→ east', s: '↓ south', w: '← west',
  ne: '↗ north-east', se: '↘ south-east', sw: '↙ south-west', nw: '↖ north-west',
};

/** The words that distinguish a choice from the others; the whole text if nothing simple does.
 * @param {SplitMove} choice @param {SplitMove[]} choices */
export function choiceLabel(choice, choices) {
  const told = choice.between.filter((part, at) => choices.some((other) => other.between[at] !== part));
  const words = told.map((part) => part.replace(/[^\p{L}\p{N} ]+/gu, ' ').trim()).filter((part) => part !== '');
  if (words.length === 0 || words.length !== told.length) return choice.text;
  return words.map((word) => DIRECTIONS[word] ?? word).join(' ');
}
