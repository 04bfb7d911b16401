// The frame of all pages: which page the address asks for, light or dark, and the bar at the top.

import { fill, make } from './dom.js';
import { ask, isFile, isStored } from './api.js';
import { showOverview } from './overview/overview.js';
import { showMatches } from './matches.js';
import { showMatch } from './match/match.js';
import { showPlay } from './play.js';
import { showReport } from './reports.js';

/** A page fills the element and returns a function that closes the page.
 * @typedef {(place: HTMLElement, parts: string[], query: URLSearchParams) => (() => void)} Page */

/** @type {Record<string, Page>} */
const PAGES = { '': showOverview, matches: showMatches, match: showMatch, live: showMatch, play: showPlay, bot: showReport, statistics: showReport, about: showReport, rules: showReport };

/** @type {() => void} */
let leave = () => {};

function route() {
  const main = document.getElementById('main');
  if (!main) return;
  leave();
  const [path, search] = (location.hash.slice(1) || document.documentElement.dataset.route || '/').split('?');
  const parts = path.split('/').slice(1).map(decoded);
  const page = PAGES[parts[0] ?? ''] ?? PAGES[''];
  showBar(parts[0] ?? '');
  main.replaceChildren(make('p', { class: 'hint' }, 'Loading…'));
  window.scrollTo(0, 0);
  leave = page(main, page === showReport ? parts : parts.slice(1), new URLSearchParams(search ?? ''));
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @param {string} current */
function showBar(current) {
  const pages = document.getElementById('pages');
  if (!pages) return;
  const link = (/** @type {string} */ name, /** @type {string} */ href, /** @type {boolean} */ isHere) =>
    make('a', { href, 'aria-current': isHere ? 'page' : null }, name);
  const isPlay = current === 'play';
  fill(pages, isPlay ? [] : [
    link('Overview', '#/', current === '' || current === 'bot'),
    link('Matches', '#/matches', ['matches', 'match', 'live'].includes(current)),
    hasReports() && link('Statistics', '#/statistics', current === 'statistics'),
    hasReports() && link('About', '#/about', current === 'about' || current === 'rules'),
  ]);
}

/** True if there are pages about bots and all figures; a self-contained file has none. */
function hasReports() {
  return !isFile() || isStored('/api/page/about');
}

/** Light or dark as the system has it, or as was chosen in this browser. */
function prepareTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const button = document.getElementById('theme');
  const chosen = () => stored('theme');
  const apply = () => {
    const theme = chosen() ?? (system.matches ? 'dark' : 'light');
    document.documentElement.dataset.theme = theme;
    const label = theme === 'dark' ? 'Use light colours' : 'Use dark colours';
    button?.setAttribute('aria-label', label);
    button?.setAttribute('title', label);
  };
  system.addEventListener('change', apply);
  button?.addEventListener('click', () => {
    store('theme', document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    apply();
  });
  apply();
}

/** @param {string} key */
function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A page from disk may have no storage; the choice then lasts as long as the page.
  }
}

/** An exported file with one match only opens with that match. */
async function start() {
  prepareTheme();
  if (isFile() && location.hash === '' && !document.documentElement.dataset.route) {
    const list = await ask('/api/matches').catch(() => null);
    const overview = await ask('/api/overview').catch(() => null);
    if (overview === null && list?.matches.length === 1) history.replaceState(null, '', `#/match/${list.matches[0].id}`);
    else if (overview === null) history.replaceState(null, '', '#/matches');
  }
  window.addEventListener('hashchange', route);
  route();
}

start();
