// Small boards of running matches, for the overview.

import { clockText, fill, make, nameOf } from '../dom.js';
import { cellsOf } from '../board/clicks.js';
import { Board, hasBoard, noteLines, seatSign } from '../board/board.js';

/** @typedef {import('../shapes').Snapshot} Snapshot */

/** Finished matches disappear after this time, and matches without news. */
const OVER_MS = 4000;
const SILENT_MS = 600_000;

/** The seats that are to move.
 * @param {Snapshot['to_move']} toMove @returns {number[]} */
export function seatsToMove(toMove) {
  if (toMove === null || toMove === undefined) return [];
  return Array.isArray(toMove) ? toMove : [toMove];
}

/** @param {string | { name: string }} player */
export function playerName(player) {
  return typeof player === 'string' ? player : player.name;
}

class LiveBoard {
  /** @param {Snapshot} snapshot */
  constructor(snapshot) {
    this.board = new Board({ roles: snapshot.roles, label: `Board of ${snapshot.title || snapshot.game}`, small: true });
    this.title = make('p', { class: 'title' });
    this.players = make('div', { class: 'stack tight' });
    this.frame = make('div', { class: 'frame' }, this.board.element);
    /** @type {Set<string>} */
    this.cellNames = new Set();
    this.updated = 0;
    this.isOver = false;
  }

  /** @param {Snapshot} snapshot */
  show(snapshot) {
    this.updated = Date.now();
    this.isOver = snapshot.over;
    const toMove = seatsToMove(snapshot.to_move);
    fill(this.title, make('span', {}, snapshot.title || snapshot.label || snapshot.game), make('span', {}, snapshot.over ? 'over' : `move ${snapshot.ply}`));
    fill(this.players, snapshot.players.map((player, seat) => {
      const clock = snapshot.clocks_ms?.[seat];
      return make('p', { class: toMove.includes(seat) && !snapshot.over ? 'player to-move' : 'player' },
        seatSign(snapshot.roles, seat), nameOf(playerName(player)),
        typeof clock === 'number' && make('span', { class: 'clock' }, clockText(clock)));
    }));
    if (!hasBoard(snapshot.view)) {
      fill(this.frame, make('div', { class: 'no-board' }, make('ul', { class: 'notes' }, noteLines(snapshot.view)), snapshot.last ? make('p', {}, 'Last move: ', make('bdi', { class: 'move' }, snapshot.last.slice(0, 100))) : make('p', {}, 'No board to show.')));
      return;
    }
    if (this.cellNames.size !== snapshot.view.cells.length) this.cellNames = new Set(snapshot.view.cells.map((cell) => cell.name));
    this.board.show(snapshot.view, { last: cellsOf(snapshot.last ?? '', this.cellNames) });
  }
}

export class LiveBoards {
  constructor() {
    /** @type {Map<string, { item: HTMLElement, live: LiveBoard }>} */
    this.matches = new Map();
    this.list = make('ul', { class: 'live' });
    this.element = make('section', { class: 'stack tight', hidden: true, 'aria-label': 'Matches in flight' }, make('h2', {}, 'In flight'), this.list);
    this.timer = setInterval(() => this.clear(), 1000);
  }

  /** @param {Snapshot} snapshot */
  show(snapshot) {
    let match = this.matches.get(snapshot.match);
    if (!match) {
      const live = new LiveBoard(snapshot);
      const item = make('li', {}, make('a', { href: `#/live/${encodeURIComponent(snapshot.match)}`, 'data-key': snapshot.match }, live.title, live.frame, live.players));
      match = { item, live };
      this.matches.set(snapshot.match, match);
      this.list.append(item);
    }
    match.live.show(snapshot);
    this.element.hidden = false;
  }

  /** Removes finished matches, or all if the tournament does not answer.
   * @param {boolean} [isAnswering] */
  clear(isAnswering = true) {
    const now = Date.now();
    for (const [id, { item, live }] of this.matches) {
      if (isAnswering && now - live.updated < (live.isOver ? OVER_MS : SILENT_MS)) continue;
      item.remove();
      this.matches.delete(id);
    }
    this.element.hidden = this.matches.size === 0;
  }

  close() {
    clearInterval(this.timer);
  }
}
