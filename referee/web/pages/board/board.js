// A board as SVG, drawn from the description that the rules give of it, and a grid of cells above it
// that keyboards and screen readers can use.

import { draw, isStill, make } from '../dom.js';
import { colourOf, outlineOf } from './palette.js';

/** @typedef {import('../shapes').View} View */
/** @typedef {import('../shapes').ViewChange} ViewChange */
/** @typedef {import('../shapes').Cell} Cell */
/** @typedef {import('../shapes').Piece} Piece */

/** Marks on top of a position.
 * @typedef {object} Marks
 * @property {string[]} [last] cells of the last move, in order
 * @property {Iterable<string>} [targets] cells that can be clicked
 * @property {string[]} [chosen] cells that were clicked */

/** The width of a cell in the drawing; a row of hexagons is lower. */
const WIDTH = 100;
const HEX_ROW = 86.6;
const HEX_RADIUS = WIDTH / Math.sqrt(3);

/** @type {Record<string, string>} */
const FACINGS = { n: 'north', e: 'east', s: 'south', w: 'west' };
/** @type {Record<string, number>} */
const TURNS = { n: 0, ne: 45, e: 90, se: 135, s: 180, sw: 225, w: 270, nw: 315 };

/** The view after a change.
 * @param {View} view @param {View | ViewChange} change @returns {View} */
export function changed(view, change) {
  if ('shape' in change) return change;
  let cells = view.cells;
  if (change.cells && Object.keys(change.cells).length > 0) {
    cells = [...view.cells];
    for (const [at, cell] of Object.entries(change.cells)) cells[Number(at)] = cell;
  }
  let pieces = change.pieces ?? view.pieces;
  if (change.gone || change.put) {
    const put = change.put ?? [];
    const without = new Set([...(change.gone ?? []), ...put.map((piece) => piece.cell)]);
    pieces = [...pieces.filter((piece) => !without.has(piece.cell)), ...put];
  }
  return { shape: view.shape, cells, pieces, notes: change.notes ?? view.notes };
}

/** All views from a first one and changes.
 * @param {[View, ...(View | ViewChange)[]]} changes @returns {View[]} */
export function unfold(changes) {
  return unfoldAfter(changes[0], changes.slice(1));
}

/** A view and those that follow it by changes.
 * @param {View} first @param {(View | ViewChange)[]} changes @returns {View[]} */
export function unfoldAfter(first, changes) {
  const views = [first];
  for (const change of changes) views.push(changed(views[views.length - 1], change));
  return views;
}

/** True if there is a board to draw; views of rules without one have notes only.
 * @param {View | null | undefined} view @returns {view is View} */
export function hasBoard(view) {
  return Boolean(view && view.cells.length > 0);
}

/** The notes beside a board, or in its place.
 * @param {View | null | undefined} view */
export function noteLines(view) {
  return (view?.notes ?? []).map((note) => make('li', {}, make('bdi', {}, note)));
}

export class Board {
  /** @param {{ roles: string[], label: string, small?: boolean, onCell?: (name: string) => void }} options
   *  Without `onCell`, the grid is for reading only; a `small` board has none. */
  constructor(options) {
    this.roles = options.roles;
    this.isSmall = options.small ?? false;
    this.onCell = options.onCell;
    this.isFlipped = false;
    /** @type {View | null} */
    this.view = null;
    /** @type {Marks} */
    this.marks = {};
    /** The cell that Tab leads to. */
    this.current = '';
    this.ground = draw('g');
    this.under = draw('g');
    this.pieces = draw('g');
    this.over = draw('g');
    this.drawing = draw('svg', { 'aria-hidden': 'true', focusable: 'false' }, this.ground, this.under, this.pieces, this.over);
    this.grid = make('div', { class: 'grid', role: 'grid', 'aria-label': options.label });
    this.grid.addEventListener('keydown', (event) => this.walk(event));
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    /** @type {Map<string, { x: number, y: number }> | undefined} */
    this.places = undefined;
    /** @type {Map<string, { x: number, y: number }> | undefined} */
    this.buttonsPlacedFor = undefined;
    /** @type {Cell[] | undefined} */
    this.gridOf = undefined;
    /** @type {{ x: number, y: number, width: number, height: number } | undefined} */
    this.box = undefined;
    this.element = make('div', { class: this.isSmall ? 'board small' : 'board' }, this.drawing, this.isSmall ? null : this.grid);
    // The scale of the drawing on the screen keeps names readable on any board.
    if (!this.isSmall) new ResizeObserver(() => this.measure()).observe(this.element);
    if (this.isSmall) {
      this.element.setAttribute('role', 'img');
      this.element.setAttribute('aria-label', options.label);
    }
  }

  /** @param {View} view @param {Marks} [marks] */
  show(view, marks = {}) {
    const before = this.view;
    const isNewGround = !before || before.cells !== view.cells;
    this.view = view;
    this.marks = marks;
    if (isNewGround) this.drawGround(view);
    this.drawMarks(view, marks);
    this.drawPieces(view, before);
    if (!this.isSmall) this.describe(view, marks);
  }

  measure() {
    const scale = this.element.clientWidth / (this.box?.width ?? 0);
    if (scale > 0 && Number.isFinite(scale)) this.element.style.setProperty('--scale', scale.toFixed(3));
  }

  flip() {
    this.isFlipped = !this.isFlipped;
    if (!this.view) return;
    this.drawGround(this.view);
    const view = this.view;
    this.view = null;
    this.show(view, this.marks);
  }

  /** @param {Cell} cell */
  place(cell) {
    const sign = this.isFlipped ? -1 : 1;
    const row = this.view?.shape === 'hex' ? HEX_ROW : WIDTH;
    return { x: (sign * cell.x * WIDTH) / 2, y: -sign * cell.y * row };
  }

  /** @param {View} view */
  drawGround(view) {
    this.places = new Map(view.cells.map((cell) => [cell.name, this.place(cell)]));
    const places = [...this.places.values()];
    const half = WIDTH / 2;
    const top = view.shape === 'hex' ? HEX_RADIUS : half;
    const edges = this.isSmall ? null : edgeNames(view);
    const margin = { left: edges ? 34 : 4, bottom: edges ? 36 : 4 };
    const left = least(places.map((place) => place.x)) - half - margin.left;
    const right = -least(places.map((place) => -place.x)) + half + 4;
    const above = least(places.map((place) => place.y)) - top - 4;
    const below = -least(places.map((place) => -place.y)) + top + margin.bottom;
    this.box = { x: left, y: above, width: right - left, height: below - above };
    this.drawing.setAttribute('viewBox', `${left} ${above} ${right - left} ${below - above}`);
    this.element.style.aspectRatio = `${right - left} / ${below - above}`;
    this.element.style.setProperty('--columns', String((right - left) / WIDTH));
    this.element.style.setProperty('--shape', String((right - left) / (below - above)));
    this.measure();
    this.ground.replaceChildren(...view.cells.map((cell) => this.drawCell(view, cell, edges !== null)));
    if (edges) this.ground.append(...this.drawEdges(edges));
  }

  /** @param {View} view @param {Cell} cell @param {boolean} hasEdges */
  drawCell(view, cell, hasEdges) {
    const { x, y } = this.place(cell);
    const odd = view.shape === 'square' && (cell.x / 2 + cell.y) % 2 !== 0 ? ' odd' : '';
    /** @type {SVGElement} */
    const shape = view.shape === 'hex'
      ? draw('polygon', { points: hexagon(x, y, HEX_RADIUS - 2.5) })
      : draw('rect', { x: x - 48.5, y: y - 48.5, width: 97, height: 97, rx: 9 });
    shape.setAttribute('class', `cell ${cell.ground}${odd}`);
    const mark = cell.ground === 'marked' ? draw('circle', { class: 'ground-mark', cx: x, cy: y, r: 5 }) : null;
    const name = hasEdges || this.isSmall || cell.ground === 'gone'
      ? null
      : draw('text', { class: 'cell-name', x, y: y + (view.shape === 'hex' ? 49 : 45) }, cell.name);
    return draw('g', {}, shape, cell.label ? null : mark, name);
  }

  /** @param {Edges} edges */
  drawEdges(edges) {
    const { x, y, height } = this.box ?? { x: 0, y: 0, height: 0 };
    const texts = [];
    for (const [row, name] of edges.rows) texts.push(draw('text', { class: 'edge-name', x: x + 15, y: (this.isFlipped ? 1 : -1) * row * WIDTH + 8 }, name));
    for (const [column, name] of edges.columns) texts.push(draw('text', { class: 'edge-name', x: ((this.isFlipped ? -1 : 1) * column * WIDTH) / 2, y: y + height - 8 }, name));
    return texts;
  }

  /** @param {View} view @param {View | null} before */
  drawPieces(view, before) {
    const occupied = new Set(view.pieces.map((piece) => piece.cell));
    const labels = view.cells.filter((cell) => cell.label && cell.ground !== 'gone').map((cell) => this.drawLabel(cell, occupied.has(cell.name)));
    const drawn = view.pieces.map((piece) => this.drawPiece(piece));
    this.pieces.replaceChildren(...labels, ...drawn.flatMap((piece) => piece ?? []));
    if (before && !isStill() && !document.hidden) this.glide(view, before, drawn);
  }

  /** @param {Cell} cell @param {boolean} isOccupied */
  drawLabel(cell, isOccupied) {
    const { x, y } = this.place(cell);
    const label = String(cell.label).slice(0, 4);
    const count = Number(label);
    if (!isOccupied && Number.isInteger(count) && count >= 1 && count <= 5) return drawPips(x, y, count);
    if (!isOccupied) return draw('text', { class: 'label', x, y: y + 11 }, label);
    const isHex = this.view?.shape === 'hex';
    return draw('text', { class: 'label aside', x: isHex ? x : x - 40, y: isHex ? y - 40 : y - 29 }, label);
  }

  /** @param {Piece} piece */
  drawPiece(piece) {
    const place = this.places?.get(piece.cell);
    if (!place) return null;
    const hasSeat = piece.seat !== null && piece.seat !== undefined;
    const seat = hasSeat ? Number(piece.seat) : -1;
    const look = hasSeat ? `seat-${colourOf(this.roles, seat)}` : 'seat-none';
    const group = draw('g', { class: `piece ${look}`, transform: `translate(${place.x} ${place.y})` });
    const body = draw('g', { class: 'piece-body' });
    group.append(body);
    if (!hasSeat && piece.kind === 'arrow') {
      body.append(draw('path', { class: 'cross', d: 'M-20 -20 L20 20 M20 -20 L-20 20' }));
      return group;
    }
    if (piece.facing && piece.facing in TURNS) {
      const turn = TURNS[piece.facing] + (this.isFlipped ? 180 : 0);
      body.append(draw('path', { class: 'nose', d: 'M-19 -30 L0 -47 L19 -30 Z', transform: `rotate(${turn})` }));
    }
    const outline = hasSeat ? outlineOf(this.roles, seat) : 'stone';
    body.append(bodyOf(outline));
    if (hasSeat || piece.kind !== 'rock') {
      body.append(draw('text', { class: 'glyph', x: 0, y: outline === 'triangle' ? 22 : 13 }, hasSeat ? piece.glyph.toUpperCase() : piece.glyph));
    }
    return group;
  }

  /** Lets the one piece that moved glide to its cell.
   * @param {View} view @param {View} before @param {(SVGGElement | null)[]} drawn */
  glide(view, before, drawn) {
    const key = (/** @type {Piece} */ piece) => `${piece.kind} ${piece.seat ?? ''} ${piece.cell}`;
    const old = new Set(before.pieces.map(key));
    const now = new Set(view.pieces.map(key));
    for (const [at, piece] of view.pieces.entries()) {
      if (old.has(key(piece))) continue;
      const from = before.pieces.filter((other) => other.kind === piece.kind && other.seat === piece.seat && !now.has(key(other)));
      const start = from.length === 1 ? this.places?.get(from[0].cell) : undefined;
      const end = this.places?.get(piece.cell);
      const body = drawn[at]?.firstElementChild;
      if (!start || !end || !body) continue;
      const shift = `translate(${start.x - end.x}px, ${start.y - end.y}px)`;
      body.animate([{ transform: shift }, { transform: 'none' }], { duration: 170, easing: 'ease-out' });
    }
  }

  /** @param {View} view @param {Marks} marks */
  drawMarks(view, marks) {
    const last = (marks.last ?? []).flatMap((name) => this.places?.get(name) ?? []);
    const under = last.map((place) => this.outline(view, place, 'last'));
    if (last.length > 1) under.push(...track(last));
    for (const name of marks.chosen ?? []) {
      const place = this.places?.get(name);
      if (place) under.push(this.outline(view, place, 'chosen'));
    }
    this.under.replaceChildren(...under);
    // A dot would hide what stands there, or how much there is to win.
    const taken = new Set([...view.pieces.map((piece) => piece.cell), ...view.cells.filter((cell) => cell.label).map((cell) => cell.name)]);
    const over = [];
    for (const name of marks.targets ?? []) {
      const place = this.places?.get(name);
      if (!place) continue;
      over.push(taken.has(name)
        ? this.outline(view, place, 'target')
        : draw('circle', { class: 'target-dot', cx: place.x, cy: place.y, r: 13 }));
    }
    this.over.replaceChildren(...over);
  }

  /** @param {View} view @param {{ x: number, y: number }} place @param {string} kind @returns {SVGElement} */
  outline(view, place, kind) {
    const { x, y } = place;
    if (view.shape === 'hex') return draw('polygon', { class: `mark ${kind}`, points: hexagon(x, y, HEX_RADIUS - 6) });
    return draw('rect', { class: `mark ${kind}`, x: x - 45, y: y - 45, width: 90, height: 90, rx: 7 });
  }

  /** Puts a button on each cell and says what is there.
   * @param {View} view @param {Marks} marks */
  describe(view, marks) {
    if (this.gridOf !== view.cells && !this.sameCells(view)) this.layGrid(view);
    this.gridOf = view.cells;
    const pieces = new Map(view.pieces.map((piece) => [piece.cell, piece]));
    const targets = new Set(marks.targets ?? []);
    for (const cell of view.cells) {
      const button = this.buttons.get(cell.name);
      if (!button) continue;
      const words = [`${cell.name}: ${this.spoken(cell, pieces.get(cell.name))}`];
      if (marks.last?.includes(cell.name)) words.push('last move');
      if (marks.chosen?.includes(cell.name)) words.push('chosen');
      if (targets.has(cell.name)) words.push('possible');
      const label = words.join(', ');
      if (button.getAttribute('aria-label') !== label) button.setAttribute('aria-label', label);
      button.classList.toggle('is-target', targets.has(cell.name));
      if (this.onCell) button.setAttribute('aria-selected', String(marks.chosen?.includes(cell.name) ?? false));
    }
    this.placeButtons(view);
  }

  /** @param {View} view */
  sameCells(view) {
    return this.buttons.size === view.cells.length && view.cells.every((cell) => this.buttons.has(cell.name));
  }

  /** @param {Cell} cell @param {Piece | undefined} piece */
  spoken(cell, piece) {
    const words = [];
    if (piece) {
      const hasSeat = piece.seat !== null && piece.seat !== undefined;
      words.push(hasSeat ? `${piece.kind} of ${this.roles[Number(piece.seat)] ?? `seat ${Number(piece.seat) + 1}`}` : piece.kind);
      if (piece.facing) words.push(`facing ${FACINGS[piece.facing] ?? piece.facing}`);
    } else {
      words.push(cell.ground === 'gone' ? 'no ground' : 'empty');
    }
    if (cell.label && cell.ground !== 'gone') words.push(cell.label);
    if (cell.ground === 'marked') words.push('marked');
    return words.join(', ');
  }

  /** @param {View} view */
  layGrid(view) {
    const rows = [...new Set(view.cells.map((cell) => cell.y))].sort((a, b) => b - a);
    this.buttons.clear();
    this.grid.replaceChildren(...rows.map((y) => {
      const cells = view.cells.filter((cell) => cell.y === y).sort((a, b) => a.x - b.x);
      return make('div', { role: 'row' }, cells.map((cell) => this.button(cell.name)));
    }));
    if (!this.buttons.has(this.current)) this.current = view.cells[0]?.name ?? '';
    for (const [name, button] of this.buttons) button.tabIndex = name === this.current ? 0 : -1;
  }

  /** @param {string} name */
  button(name) {
    const button = make('button', { type: 'button', role: 'gridcell', class: this.onCell ? 'spot' : 'spot still', 'data-cell': name });
    button.addEventListener('click', () => {
      this.makeCurrent(name);
      this.onCell?.(name);
    });
    this.buttons.set(name, button);
    return button;
  }

  /** @param {View} view */
  placeButtons(view) {
    const box = this.box;
    if (!box || this.buttonsPlacedFor === this.places) return;
    this.buttonsPlacedFor = this.places;
    const size = view.shape === 'hex' ? WIDTH * 0.94 : WIDTH;
    this.grid.classList.toggle('round', view.shape === 'hex');
    for (const cell of view.cells) {
      const button = this.buttons.get(cell.name);
      const place = this.places?.get(cell.name);
      if (!button || !place) continue;
      button.style.left = `${((place.x - size / 2 - box.x) / box.width) * 100}%`;
      button.style.top = `${((place.y - size / 2 - box.y) / box.height) * 100}%`;
      button.style.width = `${(size / box.width) * 100}%`;
      button.style.height = `${(size / box.height) * 100}%`;
    }
  }

  /** Arrow keys go from cell to cell.
   * @param {KeyboardEvent} event */
  walk(event) {
    const steps = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const from = this.places?.get(this.current);
    if (!from) return;
    const to = this.neighbour(from, step);
    if (to === null) return;
    this.makeCurrent(to);
    this.buttons.get(to)?.focus();
  }

  /** @param {{ x: number, y: number }} from @param {[number, number]} step */
  neighbour(from, [dx, dy]) {
    let best = null;
    let least = Infinity;
    for (const [name, place] of this.places ?? []) {
      const along = (place.x - from.x) * dx + (place.y - from.y) * dy;
      const across = Math.abs((place.x - from.x) * dy) + Math.abs((place.y - from.y) * dx);
      if (along < 1 || (dx !== 0 && across > 1)) continue;
      const distance = along * (dy === 0 ? 1 : 4) + across;
      if (distance < least) [best, least] = [name, distance];
    }
    return best;
  }

  /** @param {string} name */
  makeCurrent(name) {
    const before = this.buttons.get(this.current);
    if (before) before.tabIndex = -1;
    this.current = name;
    const now = this.buttons.get(name);
    if (now) now.tabIndex = 0;
  }
}

/** @param {number[]} numbers */
function least(numbers) {
  return numbers.reduce((a, b) => Math.min(a, b), Infinity);
}

/** @param {number} x @param {number} y @param {number} radius */
function hexagon(x, y, radius) {
  const corners = [0, 1, 2, 3, 4, 5].map((k) => {
    const angle = (Math.PI / 3) * k - Math.PI / 2;
    return `${(x + radius * Math.cos(angle)).toFixed(1)},${(y + radius * Math.sin(angle)).toFixed(1)}`;
  });
  return corners.join(' ');
}

/** The outline of a piece, by seat.
 * @param {string} outline @returns {SVGElement} */
function bodyOf(outline) {
  if (outline === 'square') return draw('rect', { class: 'body', x: -32, y: -32, width: 64, height: 64, rx: 12 });
  if (outline === 'diamond') return draw('rect', { class: 'body', x: -30, y: -30, width: 60, height: 60, rx: 10, transform: 'rotate(45)' });
  if (outline === 'triangle') return draw('path', { class: 'body', d: 'M0 -41 L42 32 L-42 32 Z' });
  if (outline === 'stone') return draw('path', { class: 'body', d: 'M-30 8 L-22 -22 L4 -33 L28 -17 L33 12 L14 30 L-18 29 Z' });
  return draw('circle', { class: 'body', r: 35 });
}

/** Small numbers as dots.
 * @param {number} x @param {number} y @param {number} count */
function drawPips(x, y, count) {
  /** @type {[number, number][][]} */
  const places = [[[0, 0]], [[-12, 0], [12, 0]], [[-13, 9], [13, 9], [0, -13]], [[-12, -12], [12, -12], [-12, 12], [12, 12]], [[-15, -15], [15, -15], [-15, 15], [15, 15], [0, 0]]];
  const pips = places[count - 1].map(([dx, dy]) => draw('circle', { cx: x + dx, cy: y + dy, r: 8.5 }));
  return draw('g', { class: 'pips' }, pips);
}

/** The way of the last move: a line through its cells with a head at its end.
 * @param {{ x: number, y: number }[]} places */
function track(places) {
  const parts = [];
  for (let at = 1; at < places.length; at += 1) {
    const [from, to] = [places[at - 1], places[at]];
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length < 1) continue;
    const end = length - 44;
    const transform = `translate(${from.x} ${from.y}) rotate(${(angle * 180) / Math.PI})`;
    parts.push(draw('path', { class: at === 1 ? 'track' : 'track further', d: `M14 0 H${Math.max(14, end)}`, transform }));
    parts.push(draw('path', { class: 'track-head', d: `M${end - 4} -12 L${end + 14} 0 L${end - 4} 12`, transform }));
  }
  return parts;
}

/** Names of rows by `y` and of columns by `x`.
 * @typedef {{ rows: Map<number, string>, columns: Map<number, string> }} Edges */

/** The names at the edges of a board of squares, if cells are called by column and row: `a1` or `1,3`.
 * @param {View} view @returns {Edges | null} */
function edgeNames(view) {
  if (view.shape !== 'square') return null;
  const rows = new Map();
  const columns = new Map();
  for (const cell of view.cells) {
    const parts = /^(\D+)(\d+)$/.exec(cell.name) ?? /^([^,]+),([^,]+)$/.exec(cell.name);
    if (!parts) return null;
    if ((columns.get(cell.x) ?? parts[1]) !== parts[1] || (rows.get(cell.y) ?? parts[2]) !== parts[2]) return null;
    columns.set(cell.x, parts[1]);
    rows.set(cell.y, parts[2]);
  }
  return { rows, columns };
}

/** The sign of a seat, in the style of its pieces.
 * @param {string[]} roles @param {number} seat */
export function seatSign(roles, seat) {
  const sign = draw('svg', { class: `sign piece seat-${colourOf(roles, seat)}`, viewBox: '-48 -48 96 96', 'aria-hidden': 'true' });
  sign.append(bodyOf(outlineOf(roles, seat)));
  return sign;
}
