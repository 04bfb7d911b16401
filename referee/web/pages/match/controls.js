// Stepping through a match: by buttons, by a slider, and by itself.

import { draw, fill, make } from '../dom.js';

const SPEEDS = [0.5, 1, 2, 4, 10];
const HOLD_FIRST_MS = 400;
const HOLD_MS = 90;

/** The match that is stepped through.
 * @typedef {object} Stepped
 * @property {() => number} ply
 * @property {() => number} last
 * @property {(ply: number) => void} go
 * @property {(ply: number) => number | null | undefined} ms how long the move after this ply took
 * @property {() => void} flip
 * @property {() => void} help */

export class Controls {
  /** @param {Stepped} match */
  constructor(match) {
    this.match = match;
    this.pace = '2';
    this.isClosed = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.slider = make('input', { type: 'range', min: 0, max: 0, value: 0, 'aria-label': 'Position' });
    this.slider.addEventListener('input', () => match.go(Number(this.slider.value)));
    this.playButton = make('button', { type: 'button', class: 'icon main', onclick: () => this.toggle() });
    const speeds = SPEEDS.map((speed) => make('option', { value: speed, selected: String(speed) === this.pace }, speed < 1 ? `a move in ${1 / speed} s` : `${speed} a second`));
    const speed = make('select', { 'aria-label': 'Speed', onchange: () => { this.pace = speed.value; } }, speeds, make('option', { value: 'real' }, 'as it was played'));
    const step = (/** @type {string} */ icon, /** @type {string} */ label, /** @type {() => void} */ act) =>
      this.holdable(make('button', { type: 'button', class: 'icon', 'aria-label': label, title: label }, iconOf(icon)), act);
    this.showPlaying();
    this.element = make('div', { class: 'controls' }, this.slider,
      make('div', { class: 'row' },
        step('first', 'To the start', () => match.go(0)),
        step('back', 'One move back', () => match.go(match.ply() - 1)),
        this.playButton,
        step('on', 'One move on', () => match.go(match.ply() + 1)),
        step('last', 'To the end', () => match.go(match.last())),
        speed,
        make('button', { type: 'button', onclick: () => match.flip(), 'aria-keyshortcuts': 'f' }, 'Turn'),
        make('button', { type: 'button', class: 'icon', onclick: () => match.help(), 'aria-keyshortcuts': '?', 'aria-label': 'Keys' }, '?')));
  }

  /** @param {string} text describes the position */
  show(text) {
    this.slider.max = String(this.match.last());
    this.slider.value = String(this.match.ply());
    this.slider.setAttribute('aria-valuetext', text);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** A button that repeats while it is held.
   * @param {HTMLButtonElement} button @param {() => void} act */
  holdable(button, act) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let hasRepeated = false;
    const stop = () => clearTimeout(timer);
    const repeat = () => {
      hasRepeated = true;
      act();
      timer = this.isClosed ? undefined : setTimeout(repeat, HOLD_MS);
    };
    button.addEventListener('pointerdown', () => {
      hasRepeated = false;
      timer = setTimeout(repeat, HOLD_FIRST_MS);
    });
    for (const end of ['pointerup', 'pointerleave', 'pointercancel']) button.addEventListener(end, stop);
    button.addEventListener('click', () => {
      if (!hasRepeated) act();
      hasRepeated = false;
    });
    return button;
  }

  toggle() {
    if (this.timer === undefined) {
      if (this.match.ply() === this.match.last()) this.match.go(0);
      this.tick();
    } else {
      this.stop();
    }
    this.showPlaying();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Waits for the next move and plays it. */
  tick() {
    if (this.match.ply() >= this.match.last()) {
      this.stop();
      this.showPlaying();
      return;
    }
    const wait = this.pace === 'real' ? this.match.ms(this.match.ply()) ?? 1000 : 1000 / Number(this.pace);
    this.timer = setTimeout(() => {
      this.match.go(this.match.ply() + 1);
      this.tick();
    }, Math.max(30, wait));
  }

  showPlaying() {
    const isPlaying = this.timer !== undefined;
    const label = isPlaying ? 'Stop' : 'Play by itself';
    fill(this.playButton, iconOf(isPlaying ? 'pause' : 'play'));
    this.playButton.setAttribute('aria-label', label);
    this.playButton.title = label;
  }
}

/** @type {Record<string, string>} */
const ICONS = {
  first: 'M3 3h3v14H3z M17 3v14L7 10z', back: 'M15 3v14L5 10z', on: 'M5 3v14l10-7z', last: 'M14 3h3v14h-3z M3 3v14l10-7z',
  play: 'M5 2v16l12-8z', pause: 'M4 3h4v14H4z M12 3h4v14h-4z',
};

/** @param {string} name */
function iconOf(name) {
  return draw('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, draw('path', { d: ICONS[name] }));
}
