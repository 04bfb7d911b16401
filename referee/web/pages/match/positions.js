// Positions in an exported file, which holds only what changes from one to the next.

/** @typedef {import('../shapes').MatchData} MatchData */
/** @typedef {import('../shapes').PositionData} PositionData */

/** A value after a change: `{"=": new}`, `{"in": {key: change}, "out": [keys]}` of an object or a list.
 * @param {any} before @param {any} change @returns {any} */
export function patched(before, change) {
  if ('=' in change) return change['='];
  const after = Array.isArray(before) ? [...before] : { ...before };
  for (const key of change.out ?? []) delete after[key];
  for (const [key, inner] of Object.entries(change.in ?? {})) after[key] = patched(before[key], inner);
  return after;
}

/** A word as a shell takes it.
 * @param {string} word */
function quoted(word) {
  return /^[A-Za-z0-9_\-.,:/+@%]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The answer of the server about a position, computed from the file.
 * @param {MatchData} match @param {(ply: number) => Promise<any>} find @param {number} ply @returns {Promise<PositionData>} */
export async function positionOf(match, find, ply) {
  let { state } = await find(0);
  for (let at = 1; at <= ply; at += 1) state = patched(state, (await find(at)).change);
  const options = /** @type {Record<string, unknown>} */ (match.game.options ?? {});
  const hasOptions = Object.keys(options).length > 0;
  const role = match.roles[match.to_move[ply]?.[0] ?? 0];
  const words = ['referee', 'play', match.game.id, ...(hasOptions ? ['--options', JSON.stringify(options)] : []), '--state', JSON.stringify(state), '--human', role,
    ...match.roles.slice(1).flatMap(() => ['--bot', 'mcts'])];
  const request = { op: 'new', game: match.game.id, ...(hasOptions ? { options } : {}), state };
  return { state, command: words.map(quoted).join(' '), request, pv: (await find(ply)).pv ?? [] };
}
