// Words and numbers as pages write them.

import assert from 'node:assert/strict';
import test from 'node:test';

import { MINUS, duration, sentence, when } from '../pages/dom.js';

test('a part of a sentence becomes one', () => {
  assert.equal(sentence('the bot did not move in time'), 'The bot did not move in time.');
  assert.equal(sentence('Is it a move?'), 'Is it a move?');
});

test('numbers have a minus sign, and names and moves keep their hyphens', () => {
  const shown = (text) => text.replace(MINUS, '$1−');
  assert.equal(shown('-63 ± 304'), '−63 ± 304');
  assert.equal(shown('a rating of ≤ -543 Elo (-1)'), 'a rating of ≤ −543 Elo (−1)');
  assert.equal(shown('one-ply 2026-01-02 c1-c2'), 'one-ply 2026-01-02 c1-c2');
});

test('times are the same wherever they are read', () => {
  assert.match(when('2026-01-02T15:04:05.678Z'), /^2026-01-0[123] \d\d:\d\d$/);
  assert.equal(when('never'), 'never');
  assert.equal(duration(340.2), '340 ms');
  assert.equal(duration(245_000), '4:05');
});
