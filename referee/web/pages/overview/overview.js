// The overview of a tournament: running matches, standings, crosstable, rounds, faults.

import { announce, counted, duration, fill, grouped, halves, make, marked, messageOf, nameOf } from '../dom.js';
import { ask, isFile, isStored, listen } from '../api.js';
import { LiveBoards } from './live.js';
import { axis, interval, scaleOf, signed, sprtBar } from './plot.js';

/** @typedef {import('../shapes').Overview} Overview */
/** @typedef {import('../shapes').Pair} Pair */

/** @type {import('../app.js').Page} */
export function showOverview(place) {
  const page = new OverviewPage(place);
  page.load();
  const stop = listen('/api/events', {
    overview: (overview) => page.show(overview),
    live: (snapshot) => page.live.show(snapshot),
    problem: (problem) => page.warn(problem),
  }, () => page.load());
  return () => {
    stop();
    page.live.close();
  };
}

class OverviewPage {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.live = new LiveBoards();
    /** The data of each section as text, so that nothing is drawn twice.
     * @type {Record<string, string>} */
    this.shown = {};
    this.newestFault = '';
    /** @type {Record<string, HTMLElement>} */
    this.sections = Object.fromEntries(['head', 'standings', 'sprt', 'crosstable', 'rounds', 'faults', 'left'].map((name) => [name, make('div', {})]));
    this.problem = make('p', { class: 'problem', role: 'alert', hidden: true });
    this.isLaid = false;
  }

  async load() {
    try {
      this.show(await ask('/api/overview'));
    } catch (error) {
      if (!this.isLaid) fill(this.place, make('p', { class: 'problem', role: 'alert' }, messageOf(error)));
    }
  }

  /** @param {unknown} problem */
  warn(problem) {
    const text = typeof problem === 'string' ? problem : /** @type {any} */ (problem)?.problem ?? /** @type {any} */ (problem)?.text ?? null;
    this.problem.hidden = !text;
    if (text && this.problem.textContent !== text) this.problem.textContent = text;
  }

  /** @param {Overview} overview */
  show(overview) {
    if (!this.isLaid) this.lay();
    document.title = `${overview.name} · referee`;
    this.warn(overview.problem);
    const { standings } = overview;
    this.section('head', [overview.name, overview.state, overview.played, overview.scheduled, overview.seconds_left, overview.games], () => head(overview));
    this.section('standings', standings, () => standings.length > 0 && standingsTable(overview));
    this.section('sprt', overview.sprt, () => overview.sprt && sprtSection(overview.sprt));
    this.section('crosstable', [standings.slice(0, overview.crosstable.length).map((row) => row.bot), standings.length, overview.crosstable], () => overview.crosstable.length > 1 && crosstable(overview));
    this.section('rounds', overview.rounds, () => overview.rounds && overview.rounds.length > 0 && rounds(overview));
    this.section('faults', overview.faults, () => overview.faults.length > 0 && faults(overview));
    this.section('left', overview.left_out, () => overview.left_out && overview.left_out.length > 0 && leftOut(overview.left_out));
    if (!overview.live && overview.state !== 'running') this.live.clear(false);
    this.tellFault(overview);
  }

  lay() {
    const { head: top, standings, sprt, crosstable: cross, rounds: pairs, faults: wrong, left } = this.sections;
    fill(this.place, make('div', { class: 'stack' }, top, this.problem, this.live.element, pairs, standings, sprt, cross, wrong, left));
    this.isLaid = true;
  }

  /** @param {string} name @param {unknown} data @param {() => import('../dom.js').Child} build */
  section(name, data, build) {
    const text = JSON.stringify(data);
    if (this.shown[name] === text) return;
    this.shown[name] = text;
    fill(this.sections[name], build());
    this.sections[name].hidden = this.sections[name].childElementCount === 0;
  }

  /** @param {Overview} overview */
  tellFault(overview) {
    const newest = overview.faults[0];
    const key = newest ? `${newest.match} ${newest.bot}` : '';
    if (newest && this.newestFault !== key && this.newestFault !== '') announce(`Fault: ${newest.bot}, ${newest.code}, in ${newest.match}`);
    this.newestFault = key || 'none';
  }
}

/** @param {Overview} overview */
function head(overview) {
  const { played, scheduled } = overview;
  const states = { reading: 'reading', running: 'running', stopped: 'stopped', over: 'over', empty: 'nothing played yet' };
  const count = scheduled === null ? counted(played, 'match', 'matches') : `${grouped(played)} of ${counted(scheduled, 'match', 'matches')}`;
  return make('header', { class: 'stack tight' },
    make('h1', {}, overview.name),
    make('p', { class: 'row hint' },
      make('span', { class: `chip ${overview.state === 'running' ? 'good running' : ''}` }, states[overview.state] ?? overview.state),
      make('span', {}, count),
      overview.seconds_left !== null && overview.state === 'running' && make('span', {}, `about ${duration(overview.seconds_left * 1000)} left`),
      make('span', {}, overview.games.map((game, at) => [at > 0 ? ', ' : '', nameOf(game.title || game.label)]))),
    scheduled !== null && scheduled > 0 && overview.state !== 'over' && make('div', { class: 'progress', role: 'progressbar', 'aria-label': 'Matches played', 'aria-valuemin': 0, 'aria-valuemax': scheduled, 'aria-valuenow': played },
      make('div', { style: { width: `${(played / scheduled) * 100}%` } })));
}

/** @param {string} bot */
function botLink(bot) {
  return `#/matches?bot=${encodeURIComponent(bot)}`;
}

/** The page about a bot, where there is one.
 * @param {string} bot */
function aboutBot(bot) {
  const page = `/api/page/bot/${encodeURIComponent(bot)}`;
  return isFile() && !isStored(page) ? botLink(bot) : `#/bot/${encodeURIComponent(bot)}`;
}

/** @param {Overview} overview */
function standingsTable(overview) {
  const scale = scaleOf(overview.standings);
  const row = (/** @type {import('../shapes').Standing} */ bot) => [make('tr', { class: 'below' },
    make('td', { class: 'number' }, bot.place),
    make('th', { scope: 'row' }, make('a', { href: aboutBot(bot.bot), 'data-key': `bot ${bot.bot}` }, nameOf(bot.bot))),
    make('td', { class: 'number' }, bot.figure),
    make('td', { class: 'wide' }, interval(scale, bot), make('span', { class: 'spoken' }, `from ${signed(bot.low)} to ${signed(bot.high)}`)),
    make('td', { class: 'number' }, halves(bot.points), make('span', { class: 'wide' }, ` / ${bot.played}`)),
    make('td', { class: 'number wide' }, `${bot.wins} · ${bot.draws} · `, bot.losses === 0 ? '0' : make('a', { href: `${botLink(bot.bot)}&result=loss`, 'data-key': `lost ${bot.bot}`, title: 'the matches that it lost' }, bot.losses)),
    make('td', { class: 'number' }, bot.faults === 0 ? '' : make('a', { href: `${botLink(bot.bot)}&fault=1`, class: 'chip bad' }, bot.faults))),
  make('tr', { class: 'narrow', 'aria-hidden': 'true' }, make('td', { colspan: 7 }, interval(scale, bot)))];
  return make('section', { class: 'sheet stack tight' }, make('h2', {}, 'Standings'),
    make('div', { class: 'scrolls' }, make('table', {},
      make('thead', {}, make('tr', {},
        make('th', { class: 'number' }, make('span', { class: 'spoken' }, 'place')), make('th', {}, 'bot'), make('th', { class: 'number' }, 'Elo'),
        make('th', { class: 'wide', 'aria-label': '95 % interval', style: { width: '42%' } }, axis(scale)),
        make('th', { class: 'number' }, 'points'), make('th', { class: 'number wide' }, 'won · drawn · lost'), make('th', { class: 'number' }, 'faults'))),
      make('tbody', {}, overview.standings.map(row)))),
    make('p', { class: 'hint' }, 'A dot is the rating, the line its 95 % interval.'));
}

/** @param {import('../shapes').Sprt} sprt */
function sprtSection(sprt) {
  const { bar, verdict } = sprtBar(sprt);
  return make('section', { class: 'sheet stack tight' }, make('h2', {}, 'SPRT'),
    make('p', {}, nameOf(sprt.bots[0] ?? ''), ' against ', nameOf(sprt.bots[1] ?? ''), `: is the difference ${sprt.elo0} (H0) or ${sprt.elo1} Elo (H1)? ${verdict}`), bar);
}

/** @param {Overview} overview */
function crosstable(overview) {
  const bots = overview.standings.slice(0, overview.crosstable.length).map((row) => row.bot);
  const left = overview.standings.length - bots.length;
  const cell = (/** @type {number} */ row, /** @type {number} */ column) => {
    const entry = overview.crosstable[row]?.[column];
    if (row === column) return make('td', {}, make('span', { class: 'same' }));
    if (!entry || entry.played === 0) return make('td', {}, make('span', { class: 'hint' }, '–'));
    const href = `${botLink(bots[row])}&with=${encodeURIComponent(bots[column])}`;
    const link = make('a', { href, 'data-key': `cell ${row} ${column}`, 'aria-label': `${bots[row]} against ${bots[column]}: ${halves(entry.points)} of ${entry.played}` },
      make('span', {}, halves(entry.points), make('small', {}, `of ${entry.played}`)));
    link.style.setProperty('--share', (entry.points / entry.played).toFixed(3));
    return make('td', {}, link);
  };
  return make('section', { class: 'sheet stack tight' }, make('h2', {}, 'Against each other'),
    make('div', { class: 'scrolls', tabindex: 0, role: 'region', 'aria-label': 'Crosstable' }, make('table', { class: 'cross' },
      make('thead', {}, make('tr', {}, make('th', {}), bots.map((bot, at) => make('th', { scope: 'col', title: bot.slice(0, 300) }, at + 1)))),
      make('tbody', {}, bots.map((bot, row) => make('tr', {}, make('th', { scope: 'row' }, `${row + 1}  `, nameOf(bot)), bots.map((_, column) => cell(row, column))))))),
    left > 0 && make('p', { class: 'hint' }, `The first ${bots.length} of ${overview.standings.length} bots.`),
    !isFile() && make('p', { class: 'hint' }, 'Points of the row against the column, of matches played. Choose a cell to see its matches.'));
}

/** @param {Overview} overview */
function rounds(overview) {
  const title = overview.format === 'knockout' ? 'Bracket' : 'Rounds';
  return make('section', { class: 'stack tight' }, make('h2', {}, title),
    make('div', { class: 'bracket', tabindex: 0, role: 'region', 'aria-label': title }, (overview.rounds ?? []).map((round) => make('div', { class: 'round' },
      make('h3', {}, `Round ${round.round}`), make('ol', {}, round.pairs.map((pair) => make('li', {}, pairBox(pair))))))));
}

/** @param {Pair} pair */
function pairBox(pair) {
  const leads = (/** @type {number} */ at) => pair.points !== null && pair.points.every((other, k) => k === at || (pair.points?.[at] ?? 0) > other);
  const title = pair.third_place ? make('div', { class: 'hint' }, 'for the third place') : pair.bots.length === 1 ? make('div', { class: 'hint' }, 'bye') : null;
  return make('div', { class: 'pair' }, title, pair.bots.map((bot, at) => {
    const points = pair.points?.[at];
    const hasWon = pair.winner === undefined || pair.winner === null ? leads(at) : pair.winner === bot;
    return make('div', { class: hasWon && pair.bots.length > 1 ? 'won' : '' }, bot === null ? make('span', { class: 'hint' }, 'free') : nameOf(bot), make('span', {}, points === undefined ? '' : halves(points)));
  }));
}

/** @param {{ bot: string, why: string }[]} bots */
function leftOut(bots) {
  return make('section', { class: 'sheet stack tight' }, make('h2', {}, 'Left out'),
    make('ul', { class: 'fault-list' }, bots.map(({ bot, why }) => make('li', {},
      make('p', {}, make('a', { href: aboutBot(bot) }, nameOf(bot))), make('p', { class: 'hint says' }, make('bdi', {}, why))))));
}

/** @param {Overview} overview */
function faults(overview) {
  return make('section', { class: 'sheet stack tight' }, make('h2', {}, 'Faults'),
    make('ul', { class: 'fault-list' }, overview.faults.map((fault) => make('li', {},
      make('p', { class: 'row' }, make('span', { class: 'chip bad' }, fault.code.replaceAll('_', ' ')), make('strong', {}, nameOf(fault.bot)),
        make('a', { href: `#/match/${encodeURIComponent(fault.match)}/decisive`, 'data-key': `fault ${fault.match} ${fault.bot}` }, fault.match)),
      make('p', { class: 'hint says' }, make('bdi', {}, marked(fault.text)))))));
}
