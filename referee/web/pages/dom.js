// Elements made in one expression. Everything from outside goes in as text, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

/** @typedef {Node | string | number | null | undefined | false | readonly any[]} Child */
/** @typedef {Record<string, any>} Attributes */

/** An HTML element. `on…` are listeners, `style` is an object, and `false` or `null` leaves out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]} */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  furnish(node, attributes);
  append(node, children);
  return node;
}

/** An SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {SVGElementTagNameMap[K]} */
export function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  furnish(node, attributes);
  append(node, children);
  return node;
}

/** @param {HTMLElement | SVGElement} node @param {Attributes} attributes */
function furnish(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
}

/** @param {Node} node @param {Child[]} children */
function append(node, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(node, child);
    else node.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** A name from outside: its direction of writing stays its own, and a long one is cut by the style.
 * @param {string} text @param {string} [kind] */
export function nameOf(text, kind = '') {
  const name = make('bdi', { class: `name ${kind}`, title: text.length > 24 ? text.slice(0, 300) : null }, text);
  return name;
}

/** Replaces the children of an element; the focus stays on the element with the same `data-key`.
 * @param {HTMLElement} node @param {...Child} children */
export function fill(node, ...children) {
  const active = document.activeElement;
  const key = active instanceof HTMLElement && node.contains(active) ? active.dataset.key : undefined;
  node.replaceChildren();
  append(node, children);
  if (key === undefined) return;
  for (const candidate of node.querySelectorAll('[data-key]')) {
    if (candidate instanceof HTMLElement && candidate.dataset.key === key) candidate.focus({ preventScroll: true });
  }
}

/** Announces a text to screen readers.
 * @param {string} text */
export function announce(text) {
  const announcer = document.getElementById('announcer');
  if (announcer) announcer.textContent = text.slice(0, 400);
}

/** True if the reader prefers less motion. */
export function isStill() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** A time, as short as it can be read: `340 ms`, `12.3 s`, `4:05`, `2 h 10 min`.
 * @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** The text of a clock.
 * @param {number} ms */
export function clockText(ms) {
  const left = Math.max(0, ms);
  if (left < 20_000) return (left / 1000).toFixed(1);
  const seconds = Math.floor(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Points with halves: `3½`.
 * @param {number} points */
export function halves(points) {
  const whole = Math.floor(points);
  const rest = points - whole;
  if (rest === 0.5) return whole === 0 ? '½' : `${whole}½`;
  return Number.isInteger(points) ? String(points) : points.toFixed(2);
}

/** A large number, readable: `1,234,567`.
 * @param {number} number */
export function grouped(number) {
  return number.toLocaleString('en');
}

/** A number with a word: `1 match`, `3 matches`.
 * @param {number} count @param {string} one @param {string} many */
export function counted(count, one, many) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** A text with code in backticks.
 * @param {string} text @param {(code: string) => Child} [show] @returns {Child[]} */
export function marked(text, show = (code) => make('code', {}, code)) {
  return text.split('`').map((piece, at) => (at % 2 === 0 ? piece.replace(MINUS, '$1−') : show(piece)));
}

/** A minus sign of a number, not a hyphen. */
export const MINUS = /(^|[\s(≤≥])-(?=\d)/g;

/** A part of a sentence as one of its own.
 * @param {string} text */
export function sentence(text) {
  const end = /[.!?]$/.test(text) ? '' : '.';
  return text.charAt(0).toUpperCase() + text.slice(1) + end;
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** Resolves to true if the text could be copied.
 * @param {string} text */
export async function copyText(text) {
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

/** A time of the log in the reader's own zone, the way that sorts: `2026-01-02 15:04`.
 * @param {string} time */
export function when(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
