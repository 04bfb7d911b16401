// Matches in flight: small boards for the overview, and one of them large on a page of its own.

import { announce, clockText, fill, make, nameOf } from './dom.js';
import { ask, listen } from './api.js';
import { cellsOf } from './clicks.js';
import { Board, hasBoard, noteLines, seatSign } from './board.js';

/** @typedef {import('./shapes').Snapshot} Snapshot */

/** Matches that are over stay on the page this long, and those that nothing is heard of. */
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

/** One match in flight. */
class LiveBoard {
  /** @param {Snapshot} snapshot @param {boolean} isSmall */
  constructor(snapshot, isSmall) {
    this.board = new Board({ roles: snapshot.roles, label: `Board of ${snapshot.game}`, small: isSmall });
    this.title = make('p', { class: 'title' });
    this.players = make('div', { class: 'stack tight' });
    this.frame = make('div', { class: 'frame' }, this.board.element);
    /** @type {Set<string>} */
    this.cellNames = new Set();
    this.heard = 0;
    this.isOver = false;
  }

  /** @param {Snapshot} snapshot */
  show(snapshot) {
    this.heard = Date.now();
    this.isOver = snapshot.over;
    const toMove = seatsToMove(snapshot.to_move);
    fill(this.title, make('span', {}, snapshot.label || snapshot.game), make('span', {}, snapshot.over ? 'over' : `ply ${snapshot.ply}`));
    fill(this.players, snapshot.players.map((player, seat) => {
      const clock = snapshot.clocks_ms?.[seat];
      return make('p', { class: toMove.includes(seat) && !snapshot.over ? 'player to-move' : 'player' },
        seatSign(snapshot.roles, seat), nameOf(playerName(player)),
        typeof clock === 'number' && make('span', { class: 'clock' }, clockText(clock)));
    }));
    if (!hasBoard(snapshot.view)) {
      fill(this.frame, make('div', { class: 'no-board' }, make('ul', { class: 'notes' }, noteLines(snapshot.view)), snapshot.last ? make('p', {}, 'Last move: ', make('bdi', { class: 'move' }, snapshot.last.slice(0, 100))) : 'No board.'));
      return;
    }
    if (this.cellNames.size !== snapshot.view.cells.length) this.cellNames = new Set(snapshot.view.cells.map((cell) => cell.name));
    this.board.show(snapshot.view, { last: cellsOf(snapshot.last ?? '', this.cellNames) });
  }
}

/** The small boards of all matches in flight. */
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
      const live = new LiveBoard(snapshot, true);
      const item = make('li', {}, make('a', { href: `#/live/${encodeURIComponent(snapshot.match)}`, 'data-key': snapshot.match }, live.title, live.frame, live.players));
      match = { item, live };
      this.matches.set(snapshot.match, match);
      this.list.append(item);
    }
    match.live.show(snapshot);
    this.element.hidden = false;
  }

  /** Takes away what is over. Without a tournament that answers, nothing is in flight.
   * @param {boolean} [isAnswering] */
  clear(isAnswering = true) {
    const now = Date.now();
    for (const [id, { item, live }] of this.matches) {
      if (isAnswering && now - live.heard < (live.isOver ? OVER_MS : SILENT_MS)) continue;
      item.remove();
      this.matches.delete(id);
    }
    this.element.hidden = this.matches.size === 0;
  }

  close() {
    clearInterval(this.timer);
  }
}

/** @type {import('./app.js').Page} */
export function showLive(place, parts) {
  const id = parts[0] ?? '';
  /** @type {LiveBoard | null} */
  let live = null;
  const status = make('p', { class: 'hint', role: 'status' }, 'Waiting for the match…');
  document.title = `${id} · live`;
  const show = (/** @type {Snapshot} */ snapshot) => {
    if (snapshot.match !== id) return;
    if (!live) {
      live = new LiveBoard(snapshot, false);
      live.board.element.classList.add('large');
      fill(place, make('div', { class: 'stack' },
        make('header', { class: 'stack tight' }, make('p', { class: 'row hint' }, make('a', { href: '#/' }, 'Overview'), '/', id), make('h1', {}, snapshot.label || snapshot.game)),
        make('div', { class: 'stage' }, live.frame, make('div', { class: 'sheet stack tight live' }, live.title, live.players, status))));
    }
    live.show(snapshot);
    if (snapshot.last) announce(`Move ${snapshot.ply}: ${snapshot.last}`);
    fill(status, snapshot.over ? ['The match is over. ', make('a', { href: `#/match/${encodeURIComponent(id)}` }, 'Replay it')] : 'It goes on.');
  };
  fill(place, status);
  const findFinished = () => ask(`/api/match/${encodeURIComponent(id)}`).then(
    () => { if (!live) fill(status, 'The match is over. ', make('a', { href: `#/match/${encodeURIComponent(id)}` }, 'Replay it')); },
    () => {},
  );
  findFinished();
  return listen('/api/events', { live: show }, findFinished);
}
