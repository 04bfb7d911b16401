// Questions to the server: what comes late does not replace what was asked since.

import assert from 'node:assert/strict';
import { test } from 'node:test';

/** @type {((body: unknown, ok?: boolean) => void)[]} */
const waiting = [];
globalThis.location = { search: '' };
globalThis.document = { getElementById: () => null };
globalThis.fetch = () => new Promise((resolve) => {
  waiting.push((body, ok = true) => resolve({ ok, json: async () => body }));
});
const { askNewest } = await import('../pages/api.js');

test('an answer that was overtaken by a newer question is null', async () => {
  const ask = askNewest();
  const first = ask('/api/matches');
  const second = ask('/api/matches', { game: 'siam' });
  const [answerFirst, answerSecond] = waiting.splice(0);
  answerSecond({ total: 2 });
  answerFirst({ total: 16 });
  assert.deepEqual(await second, { total: 2 });
  assert.equal(await first, null);
});

test('an error counts for the newest question only', async () => {
  const ask = askNewest();
  const first = ask('/api/matches');
  const second = ask('/api/matches');
  const [answerFirst, answerSecond] = waiting.splice(0);
  answerFirst({ error: 'too early' }, false);
  answerSecond({ error: 'no such game' }, false);
  assert.equal(await first, null);
  await assert.rejects(second, /no such game/);
});
