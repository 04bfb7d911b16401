// Graphs of the bots' expectations and times over the moves of a match.

import { draw, duration, make, nameOf } from '../dom.js';
import { colourOf } from '../board/palette.js';
import { seatSign } from '../board/board.js';
import { isBlunder } from './move_facts.js';

/** @typedef {import('../shapes').Move} Move */

const GRAPH_WIDTH = 1000;
const GRAPH_HEIGHT = 200;
const STROKES = ['', 'dashed', 'dotted', 'mixed'];
/** About how many numbers stand below a graph. */
const NUMBERS = 8;

/** @typedef {{ ply: number, value: number }} Point */
/** @typedef {{ seat: number, points: Point[] }} Curve */

/** @param {number} value @param {boolean} isSecond */
function expected(value, isSecond) {
  return Math.max(0, Math.min(1, isSecond ? 1 - value : value));
}

/** The values that each seat reported, from 0 to 1. With two seats both curves show the expectation of
 * the first one, so that the curves of bots that agree coincide.
 * @param {Move[]} moves @param {number} seats @returns {Curve[]} */
export function curvesOf(moves, seats) {
  return Array.from({ length: seats }, (_, seat) => {
    const points = moves.flatMap((move) => {
      const value = move.info?.value;
      if (move.seat !== seat || typeof value !== 'number' || !Number.isFinite(value)) return [];
      return [{ ply: move.ply, value: expected(value, seats === 2 && seat === 1) }];
    });
    return { seat, points };
  });
}

/** The expectation of the first of two seats, by each bot that analysed the match.
 * @param {Move[]} moves @param {number} seats @returns {{ bot: string, points: Point[] }[]} */
export function analysesOf(moves, seats) {
  /** @type {Map<string, Point[]>} */
  const bots = new Map();
  for (const move of seats <= 2 ? moves : []) {
    for (const { bot, value } of move.analysis ?? []) {
      if (typeof value !== 'number' || !Number.isFinite(value) || move.seat === null) continue;
      const points = bots.get(bot) ?? [];
      points.push({ ply: move.ply, value: expected(value, move.seat === 1) });
      bots.set(bot, points);
    }
  }
  return [...bots].map(([bot, points]) => ({ bot, points }));
}

/** Numbers of moves to stand below a graph: round ones, the last one, and not too many.
 * @param {number} plies @returns {number[]} */
export function ticksOf(plies) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((each) => plies / each <= NUMBERS) ?? Math.ceil(plies / NUMBERS);
  const ticks = [];
  for (let ply = step; ply <= plies - step * 0.7; ply += step) ticks.push(ply);
  return [0, ...ticks, plies];
}

/** The graphs of a match: `values`, and `times` if any were recorded. */
export class Graphs {
  /** @param {{ moves: Move[], roles: string[], names: string[], onPly: (ply: number) => void }} match */
  constructor({ moves, roles, names, onPly }) {
    this.plies = Math.max(1, moves.length);
    this.onPly = onPly;
    this.roles = roles;
    this.cursors = [this.cursor(), this.cursor()];
    this.curves = curvesOf(moves, roles.length);
    const analyses = analysesOf(moves, roles.length);
    const hasValues = this.curves.some((curve) => curve.points.length > 0) || analyses.length > 0;
    const longest = moves.reduce((most, move) => Math.max(most, move.ms ?? 0), 0);
    const upper = roles.length === 2 ? `good for ${roles[0]}` : 'wins';
    const lower = roles.length === 2 ? `good for ${roles[1]}` : 'loses';
    /** The expectation of each seat at the ply that is shown. @type {HTMLElement[]} */
    this.now = roles.map(() => make('strong', {}));
    this.values = hasValues && make('section', { class: 'stack tight', 'aria-label': 'Expected outcome' },
      this.frame(['1', '½', '0'], [upper, lower], this.valueGraph(moves, analyses)),
      this.legend(names, analyses.map(({ bot }) => bot)));
    this.times = longest > 0 && this.frame([duration(longest), '0'], null, this.timeGraph(moves, longest));
  }

  cursor() {
    return draw('line', { class: 'cursor', y1: 0, y2: GRAPH_HEIGHT });
  }

  /** @param {number} ply */
  across(ply) {
    return (ply / this.plies) * GRAPH_WIDTH;
  }

  /** @param {string[]} levels @param {[string, string] | null} sides @param {SVGSVGElement} graph */
  frame(levels, sides, graph) {
    const go = (/** @type {PointerEvent} */ event) => {
      const box = graph.getBoundingClientRect();
      this.onPly(Math.round(((event.clientX - box.left) / box.width) * this.plies));
    };
    graph.addEventListener('pointerdown', (event) => {
      graph.setPointerCapture(event.pointerId);
      go(event);
    });
    graph.addEventListener('pointermove', (event) => {
      if (graph.hasPointerCapture(event.pointerId)) go(event);
    });
    const number = (/** @type {number} */ ply) => make('button', { type: 'button', 'data-key': `to ${ply}`, 'aria-label': `Move ${ply}`, style: { left: `${(ply / this.plies) * 100}%` }, onclick: () => this.onPly(ply) }, ply);
    return make('div', { class: 'plot-frame' },
      make('div', { class: 'axis', 'aria-hidden': 'true' }, levels.map((level) => make('span', {}, level))),
      make('div', { class: 'plot' }, graph, sides && sides.map((side, at) => make('bdi', { class: at === 0 ? 'side' : 'side lower', 'aria-hidden': 'true' }, side))),
      make('div', { class: 'numbers' }, ticksOf(this.plies).map(number)));
  }

  /** @param {SVGElement[]} shapes @param {string} label @param {number} at */
  graph(shapes, label, at) {
    const frame = draw('rect', { class: 'frame', x: 0, y: 0, width: GRAPH_WIDTH, height: GRAPH_HEIGHT });
    return draw('svg', { class: 'graph', viewBox: `0 0 ${GRAPH_WIDTH} ${GRAPH_HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, frame, shapes, this.cursors[at]);
  }

  /** @param {Point} point */
  spot({ ply, value }) {
    return `${this.across(ply).toFixed(1)},${((1 - value) * GRAPH_HEIGHT).toFixed(1)}`;
  }

  /** @param {Move[]} moves @param {{ bot: string, points: Point[] }[]} analyses */
  valueGraph(moves, analyses) {
    const { roles } = this;
    const few = this.plies <= 120;
    const line = (/** @type {Point[]} */ points, /** @type {string} */ kind) => draw('polyline', { class: `curve ${kind}`, points: points.map((point) => this.spot(point)).join(' ') });
    // A dot for each value, where there is room; a curve of one value is nothing but its dot.
    const dots = (/** @type {Point[]} */ points, /** @type {string} */ kind) => points.filter(() => few || points.length === 1).map((point) => draw('path', { class: `dot-of ${kind}`, d: `M${this.spot(point)} h0.01` }));
    const shapes = this.curves.flatMap(({ seat, points }) => {
      const kind = `${STROKES[seat % STROKES.length]} seat-${colourOf(roles, seat)}`;
      return [line(points, kind), ...dots(points, kind)];
    });
    const thought = analyses.map(({ points }) => line(points, 'analysis'));
    const bad = moves.filter(isBlunder).map((move) => {
      const at = analyses.flatMap(({ points }) => points).find((point) => point.ply === move.ply);
      return draw('path', { class: 'dot-of blunder', d: `M${this.spot(at ?? { ply: move.ply, value: 0.5 })} h0.01` });
    });
    const level = draw('line', { class: 'level', x1: 0, x2: GRAPH_WIDTH, y1: GRAPH_HEIGHT / 2, y2: GRAPH_HEIGHT / 2 });
    return this.graph([level, ...thought, ...shapes, ...bad], 'The outcome that each bot expected, by move. The list of moves has the numbers.', 0);
  }

  /** @param {Move[]} moves @param {number} longest */
  timeGraph(moves, longest) {
    const width = Math.max(0.8, (GRAPH_WIDTH / this.plies) * 0.7);
    const bars = moves.flatMap((move) => {
      if (typeof move.ms !== 'number' || move.seat === null) return [];
      const height = Math.max(1, (move.ms / longest) * (GRAPH_HEIGHT - 6));
      return [draw('rect', { class: `bar-of seat-${colourOf(this.roles, move.seat)}`, x: this.across(move.ply) - width, y: GRAPH_HEIGHT - height, width, height })];
    });
    return this.graph(bars, 'The time that each move took. The list of moves has the numbers.', 1);
  }

  /** @param {string[]} names @param {string[]} bots */
  legend(names, bots) {
    const sample = (/** @type {string} */ kind) => draw('svg', { class: 'graph line', viewBox: '0 0 40 8', 'aria-hidden': 'true' }, draw('line', { class: `curve ${kind}`, x1: 0, x2: 40, y1: 4, y2: 4 }));
    return make('p', { class: 'legend' }, this.roles.map((role, seat) => make('span', {},
      sample(`${STROKES[seat % STROKES.length]} seat-${colourOf(this.roles, seat)}`), seatSign(this.roles, seat), nameOf(names[seat] ?? role), nameOf(`(${role})`, 'whole'), this.now[seat])),
    bots.map((bot) => make('span', {}, sample('analysis'), make('span', { class: 'by' }, 'analysis by'), nameOf(bot))));
  }

  /** @param {number} ply */
  show(ply) {
    for (const cursor of this.cursors) {
      cursor.setAttribute('x1', String(this.across(ply)));
      cursor.setAttribute('x2', String(this.across(ply)));
    }
    for (const { seat, points } of this.curves) {
      const last = points.filter((point) => point.ply <= ply).pop();
      this.now[seat].textContent = last ? last.value.toFixed(2) : '';
    }
  }
}
