// The page of a match: its board at any ply, its moves, the bots' info and times. A running match is
// shown in the same way, and grows.

import { announce, clockText, copyText, counted, duration, fill, grouped, make, marked, messageOf, nameOf, sentence, when } from '../dom.js';
import { ask, isFile, isStored, listen } from '../api.js';
import { cellsOf } from '../board/clicks.js';
import { Board, hasBoard, noteLines, seatSign, unfold, unfoldAfter } from '../board/board.js';
import { Controls } from './controls.js';
import { Variation, factsOf, isBlunder, lossOf } from './move_facts.js';
import { Graphs } from './graphs.js';
import { positionOf } from './positions.js';

/** @typedef {import('../shapes').MatchData} MatchData */
/** @typedef {import('../shapes').PositionData} PositionData */
/** @typedef {import('../shapes').Snapshot} Snapshot */
/** @typedef {import('../shapes').Move} Move */
/** @typedef {import('../shapes').View} View */

/** The pause before a missing match is requested again. */
const AGAIN_MS = 2000;
/** The shortest time between two requests for a running match. */
const LIVE_MS = 400;
/** The time that the page rests at a ply before it requests the boards of the variation. */
const REST_MS = 250;

const KEYS = [
  ['← →', 'one move back or on'],
  ['Page Up, Page Down', 'ten moves back or on'],
  ['Home, End', 'the start, the end'],
  ['Space', 'play by itself, or stop'],
  ['d', 'the decisive move'],
  ['f', 'turn the board'],
  ['?', 'this list'],
];

/** @type {import('../app.js').Page} */
export function showMatch(place, parts, query) {
  const page = new MatchPage(place, parts[0] ?? '', query.get('as') ?? '');
  page.wanted = parts[1] ?? '';
  page.open();
  const stop = listen('/api/events', { live: (snapshot) => page.hear(snapshot), overview: () => page.hearOfLog() }, () => page.open());
  return () => {
    stop();
    page.close();
  };
}

class MatchPage {
  /** @param {HTMLElement} place @param {string} id @param {string} seenBy a role, or empty for all there is */
  constructor(place, id, seenBy) {
    this.place = place;
    this.id = id;
    this.seenBy = seenBy;
    /** The ply that the address asks for, or `decisive`. */
    this.wanted = '';
    this.ply = 0;
    /** True if the address is that of a running match. */
    this.wasFollowed = location.hash.startsWith('#/live/');
    this.isClosed = false;
    /** True while a request for the match is pending, and if another one has to follow. */
    this.isAsking = false;
    this.isStale = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.again = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.pending = undefined;
    /** The latest snapshot of a running match.
     * @type {{ snapshot: Snapshot, at: number } | null} */
    this.latest = null;
    /** @type {View[]} */
    this.views = [];
    /** @type {Set<string>} */
    this.cellNames = new Set();
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.press(event);
    this.ticking = setInterval(() => this.match?.live && this.showSeats(this.match), 500);
  }

  async open() {
    if (this.isAsking) {
      this.isStale = true;
      return;
    }
    this.isAsking = true;
    this.isStale = false;
    clearTimeout(this.again);
    try {
      this.take(await ask(`/api/match/${encodeURIComponent(this.id)}`, { as: this.seenBy }));
    } catch (error) {
      this.refuse(messageOf(error));
    }
    this.isAsking = false;
    // A running match grows; a finished one will be in the log in a moment.
    if (this.isStale) this.later(LIVE_MS);
    else if (!this.match || this.match.live) this.later(AGAIN_MS);
  }

  /** @param {number} ms */
  later(ms) {
    clearTimeout(this.again);
    if (!isFile() && !this.isClosed) this.again = setTimeout(() => this.open(), ms);
  }

  /** Handles an event of a running match.
   * @param {Snapshot} snapshot */
  hear(snapshot) {
    if (snapshot.match !== this.id || this.isClosed || (this.match && !this.match.live)) return;
    this.latest = { snapshot, at: Date.now() };
    if (!this.match || this.match.moves.length < snapshot.ply || snapshot.over) this.open();
  }

  /** The log grew, so that a finished match may be in it now. */
  hearOfLog() {
    if (!this.match || (this.match.live && this.latest?.snapshot.over)) this.open();
  }

  /** @param {MatchData} match */
  take(match) {
    if (this.isClosed) return;
    const before = this.match;
    const wasAtEnd = !before || this.ply === before.moves.length;
    this.match = match;
    this.views = match.views ? unfold(match.views) : [];
    if (this.cellNames.size !== this.views[0]?.cells.length) this.cellNames = new Set(this.views[0]?.cells.map((cell) => cell.name) ?? []);
    if (!before) this.build(match);
    if (before && before.live === match.live && before.moves.length === match.moves.length) return;
    document.title = `${this.id} · ${match.game.title}`;
    this.grow(match);
    if (before) {
      if (wasAtEnd) this.go(match.moves.length, { isQuiet: before.moves.length === match.moves.length });
      else this.show();
      return;
    }
    document.addEventListener('keydown', this.onKey);
    const ply = this.wanted === 'decisive' ? match.decisive?.ply ?? NaN : Number(this.wanted || NaN);
    this.go(Number.isInteger(ply) ? ply : match.moves.length, { isQuiet: true });
  }

  /** Says what is wrong: a match may not have begun, or a large log not be read yet.
   * @param {string} text */
  refuse(text) {
    if (this.isClosed) return;
    if (this.latest && (!this.match || this.match.live)) {
      this.take(fromSnapshot(this.latest.snapshot));
      return;
    }
    if (this.match || this.place.querySelector('.problem, .reading')?.textContent === text) return;
    const isReading = text.includes('being read');
    fill(this.place, make('h1', {}, 'Match ', nameOf(this.id)), make('p', { class: isReading ? 'reading hint' : 'problem', role: isReading ? 'status' : 'alert' }, text));
  }

  close() {
    this.isClosed = true;
    this.controls?.close();
    clearTimeout(this.again);
    clearTimeout(this.pending);
    clearInterval(this.ticking);
    document.removeEventListener('keydown', this.onKey);
  }

  /** @param {MatchData} match */
  build(match) {
    this.board = new Board({ roles: match.roles, label: `Board of ${match.game.title}` });
    this.board.element.classList.add('large');
    this.seats = make('ul', { class: 'seats', 'aria-label': 'Players' });
    this.notes = make('ul', { class: 'notes', 'aria-label': 'Beside the board' });
    this.said = make('section', { class: 'said stack tight', 'aria-label': 'What was said with this move' });
    this.variation = new Variation(match.roles);
    this.values = make('div', { class: 'values' });
    this.times = make('div', {});
    this.summary = make('div', { class: 'stack' });
    this.header = make('header', { class: 'row heading' });
    this.list = make('ol', { class: 'moves', 'aria-label': 'Moves' }, this.item(match, null));
    this.controls = new Controls({
      ply: () => this.ply,
      last: () => this.match?.moves.length ?? 0,
      go: (ply) => this.go(ply),
      ms: (ply) => this.match?.moves[ply]?.ms,
      flip: () => this.board?.flip(),
      help: () => this.dialog?.showModal(),
    });
    fill(this.place, make('div', { class: 'stack' },
      this.header,
      make('div', { class: 'stage' },
        make('div', { class: 'left' }, make('div', { class: 'stack tight boards' },
          hasBoard(this.views[0]) ? this.board.element : make('p', { class: 'no-board' }, match.hidden && match.live ? 'What is hidden is shown when the match is over.' : 'The rules of this game draw no board.'),
          this.notes, this.controls.element, this.values),
        make('div', { class: 'stack lower-half' }, this.summary, this.variation.element, this.times)),
        make('div', { class: 'beside' }, this.seats, match.hidden && !match.live && !isFile() && this.viewChoice(match), make('section', { class: 'sheet movelist' }, this.list, this.said)))),
    this.help());
  }

  /** Shows what there is more of than before, and what became of the match.
   * @param {MatchData} match */
  grow(match) {
    const { list } = this;
    if (!list || !this.header || !this.summary || !this.values || !this.times) return;
    const known = list.childElementCount - 1;
    if (known > match.moves.length) list.replaceChildren(this.item(match, null));
    for (const move of match.moves.slice(list.childElementCount - 1)) list.append(this.item(match, move));
    fill(this.header, this.heading(match));
    fill(this.summary, this.result(match), this.conditions(match));
    const names = match.players.map((player) => player.name);
    this.graphs = new Graphs({ moves: match.moves, roles: match.roles, names, onPly: (ply) => this.go(ply) });
    fill(this.values, this.graphs.values);
    fill(this.times, this.graphs.times && make('section', { class: 'sheet stack tight', 'aria-label': 'Time used' }, make('h2', {}, 'Time per move'), this.graphs.times));
  }

  /** @param {MatchData} match */
  heading(match) {
    const between = match.players.length > 2 ? ', ' : ' against ';
    const players = match.players.flatMap((player, at) => [at > 0 ? make('span', { class: 'hint' }, between) : '', nameOf(player.name)]);
    return [
      make('h1', {}, players),
      make('p', { class: 'row hint' }, make('span', { class: 'chip' }, nameOf(match.game.title)), match.live && make('span', { class: 'chip good running' }, 'in flight'),
        make('a', { href: '#/matches' }, 'Matches'), '/', make('span', {}, match.id))];
  }

  /** @param {MatchData} match */
  result(match) {
    const { result } = match;
    return make('section', { class: 'sheet stack tight', 'aria-label': 'Result' },
      make('h2', {}, 'Result'),
      result ? make('p', {}, result.text) : make('p', { role: 'status' }, this.latest?.snapshot.over ? 'The match is over; its result is being read.' : `The match goes on. ${counted(match.moves.length, 'move', 'moves')} so far.`),
      make('div', { class: 'row' }, this.decisive(match),
        result && match.moves.length > 0 && make('button', { type: 'button', 'data-key': 'replay', onclick: () => { this.go(0); this.controls?.toggle(); } }, 'Replay it')),
      result?.faults?.map((fault) => this.fault(match, fault)),
      match.problem && make('p', { class: 'problem' }, match.problem),
      !match.live && this.copies());
  }

  /** @param {MatchData} match */
  decisive(match) {
    const { decisive } = match;
    if (!decisive) return null;
    const move = match.moves[decisive.ply - 1];
    const who = match.players[decisive.seat]?.name ?? '';
    const how = decisive.why === 'fault' ? 'the fault' : typeof decisive.loss === 'number' ? `costs ${decisive.loss.toFixed(2)}${decisive.why === 'analysis' ? ' by the analysis' : ' by what they expected'}` : '';
    return make('button', { type: 'button', class: 'main', 'data-key': 'decisive', 'aria-keyshortcuts': 'd', onclick: () => this.go(decisive.ply) },
      decisive.why === 'fault' ? `Where it was lost: after move ${decisive.ply}` : `The decisive move: ${decisive.ply}. `, move && decisive.why !== 'fault' ? make('bdi', { class: 'move' }, move.text.slice(0, 40)) : '', ' ', make('small', {}, nameOf(who), `, ${how}`));
  }

  /** @param {MatchData} match */
  conditions(match) {
    const conditions = match.conditions && typeof match.conditions === 'object' ? Object.entries(match.conditions) : [];
    return make('details', { class: 'sheet' }, make('summary', {}, 'Start and conditions'),
      make('p', {}, match.start.text),
      make('p', { class: 'hint' }, `Started ${when(match.started)}. ${counted(match.moves.length, 'move', 'moves')}.`),
      conditions.length > 0 && make('dl', { class: 'facts plain' }, conditions.map(([name, value]) => make('div', {}, make('dt', {}, name.replaceAll('_', ' ')), make('dd', {}, typeof value === 'object' ? JSON.stringify(value) : String(value))))));
  }

  /** @param {MatchData} match @param {import('../shapes').Fault} fault */
  fault(match, fault) {
    return make('div', { class: 'problem stack tight' },
      make('p', {}, make('strong', {}, make('bdi', {}, match.roles[fault.seat] ?? ''), `: ${fault.code.replaceAll('_', ' ')}. `), make('bdi', {}, marked(fault.text))),
      fault.meaning && make('p', {}, marked(sentence(fault.meaning))),
      fault.advice && make('p', {}, 'What to do: ', marked(fault.advice), '.'),
      fault.stderr && make('details', {}, make('summary', {}, 'The end of its stderr'), make('pre', { class: 'says', tabindex: 0 }, fault.stderr)));
  }

  /** @param {MatchData} match */
  viewChoice(match) {
    const choose = (/** @type {Event} */ event) => {
      const role = /** @type {HTMLSelectElement} */ (event.target).value;
      location.hash = `#/match/${encodeURIComponent(this.id)}/${this.ply}${role ? `?as=${encodeURIComponent(role)}` : ''}`;
    };
    return make('label', { class: 'field' }, 'Hidden information',
      make('select', { name: 'as', onchange: choose }, make('option', { value: '' }, 'show all'),
        match.roles.map((role) => make('option', { value: role, selected: role === this.seenBy }, `as ${role} saw it`))));
  }

  copies() {
    const button = (/** @type {string} */ name, /** @type {() => Promise<string>} */ text) => {
      const node = make('button', { type: 'button', class: 'small', 'data-key': `copy ${name}` }, name);
      node.addEventListener('click', () => this.copy(text));
      return node;
    };
    const link = button('Link', async () => location.href.replace(/([?&])token=[^&#]*&?/, '$1').replace(/\?(?=#|$)/, ''));
    if (isFile() && !isStored(this.positionPath(0))) return make('div', { class: 'row hint copies' }, 'Copy', link);
    return make('div', { class: 'row hint copies' }, 'Copy', link,
      button('Position', async () => JSON.stringify((await this.position(this.ply)).state)),
      button('Command', async () => (await this.position(this.ply)).command),
      button('Request', async () => JSON.stringify((await this.position(this.ply)).request)));
  }

  /** @param {() => Promise<string>} find */
  async copy(find) {
    try {
      const text = await find();
      if (await copyText(text)) {
        announce('Copied.');
        this.flash('Copied');
      } else {
        this.offer(text);
      }
    } catch (error) {
      this.flash(messageOf(error));
    }
  }

  /** Where pages may not copy, the text to copy by hand.
   * @param {string} text */
  offer(text) {
    this.place.querySelector('.copies input')?.remove();
    const field = make('input', { readonly: true, value: text, 'aria-label': 'To copy' });
    this.place.querySelector('.copies')?.append(field);
    field.select();
  }

  /** @param {string} text */
  flash(text) {
    const note = make('span', { class: 'chip good' }, text);
    this.place.querySelector('.copies')?.append(note);
    setTimeout(() => note.remove(), 1800);
  }

  /** @param {number} ply */
  positionPath(ply) {
    return `/api/match/${encodeURIComponent(this.id)}/position/${ply}`;
  }

  /** @param {number} ply @returns {Promise<PositionData>} */
  async position(ply) {
    if (isFile() && this.match) return positionOf(this.match, (at) => ask(this.positionPath(at)), ply);
    return ask(this.positionPath(ply), { as: this.seenBy });
  }

  /** A move in the list.
   * @param {MatchData} match @param {Move | null} move */
  item(match, move) {
    const ply = move?.ply ?? 0;
    const value = move?.info?.value;
    const loss = move ? lossOf(move) : null;
    const button = make('button', { type: 'button', 'data-ply': ply, tabindex: -1, class: move && isBlunder(move) ? 'blunder' : null, onclick: () => this.go(ply) },
      make('span', { class: 'ply' }, ply === 0 ? '' : `${ply}.`),
      move && move.seat !== null ? seatSign(match.roles, move.seat) : make('span', {}),
      make('span', { class: 'move' }, move ? make('bdi', {}, move.text.slice(0, 200)) : 'Start', move?.by ? make('span', { class: 'by' }, ` ${move.by}`) : '',
        move && isBlunder(move) ? make('span', { class: 'mark-bad', title: 'a blunder' }, ` ?? −${(loss ?? 0).toFixed(2)}`) : ''),
      make('span', { class: 'aside' }, typeof value === 'number' ? value.toFixed(2) : ''),
      make('span', { class: 'aside' }, typeof move?.ms === 'number' ? duration(move.ms) : ''));
    if (move && move.seat !== null) button.append(make('span', { class: 'spoken' }, match.roles[move.seat] ?? ''));
    return make('li', {}, button);
  }

  /** @param {number} ply @param {{ isQuiet?: boolean }} [options] */
  go(ply, options = {}) {
    const { match } = this;
    if (!match) return;
    this.ply = Math.max(0, Math.min(match.moves.length, ply));
    this.show();
    const as = this.seenBy ? `?as=${encodeURIComponent(this.seenBy)}` : '';
    // A running match stays followed when the page is loaded again.
    const isFollowed = (match.live || this.wasFollowed) && this.ply === match.moves.length;
    history.replaceState(null, '', isFollowed ? `#/live/${encodeURIComponent(this.id)}` : `#/match/${encodeURIComponent(this.id)}/${this.ply}${as}`);
    if (!options.isQuiet) announce(this.spokenMove(match, match.moves[this.ply - 1]));
  }

  /** Shows the position at the ply. */
  show() {
    const { match } = this;
    if (!match) return;
    const move = match.moves[this.ply - 1];
    const view = this.views[Math.min(this.ply, this.views.length - 1)];
    if (hasBoard(view)) this.board?.show(view, { last: move ? cellsOf(move.text, this.cellNames) : [] });
    if (this.notes) fill(this.notes, noteLines(view));
    this.controls?.show(move ? `move ${this.ply}: ${move.text.slice(0, 100)}` : 'the start');
    this.showSeats(match);
    this.markMove();
    this.graphs?.show(this.ply);
    this.showSaid(match, move);
  }

  /** @param {MatchData} match @param {Move | undefined} move */
  spokenMove(match, move) {
    if (!move) return 'The start.';
    const who = move.seat === null ? 'Chance' : match.roles[move.seat];
    const end = this.ply === match.moves.length && match.result ? ` The end: ${match.result.text}` : '';
    return `Move ${this.ply}, ${who}: ${move.text}.${end}`;
  }

  /** The current remaining time of a seat in a running match.
   * @param {MatchData} match @param {number} seat */
  liveClock(match, seat) {
    const { latest } = this;
    const clock = latest?.snapshot.clocks_ms?.[seat];
    if (!latest || !match.live || typeof clock !== 'number') return null;
    const isThinking = (match.to_move[match.moves.length] ?? []).includes(seat) && !latest.snapshot.over;
    return clock - (isThinking ? Date.now() - latest.at : 0);
  }

  /** @param {MatchData} match */
  showSeats(match) {
    if (!this.seats) return;
    const toMove = match.to_move[this.ply] ?? [];
    const isLast = this.ply === match.moves.length;
    const isEnd = isLast && match.result !== null;
    fill(this.seats, match.players.map((player, seat) => {
      const own = match.moves.slice(0, this.ply).filter((move) => move.seat === seat);
      const clock = (isLast ? this.liveClock(match, seat) : null) ?? own[own.length - 1]?.clock_ms;
      const used = own.reduce((sum, move) => sum + (move.ms ?? 0), 0);
      const scored = isEnd ? match.result?.scores[seat] : undefined;
      const points = match.scores?.[this.ply]?.[seat];
      return make('li', { class: toMove.includes(seat) && !isEnd ? 'seat to-move' : 'seat' },
        seatSign(match.roles, seat),
        make('span', { class: 'who' }, nameOf(player.name)),
        make('span', { class: 'clock' },
          scored !== undefined ? [String(scored), make('small', {}, 'scored')]
            : typeof clock === 'number' ? [clockText(clock), make('small', {}, 'left')]
              : [duration(used), make('small', {}, 'used')]),
        make('span', { class: 'role' }, make('bdi', {}, (match.roles[seat] ?? '').slice(0, 100)), scored === undefined && points !== undefined ? ` · ${counted(points, 'point', 'points')}` : ''));
    }));
  }

  markMove() {
    const { list } = this;
    if (!list) return;
    const before = list.querySelector('[aria-current]');
    before?.removeAttribute('aria-current');
    before?.setAttribute('tabindex', '-1');
    const now = list.children[this.ply]?.firstElementChild;
    if (!(now instanceof HTMLElement)) return;
    now.setAttribute('aria-current', 'step');
    now.tabIndex = 0;
    list.scrollTop = Math.max(0, now.offsetTop - list.clientHeight / 2);
  }

  /** @param {MatchData} match @param {Move | undefined} move */
  showSaid(match, move) {
    if (!this.said || !this.variation) return;
    clearTimeout(this.pending);
    const facts = factsOf(match, move, this.ply);
    this.said.hidden = facts === null;
    fill(this.said, facts);
    const pv = move?.info?.pv ?? [];
    this.variation.show(pv);
    const { ply } = this;
    if (pv.length === 0 || (isFile() && !isStored(this.positionPath(ply)))) return;
    this.pending = setTimeout(async () => {
      const data = await this.position(ply).catch(() => null);
      if (this.isClosed || this.ply !== ply || !data?.pv || data.pv.length < 1) return;
      const views = isFile() ? unfoldAfter(this.views[ply - 1], data.pv) : unfold(/** @type {[View]} */ (data.pv));
      this.variation?.showBoards(views, this.cellNames, this.board?.isFlipped ?? false);
    }, REST_MS);
  }

  help() {
    this.dialog = make('dialog', { 'aria-label': 'Keys' },
      make('h2', {}, 'Keys'),
      make('dl', { class: 'keys' }, KEYS.map(([keys, what]) => [make('dt', {}, make('kbd', {}, keys)), make('dd', {}, what)])),
      make('p', { class: 'hint' }, 'With the focus on the board, arrows go from cell to cell.'),
      make('form', { method: 'dialog' }, make('button', { class: 'main' }, 'Close')));
    return this.dialog;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const target = event.target;
    if (event.altKey || event.ctrlKey || event.metaKey || this.dialog?.open) return;
    if (target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type !== 'range')) return;
    const isButton = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
    if (isButton && event.key === ' ') return;
    const actions = /** @type {Record<string, () => void>} */ ({
      ArrowLeft: () => this.go(this.ply - 1),
      ArrowRight: () => this.go(this.ply + 1),
      PageUp: () => this.go(this.ply - 10),
      PageDown: () => this.go(this.ply + 10),
      Home: () => this.go(0),
      End: () => this.go(this.match?.moves.length ?? 0),
      ' ': () => this.controls?.toggle(),
      d: () => this.match?.decisive && this.go(this.match.decisive.ply),
      f: () => this.board?.flip(),
      '?': () => this.dialog?.showModal(),
    });
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

/** The page data from the snapshot of a running match about which nothing more is known: hidden, or too
 * large, is not sent.
 * @param {Snapshot} snapshot @returns {MatchData} */
function fromSnapshot(snapshot) {
  const toMove = snapshot.to_move ?? [];
  return {
    id: snapshot.match,
    game: { id: snapshot.game, title: snapshot.title ?? snapshot.game },
    roles: snapshot.roles,
    players: snapshot.players.map((player, seat) => (typeof player === 'string' ? { name: player, seat } : player)),
    started: '',
    hidden: snapshot.view === null,
    start: { text: `${grouped(snapshot.ply)} moves so far` },
    live: true,
    result: null,
    views: snapshot.view ? [snapshot.view] : null,
    to_move: [Array.isArray(toMove) ? toMove : [toMove]],
    moves: [],
  };
}
