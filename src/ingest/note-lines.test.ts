import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteLines } from './note-lines.ts';
import type { SourceReport } from './report.ts';

const source = (name: string, state: SourceReport['state'], ...notes: string[]): SourceReport => ({
  name,
  source: 'dumps',
  read: 0,
  rejected: {},
  state,
  resumed_behind_line: 0,
  notes,
});

const passedOver = Array.from({ length: 1980 }, (_, i) =>
  source(`t/${i}.txt`, 'passed_over', `expected dumps, found text that begins with \`Letter ${i}\``),
);

test('1,980 files that are passed over for one reason take two lines', () => {
  assert.deepEqual(noteLines(passedOver), [
    '1,980 passed over, such as: expected dumps, found text that begins with `Letter 0`',
    '  t/0.txt, t/1.txt, t/2.txt and 1,977 more',
  ]);
});

test('a note that stands alone is told with its source', () => {
  assert.deepEqual(noteLines([source('a.zst', 'broken', 'it breaks off'), source('b', 'whole')]), [
    'a.zst: it breaks off',
  ]);
});

test('lists of what was found, and numbers, do not tell notes apart; states do', () => {
  const notes = [
    source('a', 'passed_over', 'found the fields `a`, `b`, …'),
    source('b', 'passed_over', 'found the fields `c`'),
    source('c', 'refused', 'found the fields `d`'),
    source('d', 'broken', 'damaged near byte 7'),
    source('e', 'broken', 'damaged near byte 81'),
  ];
  assert.deepEqual(noteLines(notes), [
    '2 passed over, such as: found the fields `a`, `b`, …',
    '  a, b',
    'c: found the fields `d`',
    '2 damaged, such as: damaged near byte 7',
    '  d, e',
  ]);
});

test('of many kinds of notes the last are counted', () => {
  const kinds = Array.from({ length: 30 }, (_, i) => source('x', 'whole', 'n'.repeat(i + 1)));
  assert.deepEqual(noteLines(kinds).slice(-2), [`x: ${'n'.repeat(20)}`, 'and 10 notes of other kinds']);
});
