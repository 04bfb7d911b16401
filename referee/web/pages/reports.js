// Pages that are texts with tables: about a bot, all statistics, the tournament, the rules of a game.

import { MINUS, fill, make, marked, messageOf, nameOf } from './dom.js';
import { ask } from './api.js';
import { safeGuide } from './guide.js';

/** @typedef {import('./shapes').ReportPart} ReportPart */
/** @typedef {import('./shapes').ReportGrid} ReportGrid */

/** The pause before the next request while the server still reads the log. */
const READ_AGAIN_MS = 2000;

/** @type {import('./app.js').Page} */
export function showReport(place, parts) {
  let isClosed = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const path = `/api/page/${parts.slice(0, 2).map(encodeURIComponent).join('/')}`;
  const open = async () => {
    try {
      /** @type {import('./shapes').ReportPage} */
      const page = await ask(path);
      if (isClosed) return;
      document.title = `${page.title} · referee`;
      fill(place, pageOf(page, parts[0] ?? ''));
    } catch (error) {
      if (isClosed) return;
      const text = messageOf(error);
      const isReading = text.includes('being read');
      fill(place, make('p', { class: isReading ? 'reading hint' : 'problem', role: isReading ? 'status' : 'alert' }, text));
      if (isReading) timer = setTimeout(open, READ_AGAIN_MS);
    }
  };
  open();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}

/** @param {import('./shapes').ReportPage} page @param {string} kind */
function pageOf(page, kind) {
  if (page.html) return make('article', { class: 'sheet guide' }, safeGuide(page.html));
  const title = page.parts[0]?.heading;
  const rest = title === undefined ? page.parts : page.parts.slice(1);
  /** @type {ReportPart[][]} */
  const sections = [[]];
  for (const part of rest) {
    if (part.heading !== undefined) sections.push([]);
    sections[sections.length - 1].push(part);
  }
  return make('div', { class: 'stack' },
    make('header', { class: 'row heading' }, make('h1', {}, title === undefined ? page.title : nameOf(title)),
      kind === 'bot' && make('a', { class: 'button', href: `#/matches?bot=${encodeURIComponent(page.title)}` }, 'All its matches'),
      kind === 'bot' && make('a', { class: 'button', href: `#/matches?bot=${encodeURIComponent(page.title)}&result=loss` }, 'Where it lost')),
    sections.filter((section) => section.length > 0).map((section) => make('section', { class: 'sheet stack tight report' }, section.map(partOf))));
}

/** @param {ReportPart} part */
function partOf(part) {
  if (part.heading !== undefined) return make('h2', {}, part.heading);
  if (part.note !== undefined) return make('p', {}, marked(part.note, coded));
  if (part.code !== undefined) return make('pre', { class: 'says', tabindex: 0 }, part.code);
  if (part.fold) return make('details', {}, make('summary', {}, part.fold.title), make('pre', { class: 'says', tabindex: 0 }, part.fold.text));
  return part.table ? gridOf(part.table) : null;
}

/** Code in a note. The id of a match leads to it.
 * @param {string} text */
function coded(text) {
  const code = make('code', {}, text);
  return /^m-\d+$/.test(text) ? make('a', { href: `#/match/${text}/decisive` }, code) : code;
}

/** @param {ReportGrid} grid */
function gridOf(grid) {
  const kind = (/** @type {number} */ at) => (at === grid.names ? 'text' : at < grid.keys ? '' : 'number');
  const cell = (/** @type {string} */ text, /** @type {number} */ at, /** @type {number} */ row) => {
    const link = at === grid.names ? grid.links[row] : undefined;
    const shown = at === grid.names ? nameOf(text) : at < grid.keys ? text : text.replace(MINUS, '$1−');
    // Links lead to these pages only: a name may look like any address.
    return link?.startsWith('#/') ? make('a', { href: link }, shown) : shown;
  };
  return make('div', { class: 'scrolls', tabindex: 0, role: 'region', 'aria-label': 'Table' }, make('table', {},
    make('thead', {}, make('tr', {}, grid.header.map((text, at) => make('th', { class: kind(at), scope: 'col' }, text)))),
    make('tbody', {}, grid.rows.map((row, number) => make('tr', {}, row.map((text, at) => make('td', { class: kind(at) }, cell(text, at, number))))))));
}
