// The page of a match: its board at any ply, its moves, what the bots said and how long they took.

import { announce, clockText, counted, draw, duration, fill, grouped, make, nameOf } from './dom.js';
import { ask, isFile, isStored } from './api.js';
import { cellsOf } from './clicks.js';
import { Board, hasBoard, noteLines, seatSign, unfold } from './board.js';
import { Graphs } from './values.js';

/** @typedef {import('./shapes').MatchData} MatchData */
/** @typedef {import('./shapes').PositionData} PositionData */
/** @typedef {import('./shapes').Move} Move */
/** @typedef {import('./shapes').View} View */

const SPEEDS = [0.5, 1, 2, 4, 10];
const HOLD_FIRST_MS = 400;
const HOLD_MS = 90;
/** How soon a match is asked for again that is not there. */
const AGAIN_MS = 2000;

const KEYS = [
  ['← →', 'one move back or on'],
  ['Page Up, Page Down', 'ten moves back or on'],
  ['Home, End', 'the start, the end'],
  ['Space', 'play by itself, or stop'],
  ['f', 'turn the board'],
  ['?', 'this list'],
];

/** @type {import('./app.js').Page} */
export function showMatch(place, parts, query) {
  const page = new MatchPage(place, parts[0] ?? '', query.get('as') ?? '');
  page.open(Number(parts[1] ?? NaN));
  return () => page.close();
}

class MatchPage {
  /** @param {HTMLElement} place @param {string} id @param {string} seenBy a role, or empty for all there is */
  constructor(place, id, seenBy) {
    this.place = place;
    this.id = id;
    this.seenBy = seenBy;
    this.ply = 0;
    this.isClosed = false;
    this.pace = '2';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.pending = undefined;
    /** @type {View[]} */
    this.views = [];
    /** @type {Set<string>} */
    this.cellNames = new Set();
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.press(event);
  }

  /** @param {number} ply */
  async open(ply) {
    try {
      /** @type {MatchData} */
      this.match = await ask(`/api/match/${encodeURIComponent(this.id)}`, { as: this.seenBy });
    } catch (error) {
      if (!this.isClosed) this.refuse(messageOf(error), ply);
      return;
    }
    if (this.isClosed || !this.match) return;
    document.title = `${this.id} · ${this.match.game.title}`;
    this.views = this.match.views ? unfold(this.match.views) : [];
    this.cellNames = new Set(this.views[0]?.cells.map((cell) => cell.name) ?? []);
    this.build(this.match);
    document.addEventListener('keydown', this.onKey);
    this.go(Number.isInteger(ply) ? ply : this.match.moves.length, { isQuiet: true });
  }

  /** Says what is wrong, and asks again: a match may be in flight still, or a large log not read yet.
   * @param {string} text @param {number} ply */
  refuse(text, ply) {
    if (this.place.querySelector('.problem')?.textContent !== text) {
      fill(this.place, make('h1', {}, 'Match ', nameOf(this.id)), make('p', { class: 'problem', role: 'alert' }, text));
    }
    if (!isFile()) this.pending = setTimeout(() => this.open(ply), AGAIN_MS);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.pending);
    document.removeEventListener('keydown', this.onKey);
  }

  /** @param {MatchData} match */
  build(match) {
    const names = match.players.map((player) => player.name);
    this.board = new Board({ roles: match.roles, label: `Board of ${match.game.title}` });
    this.board.element.classList.add('large');
    this.seats = make('ul', { class: 'seats', 'aria-label': 'Players' });
    this.notes = make('ul', { class: 'notes', 'aria-label': 'Beside the board' });
    this.said = make('section', { class: 'sheet stack tight', 'aria-label': 'What was said with this move' });
    this.graphs = new Graphs({ moves: match.moves, roles: match.roles, names, onPly: (ply) => this.go(ply) });
    this.list = this.moveList(match);
    fill(this.place, make('div', { class: 'stack' },
      this.heading(match),
      make('div', { class: 'stage' },
        this.seats,
        make('div', { class: 'stack tight boards' },
          hasBoard(this.views[0]) ? this.board.element : make('p', { class: 'no-board' }, 'The rules of this game draw no board.'),
          this.notes,
          this.controls(match)),
        make('div', { class: 'beside' }, this.summary(match), make('section', { class: 'sheet stack tight' }, make('h2', {}, 'Moves'), this.list), this.said)),
      match.moves.length > 0 && make('div', { class: 'sheet' }, this.graphs.element)),
    this.help());
  }

  /** @param {MatchData} match */
  heading(match) {
    const between = match.players.length > 2 ? ', ' : ' against ';
    const players = match.players.flatMap((player, at) => [at > 0 ? make('span', { class: 'hint' }, between) : '', nameOf(player.name)]);
    return make('header', { class: 'row heading' },
      make('h1', {}, players),
      make('p', { class: 'row hint' }, make('span', { class: 'chip' }, match.game.title), make('a', { href: '#/matches' }, 'Matches'), '/', make('span', {}, match.id)));
  }

  /** @param {MatchData} match */
  summary(match) {
    const { result } = match;
    const conditions = match.conditions && typeof match.conditions === 'object' ? Object.entries(match.conditions) : [];
    const seenBy = match.hidden && !isFile() && this.viewChoice(match);
    return make('section', { class: 'sheet stack tight', 'aria-label': 'Result' },
      make('h2', {}, 'Result'),
      make('p', {}, result.text),
      result.faults?.map((fault) => this.fault(match, fault)),
      match.problem && make('p', { class: 'problem' }, match.problem),
      seenBy,
      this.copies(),
      make('details', {}, make('summary', {}, 'Start and conditions'),
        make('p', {}, match.start.text),
        make('p', { class: 'hint' }, `Started ${when(match.started)}. ${counted(match.moves.length, 'move', 'moves')}.`),
        conditions.length > 0 && make('dl', { class: 'facts plain' }, conditions.map(([name, value]) => make('div', {}, make('dt', {}, name.replaceAll('_', ' ')), make('dd', {}, typeof value === 'object' ? JSON.stringify(value) : String(value)))))));
  }

  /** @param {MatchData} match @param {import('./shapes').Fault} fault */
  fault(match, fault) {
    return make('div', { class: 'problem stack tight' },
      make('p', {}, make('strong', {}, match.roles[fault.seat] ?? '', `: ${fault.code.replaceAll('_', ' ')}. `), make('bdi', {}, fault.text)),
      fault.meaning && make('p', {}, fault.meaning),
      fault.advice && make('p', {}, fault.advice),
      fault.stderr && make('details', {}, make('summary', {}, 'The end of its stderr'), make('pre', { class: 'says', tabindex: 0 }, fault.stderr)));
  }

  /** @param {MatchData} match */
  viewChoice(match) {
    const choose = (/** @type {Event} */ event) => {
      const role = /** @type {HTMLSelectElement} */ (event.target).value;
      location.hash = `#/match/${encodeURIComponent(this.id)}/${this.ply}${role ? `?as=${encodeURIComponent(role)}` : ''}`;
    };
    return make('label', { class: 'field' }, 'Hidden information',
      make('select', { onchange: choose }, make('option', { value: '' }, 'show all'),
        match.roles.map((role) => make('option', { value: role, selected: role === this.seenBy }, `as ${role} saw it`))));
  }

  /** @param {MatchData} match */
  controls(match) {
    this.slider = make('input', { type: 'range', min: 0, max: match.moves.length, value: 0, 'aria-label': 'Position' });
    this.slider.addEventListener('input', () => this.go(Number(this.slider?.value)));
    this.playButton = make('button', { type: 'button', class: 'icon main', onclick: () => this.toggle() });
    const speeds = SPEEDS.map((speed) => make('option', { value: speed, selected: String(speed) === this.pace }, speed < 1 ? `a move in ${1 / speed} s` : `${speed} a second`));
    const speed = make('select', { 'aria-label': 'Speed', onchange: () => { this.pace = speed.value; } }, speeds, make('option', { value: 'real' }, 'as it was played'));
    const step = (/** @type {string} */ icon, /** @type {string} */ label, /** @type {() => void} */ act) =>
      this.holdable(make('button', { type: 'button', class: 'icon', 'aria-label': label, title: label }, iconOf(icon)), act);
    this.showPlaying();
    return make('div', { class: 'controls' }, this.slider,
      make('div', { class: 'row' },
        step('first', 'To the start', () => this.go(0)),
        step('back', 'One move back', () => this.go(this.ply - 1)),
        this.playButton,
        step('on', 'One move on', () => this.go(this.ply + 1)),
        step('last', 'To the end', () => this.go(match.moves.length)),
        speed,
        make('button', { type: 'button', class: 'quiet', onclick: () => this.board?.flip(), 'aria-keyshortcuts': 'f' }, 'Turn'),
        make('button', { type: 'button', class: 'quiet', onclick: () => this.dialog?.showModal(), 'aria-keyshortcuts': '?', 'aria-label': 'Keys' }, '?')));
  }

  /** A button that repeats while it is held.
   * @param {HTMLButtonElement} button @param {() => void} act */
  holdable(button, act) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let hasRepeated = false;
    const stop = () => clearTimeout(timer);
    const repeat = () => {
      hasRepeated = true;
      act();
      timer = this.isClosed ? undefined : setTimeout(repeat, HOLD_MS);
    };
    button.addEventListener('pointerdown', () => {
      hasRepeated = false;
      timer = setTimeout(repeat, HOLD_FIRST_MS);
    });
    for (const end of ['pointerup', 'pointerleave', 'pointercancel']) button.addEventListener(end, stop);
    button.addEventListener('click', () => {
      if (!hasRepeated) act();
      hasRepeated = false;
    });
    return button;
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
  position(ply) {
    return ask(this.positionPath(ply), { as: this.seenBy });
  }

  /** @param {MatchData} match */
  moveList(match) {
    const item = (/** @type {Move | null} */ move) => {
      const ply = move?.ply ?? 0;
      const value = move?.info?.value;
      const button = make('button', { type: 'button', 'data-ply': ply, tabindex: -1, onclick: () => this.go(ply) },
        make('span', { class: 'ply' }, ply === 0 ? '' : `${ply}.`),
        move && move.seat !== null ? seatSign(match.roles, move.seat) : make('span', {}),
        make('span', { class: 'move' }, move ? make('bdi', {}, move.text.slice(0, 200)) : 'Start', move?.by ? make('span', { class: 'by' }, ` ${move.by}`) : ''),
        make('span', { class: 'aside' }, typeof value === 'number' ? value.toFixed(2) : ''),
        make('span', { class: 'aside' }, typeof move?.ms === 'number' ? duration(move.ms) : ''));
      if (move && move.seat !== null) button.append(make('span', { class: 'spoken' }, match.roles[move.seat] ?? ''));
      return make('li', {}, button);
    };
    return make('ol', { class: 'moves', 'aria-label': 'Moves' }, item(null), match.moves.map(item));
  }

  /** @param {number} ply @param {{ isQuiet?: boolean }} [options] */
  go(ply, options = {}) {
    const { match } = this;
    if (!match) return;
    this.ply = Math.max(0, Math.min(match.moves.length, ply));
    const move = match.moves[this.ply - 1];
    const view = this.views[Math.min(this.ply, this.views.length - 1)];
    if (hasBoard(view)) this.board?.show(view, { last: move ? cellsOf(move.text, this.cellNames) : [] });
    if (this.notes) fill(this.notes, noteLines(view));
    if (this.slider) {
      this.slider.value = String(this.ply);
      this.slider.setAttribute('aria-valuetext', move ? `move ${this.ply}: ${move.text.slice(0, 100)}` : 'the start');
    }
    this.showSeats(match);
    this.markMove();
    this.graphs?.show(this.ply);
    this.showSaid(move);
    const as = this.seenBy ? `?as=${encodeURIComponent(this.seenBy)}` : '';
    history.replaceState(null, '', `#/match/${encodeURIComponent(this.id)}/${this.ply}${as}`);
    if (!options.isQuiet) announce(this.spokenMove(match, move));
  }

  /** @param {MatchData} match @param {Move | undefined} move */
  spokenMove(match, move) {
    if (!move) return 'The start.';
    const who = move.seat === null ? 'Chance' : match.roles[move.seat];
    const end = this.ply === match.moves.length ? ` The end: ${match.result.text}` : '';
    return `Move ${this.ply}, ${who}: ${move.text}.${end}`;
  }

  /** @param {MatchData} match */
  showSeats(match) {
    if (!this.seats) return;
    const toMove = match.to_move[this.ply] ?? [];
    const isEnd = this.ply === match.moves.length;
    fill(this.seats, match.players.map((player, seat) => {
      const own = match.moves.slice(0, this.ply).filter((move) => move.seat === seat);
      const clock = own[own.length - 1]?.clock_ms;
      const used = own.reduce((sum, move) => sum + (move.ms ?? 0), 0);
      const score = isEnd ? match.result.scores[seat] : undefined;
      return make('li', { class: toMove.includes(seat) && !isEnd ? 'seat to-move' : 'seat' },
        seatSign(match.roles, seat),
        make('span', { class: 'who' }, nameOf(player.name)),
        make('span', { class: 'clock' },
          score !== undefined ? [String(score), make('small', {}, 'scored')]
            : typeof clock === 'number' ? [clockText(clock), make('small', {}, 'left')]
              : [duration(used), make('small', {}, 'used')]),
        make('span', { class: 'role' }, match.roles[seat] ?? ''));
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
    const above = now.offsetTop - list.offsetTop - list.clientHeight / 2;
    list.scrollTop = Math.max(0, above);
  }

  /** @param {Move | undefined} move */
  showSaid(move) {
    if (!this.said) return;
    clearTimeout(this.pending);
    const info = move?.info;
    const hasWords = Boolean(move && (info?.text || move.stderr));
    this.said.hidden = !info && !hasWords;
    if (!move || this.said.hidden) return;
    const fact = (/** @type {string} */ name, /** @type {string | null} */ value) => value !== null && make('div', {}, make('dt', {}, name), make('dd', {}, value));
    const player = move.seat === null ? null : this.match?.players[move.seat];
    this.variation = make('div', { class: 'stack tight' });
    fill(this.said,
      make('h2', {}, player ? nameOf(player.name) : 'Chance', ' about move ', String(move.ply)),
      make('dl', { class: 'facts' },
        fact('expects', typeof info?.value === 'number' ? info.value.toFixed(3) : null),
        fact('depth', typeof info?.depth === 'number' ? grouped(info.depth) : null),
        fact('nodes', typeof info?.nodes === 'number' ? grouped(info.nodes) : null),
        fact('time', typeof move.ms === 'number' ? duration(move.ms) : null)),
      info?.text && make('p', { class: 'says' }, make('bdi', {}, info.text)),
      move.stderr && make('div', {}, make('h3', {}, 'On stderr'), make('pre', { class: 'says', tabindex: 0 }, move.stderr)),
      info?.pv && info.pv.length > 0 && this.variation);
    if (info?.pv && info.pv.length > 0) this.prepareVariation(info.pv);
  }

  /** The moves of a principal variation at once, its board when the page rests here.
   * @param {string[]} moves */
  prepareVariation(moves) {
    const place = this.variation;
    if (!place) return;
    const shown = moves.slice(0, 40);
    const title = make('h3', {}, 'Principal variation');
    fill(place, title, make('ol', { class: 'variation' }, shown.map((text) => make('li', { class: 'chip' }, make('bdi', { class: 'move' }, text.slice(0, 60))))));
    const { ply } = this;
    if (isFile() && !isStored(this.positionPath(ply))) return;
    this.pending = setTimeout(async () => {
      const data = await this.position(ply).catch(() => null);
      if (this.isClosed || this.variation !== place || !data?.pv || data.pv.length < 2 || !hasBoard(data.pv[0])) return;
      this.showVariation(place, shown, unfold(/** @type {[View]} */ (data.pv)), title);
    }, 250);
  }

  /** @param {HTMLElement} place @param {string[]} moves @param {View[]} views @param {Node} title */
  showVariation(place, moves, views, title) {
    const board = new Board({ roles: this.match?.roles ?? [], label: 'Board of the principal variation' });
    if (this.board?.isFlipped) board.isFlipped = true;
    /** @type {HTMLButtonElement[]} */
    const buttons = [];
    const go = (/** @type {number} */ at) => {
      board.show(views[at], { last: cellsOf(moves[at - 1] ?? '', this.cellNames) });
      buttons.forEach((button, k) => (k + 1 === at ? button.setAttribute('aria-current', 'step') : button.removeAttribute('aria-current')));
    };
    for (let at = 1; at < views.length; at += 1) {
      buttons.push(make('button', { type: 'button', class: 'small', 'data-key': `pv${at}`, onclick: () => go(at) }, make('bdi', { class: 'move' }, moves[at - 1] ?? '')));
    }
    fill(place, title, make('ol', { class: 'variation' }, buttons.map((button) => make('li', {}, button))), board.element);
    go(views.length - 1);
  }

  toggle() {
    if (this.timer === undefined) {
      if (this.ply === this.match?.moves.length) this.go(0);
      this.tick();
    } else {
      this.stop();
    }
    this.showPlaying();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Waits for the next move and plays it. */
  tick() {
    const next = this.match?.moves[this.ply];
    if (!next) {
      this.stop();
      this.showPlaying();
      return;
    }
    const wait = this.pace === 'real' ? next.ms ?? 1000 : 1000 / Number(this.pace);
    this.timer = setTimeout(() => {
      this.go(this.ply + 1);
      this.tick();
    }, Math.max(30, wait));
  }

  showPlaying() {
    const isPlaying = this.timer !== undefined;
    const label = isPlaying ? 'Stop' : 'Play by itself';
    if (!this.playButton) return;
    fill(this.playButton, iconOf(isPlaying ? 'pause' : 'play'));
    this.playButton.setAttribute('aria-label', label);
    this.playButton.title = label;
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
      ' ': () => this.toggle(),
      f: () => this.board?.flip(),
      '?': () => this.dialog?.showModal(),
    });
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the text could be copied.
 * @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Refused, or not there outside secure pages: the old way.
  }
  const field = make('textarea', { 'aria-hidden': 'true' });
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}

/** A time of the log in the reader's own zone and language.
 * @param {string} time */
export function when(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** @type {Record<string, string>} */
const ICONS = {
  first: 'M3 3h3v14H3z M17 3v14L7 10z', back: 'M15 3v14L5 10z', on: 'M5 3v14l10-7z', last: 'M14 3h3v14h-3z M3 3v14l10-7z',
  play: 'M5 2v16l12-8z', pause: 'M4 3h4v14H4z M12 3h4v14h-4z',
};

/** @param {string} name */
function iconOf(name) {
  return draw('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, draw('path', { d: ICONS[name] }));
}
