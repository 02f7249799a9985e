import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API_COMMENT, COMMENT, comment, without } from '../../../test/raw-rows.ts';
import type { Row } from './cells.ts';

/** Of the comment c0ffee of the post abc12. */
const PARENTS: [rule: string, cell: unknown, parent: string][] = [
  ['the post: the top level', 't3_abc12', 'abc12'],
  ['another comment', 't1_c0fefe', 'c0fefe'],
  ['without prefix, as records of ours have it', 'c0fefe', 'c0fefe'],
  ['the post without prefix', 'abc12', 'abc12'],
  ['a number: a comment, in decimal', 41_785_179_015, 'j71teh3'],
  ['digits as text are an id as it is', 't1_12345', '12345'],
  ['another post', 't3_zzz', ''],
  ['itself', 't1_c0ffee', ''],
  ['itself, without prefix', 'c0ffee', ''],
  ['a comment with the id of the post', 't1_abc12', ''],
  ['missing', undefined, ''],
  ['null', null, ''],
  ['empty', '', ''],
  ['a prefix alone', 't1_', ''],
  ['another prefix: part of the id', 't5_2qh', 't5_2qh'],
  ['an id of 65', 'a'.repeat(65), ''],
  ['a blank in it', 't1_c0 fefe', ''],
  ['a line break behind it', 't1_c0fefe\n', ''],
  ['a negative number', -5, ''],
  ['a fraction', 1.5, ''],
  ['a number that is not exact', 2 ** 53, ''],
  ['a float as text, as pandas writes', '41785179015.0', ''],
  ['true', true, ''],
  ['an object', { id: 'c0fefe' }, ''],
];

for (const [rule, cell, parent] of PARENTS) {
  test(`parent: ${rule}`, () => assert.equal(comment({ ...COMMENT, parent_id: cell }).parent, parent));
}

test('a post with the id of one of its comments: without prefix it is the post', () => {
  const row = { ...without(COMMENT, 'permalink'), link_id: 't3_c0ffee' };
  assert.equal(comment({ ...row, parent_id: 'c0ffee' }).parent, 'c0ffee');
  assert.equal(comment({ ...row, parent_id: 't1_c0ffee' }).parent, '');
});

const BARE = without(COMMENT, 'link_id', 'parent_id', 'permalink');
const POSTS: [rule: string, row: Row, post: string, parent: string][] = [
  ['that of post_id where there is no link_id', { post_id: 'abc12', parent_id: 'c1' }, 'abc12', 'c1'],
  ['link_id goes before post_id', { link_id: 't3_abc12', post_id: 'zzz' }, 'abc12', ''],
  ['post_id null', { post_id: null, parent_id: null }, '', ''],
  ['that of a parent that is a post', { parent_id: 't3_abc12' }, 'abc12', 'abc12'],
  ['no post in a parent that is a comment', { parent_id: 't1_c1' }, '', 'c1'],
  ['no post in a parent without prefix', { parent_id: 'c1' }, '', 'c1'],
  ['no post in a parent that is no id', { parent_id: 't3_a b' }, '', ''],
  [
    'the permalink goes before the parent',
    { permalink: '/r/a/comments/abc12/x/c0ffee/', parent_id: 't3_zzz' },
    'abc12',
    '',
  ],
];

for (const [rule, row, post, parent] of POSTS) {
  test(`post: ${rule}`, () => {
    const made = comment({ ...BARE, ...row });
    assert.deepEqual([made.post, made.parent], [post, parent]);
  });
}

test('a post known from the parent alone stands in the permalink that is made', () => {
  const { permalink } = comment({ ...BARE, parent_id: 't3_abc12' });
  assert.equal(permalink, '/r/SolarPower/comments/abc12/_/c0ffee/');
});

test('a record of our own with the chosen fields post_id and parent_id', () => {
  const { post, parent } = comment({ ...API_COMMENT, post_id: 'abc12', parent_id: 'c0fefe' });
  assert.deepEqual([post, parent], ['abc12', 'c0fefe']);
});
