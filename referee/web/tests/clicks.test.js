// Moves by clicking: texts are split by the names of cells, and every legal move can be reached.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, choiceLabel, clicked, splitMoves, stepAfter } from '../pages/board/clicks.js';

const CELLS = [];
for (const column of 'abcdefghij') for (let row = 1; row <= 10; row += 1) CELLS.push(`${column}${row}`);

/** Plays by clicks: the cells in order, then a choice if one is left.
 * @param {string[]} moves @param {string[]} clicks */
function play(moves, clicks) {
  const split = splitMoves(moves, CELLS);
  let chosen = [];
  for (const cell of clicks) chosen = clicked(split, chosen, cell);
  return { chosen, ...stepAfter(split, chosen) };
}

test('moves are split by the names of cells', () => {
  assert.deepEqual(cellsOf('d1-d10/g7', CELLS), ['d1', 'd10', 'g7']);
  assert.deepEqual(cellsOf('+>c1n', CELLS), ['c1']);
  assert.deepEqual(cellsOf('cowboy@e2', CELLS), ['e2']);
  assert.deepEqual(cellsOf('c3xe3xg5', CELLS), ['c3', 'e3', 'g5']);
  assert.deepEqual(cellsOf('e8-out', CELLS), ['e8']);
  assert.deepEqual(cellsOf('e4=3', CELLS), ['e4']);
});

test('a name inside another word or number is no cell', () => {
  assert.deepEqual(cellsOf('take3', ['1', '2', '3']), ['3']);
  assert.deepEqual(cellsOf('take13', ['1', '3']), []);
  assert.deepEqual(cellsOf('nwest', ['nw', 'west']), []);
  assert.deepEqual(cellsOf('a12', ['a1']), []);
  assert.deepEqual(cellsOf('(mark a 3)', ['a', '3']), ['a', '3']);
});

test('the last cell settles the move', () => {
  const moves = ['e6-e4/c6', 'e6-e4/e6', 'e6-e5/a1', 'a1-a2/a1'];
  assert.deepEqual([...play(moves, []).next], ['e6', 'a1']);
  assert.deepEqual([...play(moves, ['e6']).next], ['e4', 'e5']);
  assert.equal(play(moves, ['e6', 'e4', 'c6']).move, 'e6-e4/c6');
  assert.equal(play(moves, ['e6', 'e4', 'e6']).move, 'e6-e4/e6');
});

test('what cells do not tell is left to choose', () => {
  const moves = ['+c1n', '+c1e', '+>c1n', 'c1-out'];
  const step = play(moves, ['c1']);
  assert.equal(step.move, null);
  assert.deepEqual(step.choices.map((choice) => choice.text), moves);
  const turns = play(['c1-c2n', 'c1-c2e'], ['c1', 'c2']);
  assert.deepEqual(turns.choices.map((choice) => choiceLabel(choice, turns.choices)), ['↑ north', '→ east']);
  const drops = play(['cow@e2', 'cowboy@e2'], ['e2']);
  assert.deepEqual(drops.choices.map((choice) => choiceLabel(choice, drops.choices)), ['cow', 'cowboy']);
});

test('a move may go on or stop', () => {
  const moves = ['c3xe3', 'c3xe3xg5'];
  const step = play(moves, ['c3', 'e3']);
  assert.equal(step.move, null);
  assert.deepEqual(step.choices.map((choice) => choice.text), ['c3xe3']);
  assert.deepEqual([...step.next], ['g5']);
  assert.equal(play(moves, ['c3', 'e3', 'g5']).move, 'c3xe3xg5');
});

test('another piece is chosen by clicking it, and nothing by clicking nowhere', () => {
  const moves = ['a1-a2', 'b1-b2'];
  assert.deepEqual(play(moves, ['a1', 'b1']).chosen, ['b1']);
  assert.deepEqual(play(moves, ['a1', 'a1']).chosen, []);
  assert.deepEqual(play(moves, ['a1', 'j9']).chosen, []);
  assert.deepEqual(play(moves, ['j9']).chosen, []);
});

test('moves without cells are choices from the start', () => {
  const step = play(['roll', 'hold'], []);
  assert.deepEqual(step.choices.map((choice) => choiceLabel(choice, step.choices)), ['roll', 'hold']);
  assert.equal(step.next.size, 0);
  assert.equal(play(['pass'], []).move, null);
});

test('every legal move can be played by its cells and one choice', () => {
  const moves = ['+c1n', '+>c1n', 'c1-c2n', 'c1=w', 'c1-out', 'c2>c3', 'c1-c2n-c3', 'pass', 'd4-d6/d4'];
  const split = splitMoves(moves, CELLS);
  for (const move of split) {
    let chosen = [];
    for (const cell of move.cells) chosen = clicked(split, chosen, cell);
    const step = stepAfter(split, chosen);
    assert.ok(step.move === move.text || step.choices.some((choice) => choice.text === move.text), move.text);
  }
});

test('cells by coordinates are two words of a move', () => {
  const cells = ['1,1', '1,3', '2,3', '1,12', 'a,2', 'a,4'];
  const [mark, move, noop] = splitMoves(['(mark 1 3)', '(move wp a 2 a 4)', 'noop'], cells);
  assert.deepEqual(mark.cells, ['1,3']);
  assert.deepEqual(mark.between, ['(mark ', ')']);
  assert.deepEqual(move.cells, ['a,2', 'a,4']);
  assert.deepEqual(noop.cells, []);
  assert.deepEqual(splitMoves(['(mark 1 12)'], cells)[0].cells, ['1,12']);
  assert.equal(stepAfter(splitMoves(['(mark 1 3)', '(mark 2 3)'], cells), ['2,3']).move, '(mark 2 3)');
});
