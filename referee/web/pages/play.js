// A person plays in the page: by clicking cells, by choosing from buttons, or by writing the move.

import { announce, clockText, counted, duration, fill, grouped, make, messageOf, nameOf } from './dom.js';
import { ask, listen, send } from './api.js';
import { cellsOf, choiceLabel, clicked, splitMoves, stepAfter } from './board/clicks.js';
import { Board, hasBoard, noteLines, seatSign } from './board/board.js';
import { playerName } from './overview/live.js';
import { safeGuide } from './guide.js';

/** @typedef {import('./shapes').PlayData} PlayData */

/** At most this many moves are listed; typing narrows the list. */
const OFFERED = 60;

/** Polls the server after this time without an event, and again after each such time. */
const EVENT_MS = 2000;

/** @type {import('./app.js').Page} */
export function showPlay(place) {
  const page = new PlayPage(place);
  page.load();
  const stop = listen('/api/play/events', { play: (data) => page.show(data) }, () => page.load());
  return () => {
    page.isClosed = true;
    clearInterval(page.ticking);
    clearTimeout(page.overdue);
    stop();
  };
}

class PlayPage {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.isClosed = false;
    /** @type {PlayData | null} */
    this.data = null;
    /** Cells clicked so far for the move to come.
     * @type {string[]} */
    this.chosen = [];
    /** @type {import('./board/clicks.js').SplitMove[]} */
    this.moves = [];
    /** True while the result of a request is pending; clicks are disabled. */
    this.isSending = false;
    /** The version of the state with its result; none before the server has answered. */
    this.awaited = Infinity;
    /** Runs out if no event follows a request.
     * @type {ReturnType<typeof setTimeout> | undefined} */
    this.overdue = undefined;
    this.received = 0;
    this.heading = make('header', { class: 'stack tight' });
    this.seats = make('ul', { class: 'seats', 'aria-label': 'Players' });
    this.status = make('p', { class: 'status', role: 'status' });
    this.wrong = make('p', { class: 'problem', role: 'alert', hidden: true });
    this.choices = make('div', { class: 'choices', role: 'group', 'aria-label': 'Choose' });
    this.notes = make('ul', { class: 'notes', 'aria-label': 'Beside the board' });
    this.list = make('ol', { class: 'moves', 'aria-label': 'Moves so far' });
    /** The moves in the list.
     * @type {string[]} */
    this.listed = [];
    this.entry = this.moveEntry();
    this.actions = make('div', { class: 'row' });
    this.guide = make('div', {});
    this.ticking = setInterval(() => this.showClocks(), 200);
  }

  async load() {
    try {
      const data = await ask('/api/play');
      this.show(data);
      this.showGuide(data);
    } catch (error) {
      if (!this.data && !this.isClosed) fill(this.place, make('p', { class: 'problem', role: 'alert' }, messageOf(error)));
    }
  }

  /** @param {PlayData} data */
  show(data) {
    const before = this.data;
    // Answers and events may overtake each other: older ones are dropped.
    if (this.isClosed || (before && data.version < before.version)) return;
    const isNew = !before || before.number !== data.number || before.ply !== data.ply || before.legal.join() !== data.legal.join();
    this.data = data;
    this.received = Date.now();
    this.settle();
    if (!before) this.lay(data);
    if (isNew) {
      this.chosen = [];
      this.moves = splitMoves(data.legal, data.view?.cells.map((cell) => cell.name) ?? []);
    }
    this.showHeading(data);
    this.showStatus(data);
    this.showBoard();
    this.showClocks();
    this.showMoves(data);
    this.showActions(data);
    this.showEntry();
    if (before && before.ply !== data.ply) this.sayMove(before, data);
  }

  /** @param {PlayData} data */
  lay(data) {
    document.title = `${data.game.title} · ${data.roles[data.seat] ?? 'play'}`;
    this.board = new Board({ roles: data.roles, label: `Board of ${data.game.title}`, onCell: (name) => this.click(name) });
    this.board.element.classList.add('large');
    this.turn = make('button', { type: 'button', onclick: () => this.board?.flip() }, 'Turn the board');
    fill(this.place, make('div', { class: 'stack' }, this.heading,
      make('div', { class: 'stage' },
        make('div', { class: 'stack tight boards turn-based' }, hasBoard(data.view) ? this.board.element : make('p', { class: 'no-board' }, 'The rules of this game draw no board. Choose from the moves.'),
          make('div', { class: 'turn' }, this.status, this.wrong, this.choices), this.notes),
        make('div', { class: 'beside play' },
          this.seats,
          make('section', { class: 'sheet stack tight', 'aria-label': 'Your move' }, this.actions, this.entry),
          make('section', { class: 'sheet movelist' }, make('h2', {}, 'Moves'), this.list),
          this.guide))));
    if (data.seat === 1 && data.roles.length === 2 && isUpright(data)) this.board.isFlipped = true;
  }

  /** The rules in words, which have to be requested.
   * @param {PlayData} data */
  showGuide(data) {
    if (!data.game.guide_html || this.guide.childElementCount > 0) return;
    const guide = make('div', { class: 'guide' }, safeGuide(data.game.guide_html));
    fill(this.guide, make('details', { class: 'sheet' }, make('summary', {}, 'Rules'), guide));
  }

  /** @param {PlayData} data */
  showHeading(data) {
    fill(this.heading, make('h1', {}, nameOf(data.game.title)));
    fill(this.seats, data.players.map((player, seat) => make('li', { class: data.to_move.includes(seat) && !data.result ? 'seat to-move' : 'seat' },
      seatSign(data.roles, seat),
      make('span', { class: 'who' }, nameOf(playerName(player)), seat === data.seat && make('span', { class: 'hint' }, ' (you)')),
      make('span', { class: 'clock', 'data-clock': seat }, data.result && [String(data.result.scores[seat] ?? ''), make('small', {}, 'scored')]),
      make('span', { class: 'role' }, make('bdi', {}, (data.roles[seat] ?? '').slice(0, 100))))));
    fill(this.notes, noteLines(data.view));
  }

  /** @param {PlayData} data */
  showStatus(data) {
    const text = statusOf(data);
    if (this.status.textContent !== text) this.status.textContent = text;
    this.complain(data.message ?? '');
  }

  /** @param {string} text */
  complain(text) {
    this.wrong.hidden = text === '';
    if (this.wrong.textContent !== text) this.wrong.textContent = text;
  }

  showBoard() {
    const { data, board } = this;
    if (!data) return;
    const step = this.step();
    if (hasBoard(data.view) && board) {
      const last = data.last[data.last.length - 1];
      const names = new Set(data.view.cells.map((cell) => cell.name));
      board.show(data.view, { last: this.chosen.length === 0 && last ? cellsOf(last.text, names) : [], targets: this.isSending ? [] : step.next, chosen: this.chosen });
    }
    this.showChoices(step);
  }

  step() {
    return stepAfter(this.moves, this.chosen);
  }

  /** Moves that have all their cells become buttons.
   * @param {import('./board/clicks.js').Step} step */
  showChoices(step) {
    const hasMore = step.next.size > 0 && this.chosen.length > 0;
    const buttons = this.isSending ? [] : step.choices.slice(0, OFFERED).map((choice) => {
      const label = step.choices.length === 1 && hasMore ? 'Stop here' : choiceLabel(choice, step.choices);
      return make('button', { type: 'button', 'data-key': `choice ${choice.text}`, onclick: () => this.play(choice.text) }, label, label !== choice.text && make('small', { class: 'move' }, choice.text));
    });
    const cancel = this.chosen.length > 0 && !this.isSending && make('button', { type: 'button', class: 'quiet', 'data-key': 'cancel', onclick: () => this.choose([]) }, 'Cancel');
    const isFirst = this.choices.childElementCount === 0;
    fill(this.choices, buttons, cancel);
    if (isFirst && step.choices.length > 1 && this.chosen.length > 0) announce(`${counted(step.choices.length, 'way', 'ways')} to go on: choose a button after the board.`);
  }

  /** @param {string} name */
  click(name) {
    const { data } = this;
    if (!data || this.isSending) return;
    if (data.legal.length === 0) return;
    const chosen = clicked(this.moves, this.chosen, name);
    if (chosen.length === 0 && this.chosen.length === 0) {
      announce(`No move begins with ${name}.`);
      return;
    }
    this.choose(chosen);
  }

  /** @param {string[]} chosen */
  choose(chosen) {
    this.chosen = chosen;
    const step = this.step();
    if (step.move !== null) {
      this.play(step.move);
      return;
    }
    this.showBoard();
    if (chosen.length > 0) announce(`${chosen.join(', ')} chosen. ${counted(step.next.size, 'cell', 'cells')} possible.`);
    else announce('Nothing chosen.');
  }

  /** @param {string} move */
  async play(move) {
    const { data } = this;
    if (!data || !data.legal.includes(move)) return;
    await this.request('/api/play/move', { move, ply: data.ply, number: data.number });
  }

  /** Sends a request. Until its result is shown, no other can be sent.
   * @param {string} path @param {unknown} [body] */
  async request(path, body) {
    if (this.isSending) return;
    this.isSending = true;
    this.awaited = Infinity;
    this.complain('');
    this.refresh();
    try {
      const { version } = await send(path, body);
      this.awaited = version;
      if (!this.settle()) this.wait();
    } catch (error) {
      // A click on an outdated position would be wrong.
      await this.load();
      this.isSending = false;
      this.chosen = [];
      this.refresh();
      this.complain(messageOf(error));
      return;
    }
    this.refresh();
  }

  /** True once the result of the last request is shown. */
  settle() {
    if (this.isSending && this.data && this.data.version >= this.awaited) {
      clearTimeout(this.overdue);
      this.isSending = false;
    }
    return !this.isSending;
  }

  /** The result arrives as an event. If that is lost, the page is loaded again. */
  wait() {
    clearTimeout(this.overdue);
    this.overdue = setTimeout(async () => {
      if (this.isClosed || !this.isSending) return;
      await this.load();
      if (this.isSending) this.wait();
    }, EVENT_MS);
  }

  /** Shows what can be clicked now. */
  refresh() {
    this.showBoard();
    if (this.data) this.showActions(this.data);
  }

  moveEntry() {
    this.field = make('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', maxlength: 500, oninput: () => this.showOffers() });
    this.offers = make('div', { class: 'choices entry' });
    const details = make('details', {}, make('summary', {}, 'Write the move'),
      make('div', { class: 'stack tight' }, make('label', { class: 'field' }, 'Move, or a part of it', this.field), this.offers));
    details.addEventListener('toggle', () => this.showOffers());
    this.field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      const fitting = this.offered();
      const move = fitting.find((text) => text === this.field?.value.trim()) ?? (fitting.length === 1 ? fitting[0] : null);
      if (move !== null && move !== undefined) this.play(move);
    });
    this.writing = details;
    return details;
  }

  offered() {
    const part = this.field?.value.trim() ?? '';
    return (this.data?.legal ?? []).filter((text) => text.includes(part));
  }

  showEntry() {
    const { data } = this;
    if (!data || !this.writing) return;
    this.writing.hidden = data.legal.length === 0;
    if (this.field) this.field.value = '';
    this.showOffers();
  }

  showOffers() {
    if (!this.offers || !this.writing?.open) return;
    const fitting = this.offered();
    fill(this.offers, fitting.slice(0, OFFERED).map((text) => make('button', { type: 'button', class: 'small', onclick: () => this.play(text) }, make('bdi', { class: 'move' }, text))),
      fitting.length > OFFERED && make('p', { class: 'hint' }, `and ${fitting.length - OFFERED} more`));
  }

  /** Shows the remaining time, or the used time if there is no clock. */
  showClocks() {
    const { data } = this;
    if (!data || data.result) return;
    for (const node of this.seats.querySelectorAll('[data-clock]')) {
      const seat = Number(/** @type {HTMLElement} */ (node).dataset.clock);
      const clock = data.clocks_ms?.[seat];
      const gone = data.to_move.includes(seat) ? Date.now() - this.received : 0;
      const used = data.last.reduce((sum, move) => sum + (move.seat === seat ? move.ms ?? 0 : 0), 0);
      const text = typeof clock === 'number' ? `${clockText(clock - gone)} left` : `${clockText(used + gone)} s used`.replace(/(:\d\d) s/, '$1');
      if (node.textContent !== text) node.textContent = text;
    }
  }

  /** @param {PlayData} data */
  showMoves(data) {
    const texts = data.last.map((move) => move.text);
    const isLonger = this.listed.every((text, at) => text === texts[at]);
    if (!isLonger) this.list.replaceChildren();
    this.listed = texts;
    const items = data.last.slice(this.list.childElementCount).map((move, at) => make('li', {}, make('div', { class: 'row played' },
      make('span', { class: 'ply' }, `${this.list.childElementCount + at + 1}.`),
      move.seat === null ? make('span', { class: 'sign', title: 'chance' }) : seatSign(data.roles, move.seat), make('bdi', { class: 'move' }, move.text.slice(0, 200)),
      move.ms ? make('span', { class: 'aside' }, duration(move.ms)) : ''), thoughtOf(move.info)));
    this.list.append(...items);
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** @param {PlayData} data */
  showActions(data) {
    const { number } = data;
    const action = (/** @type {string} */ text, /** @type {string} */ path, /** @type {string} */ kind = '') =>
      make('button', { type: 'button', class: kind, 'aria-disabled': this.isSending ? 'true' : null, 'data-key': path, onclick: () => this.request(path, { number }) }, text);
    const canResign = !this.isSending && data.legal.length > 0;
    const resign = make('button', { type: 'button', 'aria-disabled': canResign ? null : 'true', title: canResign ? null : 'when it is your turn', 'data-key': 'resign', onclick: () => canResign && this.confirmResign(number) }, 'Resign');
    fill(this.actions,
      data.result && action('Play again', '/api/play/rematch', 'main'),
      data.can_undo && action('Take back', '/api/play/undo'),
      !data.result && resign,
      hasBoard(data.view) && this.turn);
  }

  /** @param {number} number the match that is given up */
  confirmResign(number) {
    const dialog = make('dialog', { 'aria-label': 'Resign' },
      make('form', { method: 'dialog', class: 'stack' }, make('p', {}, 'Do you want to resign?'),
        make('div', { class: 'row' }, make('button', { class: 'main', value: 'yes' }, 'Resign'), make('button', { value: 'no', autofocus: true }, 'Play on'))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      // The clock may have ended the match while the question was open.
      const isOpen = this.data?.number === number && this.data.legal.length > 0;
      if (dialog.returnValue === 'yes' && isOpen) this.request('/api/play/resign', { number });
    });
    this.place.append(dialog);
    dialog.showModal();
  }

  /** @param {PlayData} before @param {PlayData} data */
  sayMove(before, data) {
    const news = data.last.slice(before.last.length);
    if (news.length === 0) return;
    const moves = news.map((move) => `${move.seat === null ? 'Chance' : data.roles[move.seat]}: ${move.text}.`);
    announce(`${moves.join(' ')} ${statusOf(data)}`);
  }
}

/** The info of a bot about its move, folded.
 * @param {import('./shapes').Info | null | undefined} info */
function thoughtOf(info) {
  const figures = [
    typeof info?.value === 'number' && `expects ${info.value.toFixed(2)}`,
    typeof info?.depth === 'number' && `depth ${grouped(info.depth)}`,
    typeof info?.nodes === 'number' && `${grouped(info.nodes)} nodes`].filter((figure) => figure !== false);
  const pv = info?.pv ?? [];
  if (figures.length === 0 && pv.length === 0 && !info?.text) return null;
  return make('details', { class: 'thought' }, make('summary', {}, 'What it thought'),
    figures.length > 0 && make('p', {}, figures.join(' · ')),
    pv.length > 0 && make('p', {}, pv.slice(0, 20).map((move, at) => [at > 0 ? ' ' : '', make('bdi', { class: 'move' }, move.slice(0, 60))])),
    info?.text && make('p', { class: 'says' }, make('bdi', {}, info.text)));
}

/** @param {PlayData} data */
function statusOf(data) {
  if (data.result) return `The game is over: ${data.result.text || data.result.reason}`;
  if (data.to_move.includes(data.seat)) return `Your move, ${data.roles[data.seat] ?? ''}.`;
  const others = data.to_move.map((seat) => data.roles[seat] ?? `seat ${seat + 1}`);
  return others.length > 0 ? `Waiting for ${others.join(' and ')}…` : 'Waiting…';
}

/** True if the second seat's pieces are at the top, so that it prefers the board turned.
 * @param {PlayData} data */
function isUpright(data) {
  const rows = (/** @type {number} */ seat) => {
    const own = new Set(data.view?.pieces.filter((piece) => piece.seat === seat).map((piece) => piece.cell));
    const cells = data.view?.cells.filter((cell) => own.has(cell.name)) ?? [];
    return cells.reduce((sum, cell) => sum + cell.y, 0) / cells.length;
  };
  return rows(1) > rows(0) + 1;
}
