import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordsOf } from '../engines/packing/packed-records.ts';
import type { StoredComment } from '../model/record.ts';
import type { Block } from './formats/block.ts';
import { blockWork } from './work.ts';

const OPTIONS = { kind: null, permalinkBase: 'https://www.reddit.com' } as const;

function block(text: string, lines: Block['lines'] = 1): Block {
  return { data: new Uint8Array(Buffer.from(text)), lines, rejects: [], end: { offset: 0, line: 0 } };
}

/** What comes of the block, its comments read again. */
function workOn(given: Block) {
  const { comments, ...rest } = blockWork(OPTIONS)(given);
  return { ...rest, comments: recordsOf('comment', comments) as readonly StoredComment[] };
}

function comment(id: string, body: string, more: object = {}): string {
  return JSON.stringify({ id, body, subreddit: 'x', created_utc: 1, ...more });
}

test('comments are rated; those that bring a rating along keep it; withdrawn ones have none', () => {
  const api = { subreddit: { id: '', name: 'x', nsfw: false }, sentiment: 0.25 };
  const text = [
    comment('a', 'This is a wonderful idea, and I love it very much.'),
    comment('b', 'This is a wonderful idea, and I love it very much.', api),
    comment('c', '[deleted]'),
    comment('d', 'yes'),
  ].join('\n');
  const { comments } = workOn(block(text));
  assert.ok((comments[0]?.sentiment ?? 0) > 0.5);
  const others = comments.slice(1).map(({ sentiment }) => sentiment);
  assert.deepEqual(others, [0.25, null, null]);
});

test('one bad line never costs another', () => {
  const lines = ['{"id": "a", "bo', comment('b', 'text'), 'null', '', '\r', '{}', comment('c', 'text')];
  const { comments, rejects, read } = workOn(block(lines.join('\n'), 11));
  const told = rejects.map(({ line, reason }) => `${line} ${reason}`);
  assert.deepEqual(told, ['11 bad_json', '13 not_a_record', '16 not_a_record']);
  assert.deepEqual([comments[0]?.id, comments[1]?.id, comments.length, read], ['b', 'c', 2, 5]);
});

test('lines are numbered by the reader where they did not stand one a line', () => {
  const [first, second] = workOn(block('1\n2\n', Uint32Array.of(7, 9))).rejects;
  assert.deepEqual([first?.line, second?.line], [7, 9]);
});

test('rejects keep 80 characters, whole ones', () => {
  const result = workOn(block(`{"id": "${'😀'.repeat(100)}`));
  assert.equal(Array.from(result.rejects[0]?.text ?? '').length, 80);
  assert.ok(result.rejects[0]?.text.isWellFormed());
});

const BYTES: [rule: string, block: Buffer, body: string][] = [
  ['the line separators of Unicode are text', Buffer.from(comment('a', 'x\u2028y\u0085')), 'x\u2028y\u0085'],
  ['holes of NUL bytes are passed over', Buffer.from(`\0\0\0\n\0\0${comment('a', 'x')}\0\n`), 'x'],
  ['bytes that are no UTF-8 become U+FFFD', Buffer.from(comment('a', 'caf\xe9'), 'latin1'), 'caf\ufffd'],
];

for (const [rule, data, body] of BYTES) {
  test(rule, () => {
    const bodies = workOn({ ...block(''), data: new Uint8Array(data) }).comments.map((one) => one.body);
    assert.deepEqual(bodies, [body]);
  });
}

test('claims on communities: one a community, the newest; of one second, nsfw; the least id', () => {
  const api = (created: number, nsfw: boolean, id: string) =>
    comment(`c${created}${id}`, 'b', { subreddit: { id, name: 'X', nsfw }, created_utc: created });
  const lines = [api(5, false, '2qh'), api(9, true, ''), api(9, false, '2zz'), api(1, true, '2aa')];
  assert.deepEqual(workOn(block(lines.join('\n'))).claims, [{ name: 'x', nsfw: true, time: 9, id: '2aa' }]);
});
