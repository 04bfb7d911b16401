// Facts about a move: the mover's own info, and later analyses.

import { duration, fill, grouped, make, nameOf } from '../dom.js';
import { cellsOf } from '../board/clicks.js';
import { Board, hasBoard } from '../board/board.js';

/** @typedef {import('../shapes').MatchData} MatchData */
/** @typedef {import('../shapes').Move} Move */
/** @typedef {import('../shapes').View} View */

/** The smallest loss of a blunder, the same as in `referee analyse`. */
const BLUNDER = 0.2;
/** Smaller losses are not mentioned. */
const LEAST_LOSS = 0.005;
/** The most moves of a variation that are shown. */
const LONGEST_LINE = 40;

/** The loss of a move in the first analysis that has one.
 * @param {Move} move */
export function lossOf(move) {
  return move.analysis?.find((entry) => typeof entry.loss === 'number')?.loss ?? null;
}

/** @param {Move} move */
export function isBlunder(move) {
  return (lossOf(move) ?? 0) >= BLUNDER;
}

/** The facts about a position and the move that led to it, as compact as possible.
 * @param {MatchData} match @param {Move | undefined} move @param {number} ply */
export function factsOf(match, move, ply) {
  const known = match.proven?.[ply];
  const proven = known === undefined ? null : make('p', {}, make('strong', { class: 'chip' }, 'proven'), ` ${known} by best play`);
  const info = move?.info;
  const hasWords = Boolean(move && (info?.text || move.stderr || move.analysis?.length));
  if (!move || (!info && !hasWords)) return proven && [proven];
  const fact = (/** @type {string} */ name, /** @type {string | null} */ value) => value !== null && make('div', {}, make('dt', {}, name), make('dd', {}, value));
  const player = move.seat === null ? null : match.players[move.seat];
  return [
    proven,
    make('h2', {}, player ? nameOf(player.name) : 'Chance', ` about move ${move.ply}`),
    move.analysis?.map(analysed),
    info && make('dl', { class: 'facts inline' },
      fact('expects', typeof info.value === 'number' ? info.value.toFixed(3) : null),
      fact('depth', typeof info.depth === 'number' ? grouped(info.depth) : null),
      fact('nodes', typeof info.nodes === 'number' ? grouped(info.nodes) : null),
      fact('time', typeof move.ms === 'number' ? duration(move.ms) : null)),
    info?.text && written(info.text, info.model),
    move.stderr && make('div', {}, make('h3', {}, 'On stderr'), make('pre', { class: 'says', tabindex: 0 }, move.stderr)),
  ];
}

/** What a bot says about its move; the words of a language model are folded.
 * @param {string} text @param {string | null | undefined} model */
function written(text, model) {
  const says = make('p', { class: 'says' }, make('bdi', {}, text));
  if (!model) return says;
  return make('details', { class: 'thought' }, make('summary', {}, 'What ', make('bdi', {}, model), ' wrote'), says);
}

/** @param {import('../shapes').Analysis} entry */
function analysed(entry) {
  const loss = entry.loss ?? 0;
  const verdict = loss >= BLUNDER ? make('strong', { class: 'chip bad' }, `blunder: loses ${loss.toFixed(2)}`) : loss >= LEAST_LOSS ? `loses ${loss.toFixed(2)}` : 'loses nothing';
  return make('div', { class: 'analysed' },
    make('p', {}, nameOf(entry.bot), typeof entry.value === 'number' ? ` expects ${entry.value.toFixed(3)}` : '', '; the move ', entry.loss === null || entry.loss === undefined ? 'is not judged' : verdict),
    entry.line.length > 0 && make('p', {}, make('span', { class: 'hint' }, 'best line '), line(entry.line)));
}

/** @param {string[]} moves */
function line(moves) {
  return moves.slice(0, LONGEST_LINE).map((text, at) => [at > 0 ? ' ' : '', make('bdi', { class: 'move' }, text.slice(0, 60))]);
}

/** The principal variation of a move: its moves at once, its board when the page rests there. */
export class Variation {
  /** @param {string[]} roles */
  constructor(roles) {
    this.roles = roles;
    this.element = make('section', { class: 'sheet stack tight', hidden: true, 'aria-label': 'Principal variation' });
    /** @type {string[]} */
    this.moves = [];
    this.title = make('h2', {}, 'Principal variation');
  }

  /** @param {string[] | null | undefined} moves */
  show(moves) {
    this.moves = (moves ?? []).slice(0, LONGEST_LINE);
    this.element.hidden = this.moves.length === 0;
    fill(this.element, this.title, make('ol', { class: 'variation' }, this.moves.map((text) => make('li', { class: 'chip' }, make('bdi', { class: 'move' }, text.slice(0, 60))))));
  }

  /** @param {View[]} views @param {Set<string>} cellNames @param {boolean} isFlipped */
  showBoards(views, cellNames, isFlipped) {
    if (views.length < 2 || !hasBoard(views[0])) return;
    const board = new Board({ roles: this.roles, label: 'Board of the principal variation' });
    board.isFlipped = isFlipped;
    const { moves } = this;
    /** @type {HTMLButtonElement[]} */
    const buttons = [];
    const go = (/** @type {number} */ at) => {
      board.show(views[at], { last: cellsOf(moves[at - 1] ?? '', cellNames) });
      buttons.forEach((button, k) => (k + 1 === at ? button.setAttribute('aria-current', 'step') : button.removeAttribute('aria-current')));
    };
    for (let at = 1; at < views.length; at += 1) {
      buttons.push(make('button', { type: 'button', class: 'small', 'data-key': `pv${at}`, onclick: () => go(at) }, make('bdi', { class: 'move' }, (moves[at - 1] ?? '').slice(0, 60))));
    }
    fill(this.element, this.title, make('ol', { class: 'variation' }, buttons.map((button) => make('li', {}, button))), make('div', { class: 'small-board' }, board.element));
    go(views.length - 1);
  }
}
