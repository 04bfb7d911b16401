// The list of matches: filtered, sorted and paged by the server, so that it copes with a million.

import { counted, fill, grouped, halves, make, messageOf, nameOf, when } from './dom.js';
import { ask, askNewest, isFile, listen } from './api.js';

/** @typedef {import('./shapes').MatchList} MatchList */
/** @typedef {import('./shapes').MatchRow} MatchRow */
/** @typedef {import('./shapes').Overview} Overview */

const PAGE = 50;
const FILTERS = ['bot', 'with', 'game', 'seat', 'result', 'fault', 'sort', 'desc'];

/** The query of the list, all as text.
 * @typedef {Record<string, string>} Wish */

/** @type {import('./app.js').Page} */
export function showMatches(place, _parts, query) {
  /** @type {Wish} */
  const wish = {};
  for (const name of FILTERS) wish[name] = query.get(name) ?? '';
  const page = new MatchesPage(place, wish, Number(query.get('offset') ?? 0) || 0);
  page.open();
  const stop = listen('/api/events', { overview: (overview) => page.hear(overview) }, () => page.load());
  return () => {
    page.isClosed = true;
    stop();
  };
}

class MatchesPage {
  /** @param {HTMLElement} place @param {Wish} wish @param {number} offset */
  constructor(place, wish, offset) {
    this.place = place;
    this.wish = wish;
    this.offset = offset;
    this.isClosed = false;
    this.played = -1;
    /** True while the log is being read, so that there are more matches than shown. */
    this.isReading = false;
    // A filter may be chosen while the list of another is still on its way.
    this.askList = askNewest();
    this.form = make('form', { class: 'row', 'aria-label': 'Filter' });
    this.table = make('div', { class: 'scrolls' });
    this.count = make('p', { class: 'hint', role: 'status' });
    this.pager = make('nav', { class: 'row', 'aria-label': 'Pages of the list' });
  }

  async open() {
    document.title = 'Matches · referee';
    fill(this.place, make('div', { class: 'stack' }, make('h1', {}, 'Matches'), make('div', { class: 'sheet stack tight' }, this.form, this.count, this.table, this.pager)));
    /** @type {Overview | null} */
    const overview = await ask('/api/overview').catch(() => null);
    if (this.isClosed) return;
    this.played = overview?.played ?? -1;
    this.isReading = overview?.state === 'reading' || (overview === null && !isFile());
    this.showForm(overview);
    await this.load();
  }

  /** A running tournament adds matches.
   * @param {Overview} overview */
  hear(overview) {
    const isReading = overview.state === 'reading';
    if (overview.played === this.played && isReading === this.isReading) return;
    // Its bots and games are known by now.
    if (this.isReading && !isReading) this.showForm(overview);
    [this.played, this.isReading] = [overview.played, isReading];
    this.load();
  }

  async load() {
    try {
      /** @type {MatchList | null} */
      const list = await this.askList('/api/matches', { offset: this.offset, limit: PAGE, ...this.wish });
      if (!this.isClosed && list) this.show(isFile() ? chooseRows(list, this.wish, this.offset) : list);
    } catch (error) {
      if (!this.isClosed) fill(this.count, make('span', { class: 'problem' }, messageOf(error)));
    }
  }

  /** @param {Overview | null} overview */
  showForm(overview) {
    const bots = overview?.standings.map((row) => row.bot) ?? [];
    const games = overview?.games.map((game) => game.label) ?? [];
    const select = (/** @type {string} */ name, /** @type {string} */ label, /** @type {[string, string][]} */ options) => {
      const known = options.some(([value]) => value === this.wish[name]);
      const shown = known || !this.wish[name] ? options : [...options, /** @type {[string, string]} */ ([this.wish[name], this.wish[name]])];
      return make('label', { class: 'field' }, label, make('select', { name, 'data-key': `filter ${name}`, onchange: (/** @type {Event} */ event) => this.wishFor(name, /** @type {HTMLSelectElement} */ (event.target).value) },
        shown.map(([value, text]) => make('option', { value, selected: value === this.wish[name] }, text.slice(0, 60)))));
    };
    const named = (/** @type {string[]} */ names) => /** @type {[string, string][]} */ ([['', 'all'], ...names.map((name) => [name, name])]);
    fill(this.form,
      select('bot', 'Bot', named(bots)),
      select('with', 'Against', named(bots)),
      games.length > 1 && select('game', 'Game', named(games)),
      this.wish.bot && select('seat', 'Seat', [['', 'any'], ['0', 'first'], ['1', 'second'], ['2', 'third'], ['3', 'fourth']]),
      this.wish.bot && select('result', 'Result', [['', 'any'], ['win', 'won'], ['draw', 'drawn'], ['loss', 'lost']]),
      make('label', { class: 'tick' }, make('input', { type: 'checkbox', 'data-key': 'filter fault', checked: this.wish.fault === '1', onchange: (/** @type {Event} */ event) => this.wishFor('fault', /** @type {HTMLInputElement} */ (event.target).checked ? '1' : '') }), 'with a fault'));
  }

  /** @param {string} name @param {string} value */
  wishFor(name, value) {
    this.wish[name] = value;
    if (name === 'bot' && value === '') this.wish.seat = this.wish.result = '';
    this.turnTo(0);
  }

  /** @param {string} column */
  sortBy(column) {
    const isSame = (this.wish.sort || 'id') === column;
    this.wish.desc = isSame && !this.wish.desc ? '1' : '';
    this.wish.sort = column === 'id' ? '' : column;
    this.turnTo(0);
  }

  /** @param {number} offset */
  async turnTo(offset) {
    const query = new URLSearchParams(Object.entries(this.wish).filter(([, value]) => value !== ''));
    if (offset > 0) query.set('offset', String(offset));
    const search = query.toString();
    history.replaceState(null, '', `#/matches${search ? `?${search}` : ''}`);
    this.offset = offset;
    await this.load();
    this.showForm(await ask('/api/overview').catch(() => null));
  }

  /** @param {MatchList} list */
  show(list) {
    const last = this.offset + list.matches.length;
    const count = list.total === 0 ? 'No matches' : `${grouped(this.offset + 1)} to ${grouped(last)} of ${counted(list.total, 'match', 'matches')}`;
    this.count.textContent = this.isReading ? `${count} yet: the log is being read…` : list.total === 0 ? `${count}.` : count;
    fill(this.table, list.matches.length > 0 && make('table', {}, this.head(), make('tbody', {}, list.matches.map((match) => rowOf(match, this.wish)))));
    const turn = (/** @type {string} */ text, /** @type {number} */ offset, /** @type {boolean} */ isPossible) =>
      make('button', { type: 'button', class: 'small', disabled: !isPossible, 'data-key': `page ${text}`, onclick: () => this.turnTo(offset) }, text);
    const end = Math.max(0, Math.floor((list.total - 1) / PAGE) * PAGE);
    fill(this.pager, list.total > PAGE && [
      turn('First', 0, this.offset > 0), turn('Previous', Math.max(0, this.offset - PAGE), this.offset > 0),
      turn('Next', this.offset + PAGE, last < list.total), turn('Last', end, last < list.total)]);
  }

  head() {
    const column = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ kind = '') => {
      const isSorted = (this.wish.sort || 'id') === name;
      const order = isSorted ? (this.wish.desc ? 'descending' : 'ascending') : 'none';
      const sign = isSorted ? (this.wish.desc ? ' ↓' : ' ↑') : '';
      return make('th', { class: kind, 'aria-sort': order }, make('button', { type: 'button', 'data-key': `sort ${name}`, onclick: () => this.sortBy(name) }, text + sign));
    };
    return make('thead', {}, make('tr', {}, column('id', 'match', 'number'), column('game', 'game', 'wide'), make('th', {}, 'players'), make('th', { class: 'wide' }, 'reason'),
      column('plies', 'moves', 'number'), column('started', 'started', 'wide')));
  }
}

/** @param {MatchRow} match @param {Wish} wish */
function rowOf(match, wish) {
  const seat = match.players.findIndex((player, at) => player === wish.bot && (!wish.seat || at === Number(wish.seat)));
  const hasLost = seat >= 0 && resultOf(match, seat) === 'loss';
  const best = Math.max(...(match.outcome ?? match.scores));
  const isDecided = new Set(match.outcome ?? match.scores).size > 1;
  const players = match.players.map((player, seat) => {
    const hasWon = isDecided && (match.outcome ?? match.scores)[seat] === best;
    return make('div', { class: 'row apart' }, make('span', {}, hasWon ? make('strong', {}, nameOf(player)) : nameOf(player)),
      make('span', {}, hasWon ? make('span', { 'aria-label': 'won', role: 'img' }, '✓ ') : '', halves(match.scores[seat] ?? 0)));
  });
  return make('tr', { class: 'linked' },
    make('td', { class: 'number' }, make('a', { href: `#/match/${encodeURIComponent(match.id)}`, 'data-key': match.id }, match.id),
      hasLost && make('div', {}, make('a', { class: 'why', href: `#/match/${encodeURIComponent(match.id)}/decisive`, 'data-key': `why ${match.id}` }, 'why?'))),
    make('td', { class: 'wide' }, match.game),
    make('td', {}, players),
    make('td', { class: 'wide' }, match.fault ? make('span', { class: 'chip bad' }, match.fault.replaceAll('_', ' ')) : match.reason.replaceAll('_', ' ')),
    make('td', { class: 'number' }, grouped(match.plies)),
    make('td', { class: 'wide hint' }, when(match.started)));
}

/** The answer of the server, computed from all rows.
 * @param {MatchList} list @param {Wish} wish @param {number} offset @returns {MatchList} */
export function chooseRows(list, wish, offset) {
  const rows = list.matches.filter((match) => fits(match, wish));
  const key = wish.sort || 'id';
  const value = (/** @type {MatchRow} */ match) => /** @type {any} */ (match)[key];
  if (wish.sort || wish.desc) rows.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (wish.desc ? -1 : 1));
  return { total: rows.length, matches: rows.slice(offset, offset + PAGE) };
}

/** @param {MatchRow} match @param {Wish} wish */
function fits(match, wish) {
  if (wish.game && match.game !== wish.game) return false;
  if (wish.fault && !match.fault) return false;
  if (!wish.bot) return !wish.with || match.players.includes(wish.with);
  return match.players.some((player, seat) => {
    if (player !== wish.bot || (wish.seat && seat !== Number(wish.seat))) return false;
    if (wish.with && !match.players.some((other, at) => at !== seat && other === wish.with)) return false;
    return !wish.result || resultOf(match, seat) === wish.result;
  });
}

/** @param {MatchRow} match @param {number} seat */
function resultOf(match, seat) {
  const outcome = match.outcome?.[seat] ?? outcomeOf(match.scores, seat);
  return outcome === 1 ? 'win' : outcome === 0 ? 'loss' : 'draw';
}

/** @param {number[]} scores @param {number} seat */
function outcomeOf(scores, seat) {
  const others = scores.filter((_, at) => at !== seat);
  if (others.every((score) => scores[seat] > score)) return 1;
  return others.every((score) => scores[seat] < score) ? 0 : 0.5;
}
