// Plots of the overview: ratings with their intervals, and the bar of an SPRT.

import { make } from '../dom.js';

/** @typedef {import('../shapes').Standing} Standing */
/** @typedef {import('../shapes').Sprt} Sprt */

/** Where values lie on a line.
 * @typedef {{ low: number, high: number, ticks: number[] }} Scale */

/** A scale that holds all intervals, with round ticks.
 * @param {Standing[]} standings @returns {Scale} */
export function scaleOf(standings) {
  const values = standings.flatMap((row) => [row.low, row.elo, row.high]).flatMap((value) => (typeof value === 'number' && Number.isFinite(value) ? [value] : []));
  let low = Math.min(0, ...values);
  let high = Math.max(0, ...values);
  if (high - low < 20) [low, high] = [low - 10, high + 10];
  const step = roundStep((high - low) / 4);
  low = Math.floor(low / step) * step;
  high = Math.ceil(high / step) * step;
  const ticks = [];
  for (let tick = low; tick <= high + step / 2; tick += step) ticks.push(Math.round(tick));
  return { low, high, ticks };
}

/** The next of 1, 2, 5, 10, 20, …
 * @param {number} least */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

/** @param {Scale} scale @param {number} value */
function share(scale, value) {
  return `${(((Math.max(scale.low, Math.min(scale.high, value)) - scale.low) / (scale.high - scale.low)) * 96 + 2).toFixed(2)}%`;
}

/** @param {Scale} scale */
export function axis(scale) {
  return make('div', { class: 'scale' }, scale.ticks.map((tick) => make('span', { style: { left: share(scale, tick) } }, signed(tick))));
}

/** A rating as a dot on its interval. An open end is drawn to the edge.
 * @param {Scale} scale @param {Standing} row */
export function interval(scale, row) {
  const low = row.low ?? scale.low;
  const high = row.high ?? scale.high;
  const left = share(scale, low);
  const width = `${parseFloat(share(scale, high)) - parseFloat(left)}%`;
  return make('div', { class: 'interval', 'aria-hidden': 'true' },
    make('div', { class: 'zero', style: { left: share(scale, 0) } }),
    make('div', { class: `span ${row.low === null ? 'open-low' : ''} ${row.high === null ? 'open-high' : ''}`, style: { left, width } }),
    row.elo !== null && make('div', { class: 'dot', style: { left: share(scale, row.elo) } }));
}

/** @param {number | null} value */
export function signed(value) {
  if (value === null) return '–';
  const rounded = Math.round(value);
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : '0';
}

/** The state of a sequential test between its bounds.
 * @param {Sprt} sprt */
export function sprtBar(sprt) {
  const place = (/** @type {number} */ value) => `${Math.max(0, Math.min(100, ((value - sprt.lower) / (sprt.upper - sprt.lower)) * 100)).toFixed(1)}%`;
  const llr = sprt.llr.toFixed(2);
  const verdict = sprt.verdict ? `The verdict: ${sprt.verdict}.` : 'No verdict yet.';
  const bar = make('div', { class: 'sprt', role: 'meter', 'aria-valuemin': sprt.lower, 'aria-valuemax': sprt.upper, 'aria-valuenow': sprt.llr, 'aria-label': 'Log-likelihood ratio' },
    make('div', { class: 'zero', style: { left: place(0) } }),
    make('span', { class: 'value', style: { left: `clamp(3rem, ${place(sprt.llr)}, calc(100% - 3rem))` } }, `LLR ${llr}`),
    make('div', { class: 'needle', style: { left: place(sprt.llr) } }),
    make('span', { class: 'low' }, `H0 at ${sprt.lower.toFixed(2)}`),
    make('span', { class: 'high' }, `H1 at ${sprt.upper.toFixed(2)}`));
  return { bar, verdict };
}
