// What the pages compute without a browser: views from changes, curves, scales, lists, and that all
// modules can be put into one file.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';

globalThis.location = /** @type {any} */ ({ search: '', hash: '' });
globalThis.document = /** @type {any} */ ({ getElementById: () => null });

const FOLDER = new URL('../pages/', import.meta.url);
const FILES = readdirSync(FOLDER, { recursive: true }).filter((name) => /\.(js|css|html)$/.test(name));
const { unfold } = await import('../pages/board/board.js');
const { curvesOf } = await import('../pages/match/graphs.js');
const { scaleOf, signed } = await import('../pages/overview/plot.js');
const { chooseRows } = await import('../pages/matches.js');
const { colourOf, outlineOf } = await import('../pages/board/palette.js');
const { clockText, duration, halves } = await import('../pages/dom.js');

test('views are made from a first one and changes', () => {
  const cell = (name, ground) => ({ name, x: 0, y: 0, ground });
  const first = { shape: 'square', cells: [cell('a1', 'open'), cell('a2', 'open')], pieces: [], notes: ['one'] };
  const views = unfold([first, { pieces: [{ cell: 'a1', kind: 'stone', glyph: 's' }] }, { cells: { 1: cell('a2', 'gone') }, notes: [] }]);
  assert.equal(views.length, 3);
  assert.equal(views[1].cells, first.cells);
  assert.deepEqual(views[1].notes, ['one']);
  assert.equal(views[2].cells[1].ground, 'gone');
  assert.equal(views[2].pieces.length, 1);
  assert.equal(first.cells[1].ground, 'open');
  const whole = { shape: 'hex', cells: [], pieces: [], notes: [] };
  assert.equal(unfold([first, whole])[1], whole);
});

test('two bots that agree have the same curve', () => {
  const moves = [{ seat: 0, ply: 1, text: 'a', info: { value: 0.7 } }, { seat: 1, ply: 2, text: 'b', info: { value: 0.3 } }, { seat: 0, ply: 3, text: 'c', info: null }];
  const [first, second] = curvesOf(moves, 2);
  assert.deepEqual(first.points, [{ ply: 1, value: 0.7 }]);
  assert.deepEqual(second.points, [{ ply: 2, value: 0.7 }]);
  assert.deepEqual(curvesOf([{ seat: 2, ply: 1, text: 'a', info: { value: 7 } }], 3)[2].points, [{ ply: 1, value: 1 }]);
});

test('the scale of ratings holds all intervals', () => {
  const scale = scaleOf([{ elo: 120, low: 40, high: 230 }, { elo: -80, low: null, high: 10 }]);
  assert.ok(scale.low <= -80 && scale.high >= 230);
  assert.ok(scale.ticks.includes(0) && scale.ticks.length <= 7, String(scale.ticks));
  assert.ok(scaleOf([]).high > scaleOf([]).low);
  assert.deepEqual([signed(3.4), signed(-3.4), signed(0.2), signed(null)], ['+3', '−3', '0', '–']);
});

test('an exported list is filtered and sorted as the server would', () => {
  const row = (id, players, scores, plies, fault = null) => ({ id, game: 'siam', players, scores, reason: '', plies, fault, started: '' });
  const list = { total: 3, matches: [row('m-1', ['a', 'b'], [1, 0], 30), row('m-2', ['b', 'a'], [1, 0], 10, 'timeout'), row('m-3', ['b', 'c'], [0.5, 0.5], 20)] };
  const ids = (wish) => chooseRows(list, wish, 0).matches.map((match) => match.id);
  assert.deepEqual(ids({ bot: 'a' }), ['m-1', 'm-2']);
  assert.deepEqual(ids({ bot: 'a', result: 'loss' }), ['m-2']);
  assert.deepEqual(ids({ bot: 'b', seat: '0', with: 'c' }), ['m-3']);
  assert.deepEqual(ids({ fault: '1' }), ['m-2']);
  assert.deepEqual(ids({ sort: 'plies', desc: '1' }), ['m-1', 'm-3', 'm-2']);
  assert.deepEqual(ids({ bot: 'b', result: 'draw' }), ['m-3']);
});

test('seats look like their roles, where those are colours or shapes', () => {
  assert.equal(colourOf(['black', 'white'], 0), 'black');
  assert.equal(colourOf(['elephants', 'rhinos'], 1), 'blue');
  assert.equal(colourOf(['dark', 'black'], 1), 'blue');
  assert.equal(outlineOf(['square', 'circle'], 0), 'square');
  const roles = ['one', 'two', 'three', 'four'];
  assert.equal(new Set(roles.map((_, seat) => colourOf(roles, seat) + outlineOf(roles, seat))).size, 4);
});

test('times and points are short', () => {
  assert.deepEqual([duration(3.21), duration(340), duration(12_340), duration(245_000), duration(7_800_000)], ['3.2 ms', '340 ms', '12.3 s', '4:05', '2 h 10 min']);
  assert.deepEqual([clockText(9400), clockText(65_000), clockText(-5)], ['9.4', '1:05', '0.0']);
  assert.deepEqual([halves(0.5), halves(3.5), halves(4), halves(0.333)], ['½', '3½', '4', '0.33']);
});

test('modules can be put into one: plain imports and exports, names that are told apart', () => {
  const names = new Map();
  for (const file of FILES.filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    assert.doesNotMatch(text, /export (default|\{|\*)|import \*|import\(['"`]\.\.?\/.*\)\.then| as \w+.*from '/, file);
    for (const line of text.split('\n').filter((other) => /^import\b/.test(other))) assert.match(line, /^import \{ [\w, ]+ \} from '\.{1,2}\/(\w+\/)?\w+\.js';$/, `${file}: ${line}`);
    for (const [, name] of text.matchAll(/^(?:export )?(?:async )?(?:function|const|let|class) (\w+)/gm)) {
      assert.ok(!names.has(name), `${name} in ${file} and ${names.get(name)}`);
      names.set(name, file);
    }
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, file);
  }
});

test('all together is small', () => {
  const bytes = FILES.reduce((sum, name) => sum + statSync(new URL(name, FOLDER)).size, 0);
  assert.ok(bytes <= 200_000, `${bytes} bytes`);
});
