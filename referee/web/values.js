// What bots believed and how long they thought, over the plies of a match.

import { draw, duration, make, nameOf } from './dom.js';
import { colourOf } from './palette.js';
import { seatSign } from './board.js';

/** @typedef {import('./shapes').Move} Move */

const GRAPH_WIDTH = 1000;
const GRAPH_HEIGHT = 200;
const STROKES = ['', 'dashed', 'dotted', 'mixed'];

/** @typedef {{ seat: number, points: { ply: number, value: number }[] }} Curve */

/** The values that each seat told, from 0 to 1. With two seats both curves show what the first one may
 * expect, so that bots that agree lie on each other.
 * @param {Move[]} moves @param {number} seats @returns {Curve[]} */
export function curvesOf(moves, seats) {
  return Array.from({ length: seats }, (_, seat) => {
    const points = moves.flatMap((move) => {
      const value = move.info?.value;
      if (move.seat !== seat || typeof value !== 'number' || !Number.isFinite(value)) return [];
      const expected = seats === 2 && seat === 1 ? 1 - value : value;
      return [{ ply: move.ply, value: Math.max(0, Math.min(1, expected)) }];
    });
    return { seat, points };
  });
}

export class Graphs {
  /** @param {{ moves: Move[], roles: string[], names: string[], onPly: (ply: number) => void }} match */
  constructor({ moves, roles, names, onPly }) {
    this.plies = Math.max(1, moves.length);
    this.cursors = [this.cursor(), this.cursor()];
    const curves = curvesOf(moves, roles.length);
    const hasValues = curves.some((curve) => curve.points.length > 0);
    const longest = moves.reduce((most, move) => Math.max(most, move.ms ?? 0), 0);
    const upper = roles.length === 2 ? `good for ${roles[0]}` : 'wins';
    const lower = roles.length === 2 ? `good for ${roles[1]}` : 'loses';
    this.element = make('div', { class: 'stack' },
      hasValues && make('section', { class: 'stack tight', 'aria-label': 'Expected outcome' },
        make('h2', {}, 'What they expected'),
        legend(roles, names),
        this.frame(upper, lower, this.valueGraph(curves, roles), onPly)),
      longest > 0 && make('section', { class: 'stack tight', 'aria-label': 'Time used' },
        make('h2', {}, 'Time per move'),
        this.frame(duration(longest), '0', this.timeGraph(moves, roles, longest), onPly)));
  }

  cursor() {
    return draw('line', { class: 'cursor', y1: 0, y2: GRAPH_HEIGHT });
  }

  /** @param {number} ply */
  across(ply) {
    return (ply / this.plies) * GRAPH_WIDTH;
  }

  /** @param {string} upper @param {string} lower @param {SVGSVGElement} graph @param {(ply: number) => void} onPly */
  frame(upper, lower, graph, onPly) {
    const go = (/** @type {PointerEvent} */ event) => {
      const box = graph.getBoundingClientRect();
      onPly(Math.round(((event.clientX - box.left) / box.width) * this.plies));
    };
    graph.addEventListener('pointerdown', (event) => {
      graph.setPointerCapture(event.pointerId);
      go(event);
    });
    graph.addEventListener('pointermove', (event) => {
      if (graph.hasPointerCapture(event.pointerId)) go(event);
    });
    return make('div', { class: 'plot-frame' }, make('div', { class: 'axis', 'aria-hidden': 'true' }, make('span', {}, upper), make('span', {}, lower)), graph);
  }

  /** @param {SVGElement[]} shapes @param {string} label @param {number} at */
  graph(shapes, label, at) {
    const frame = draw('rect', { class: 'frame', x: 0, y: 0, width: GRAPH_WIDTH, height: GRAPH_HEIGHT });
    return draw('svg', { class: 'graph', viewBox: `0 0 ${GRAPH_WIDTH} ${GRAPH_HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, frame, shapes, this.cursors[at]);
  }

  /** @param {Curve[]} curves @param {string[]} roles */
  valueGraph(curves, roles) {
    const shapes = curves.map((curve) => {
      const points = curve.points.map(({ ply, value }) => `${this.across(ply).toFixed(1)},${((1 - value) * GRAPH_HEIGHT).toFixed(1)}`);
      return draw('polyline', { class: `curve ${STROKES[curve.seat % STROKES.length]} seat-${colourOf(roles, curve.seat)}`, points: points.join(' ') });
    });
    const level = draw('line', { class: 'level', x1: 0, x2: GRAPH_WIDTH, y1: GRAPH_HEIGHT / 2, y2: GRAPH_HEIGHT / 2 });
    return this.graph([level, ...shapes], 'The outcome that each bot expected, by ply. The list of moves has the numbers.', 0);
  }

  /** @param {Move[]} moves @param {string[]} roles @param {number} longest */
  timeGraph(moves, roles, longest) {
    const width = Math.max(0.8, (GRAPH_WIDTH / this.plies) * 0.7);
    const bars = moves.flatMap((move) => {
      if (typeof move.ms !== 'number' || move.seat === null) return [];
      const height = Math.max(1, (move.ms / longest) * (GRAPH_HEIGHT - 6));
      return [draw('rect', { class: `bar-of seat-${colourOf(roles, move.seat)}`, x: this.across(move.ply) - width, y: GRAPH_HEIGHT - height, width, height })];
    });
    return this.graph(bars, 'The time that each move took. The list of moves has the numbers.', 1);
  }

  /** @param {number} ply */
  show(ply) {
    for (const cursor of this.cursors) {
      cursor.setAttribute('x1', String(this.across(ply)));
      cursor.setAttribute('x2', String(this.across(ply)));
    }
  }
}

/** @param {string[]} roles @param {string[]} names */
function legend(roles, names) {
  return make('p', { class: 'legend' }, roles.map((role, seat) => {
    const line = draw('svg', { class: `graph line seat-${colourOf(roles, seat)}`, viewBox: '0 0 40 8', 'aria-hidden': 'true' },
      draw('line', { class: `curve ${STROKES[seat % STROKES.length]}`, x1: 0, x2: 40, y1: 4, y2: 4 }));
    return make('span', {}, line, seatSign(roles, seat), nameOf(names[seat] ?? role), make('span', { class: 'whole' }, `(${role})`));
  }));
}
