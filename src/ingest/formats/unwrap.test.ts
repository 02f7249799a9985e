import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unwrap } from './unwrap.ts';

const post = (id: string) => ({ id, title: 't', subreddit: 'x', created_utc: 1 });
const comment = (id: string, replies?: unknown) => ({
  id,
  body: 'b',
  subreddit: 'x',
  created_utc: 1,
  replies,
});
const listing = (...children: unknown[]) => ({ kind: 'Listing', data: { children, after: null } });
const t1 = (id: string, replies: unknown = '') => ({ kind: 't1', data: comment(id, replies) });
const t3 = (id: string) => ({ kind: 't3', data: post(id) });

/** What came of a value: `post a`, `comment b`, or the reason it is left out. */
function outcomes(value: unknown): string[] {
  const found: string[] = [];
  unwrap(value, { kind: null, permalinkBase: '' }, (outcome) => {
    if (outcome.kind === 'record') found.push(`${outcome.record.kind} ${outcome.record.id}`);
    else if (outcome.kind === 'community') found.push(`community ${outcome.claim.name}`);
    else found.push(outcome.reason);
  });
  return found;
}

const ENERGY = { display_name: 'Energy', id: '2qh', over18: true };
const CASES: [rule: string, value: unknown, found: string][] = [
  ['a record', post('a'), 'post a'],
  ['an array', [post('a'), comment('b')], 'post a, comment b'],
  ['the envelope of the API', { type: 'post', total_count: 1, data: [post('a')], sort_key: [] }, 'post a'],
  ['an answer with `data` alone', { data: [comment('a'), comment('b')] }, 'comment a, comment b'],
  ['an empty answer', { type: 'post', total_count: 0, data: [] }, ''],
  ['a listing', listing(t3('a'), t1('b')), 'post a, comment b'],
  ['a page of a post: two listings', [listing(t3('a')), listing(t1('b'))], 'post a, comment b'],
  ['replies in order', listing(t1('a', listing(t1('b'))), t1('c')), 'comment a, comment b, comment c'],
  ['a comment with replies, without a wrapper', comment('a', listing(t1('b'))), 'comment a, comment b'],
  ['/api/morechildren', { json: { errors: [], data: { things: [t1('a')] } } }, 'comment a'],
  ['a placeholder', listing({ kind: 'more', data: { id: 'x', children: ['y'] } }), 'placeholder'],
  ['other things', listing({ kind: 't2', data: {} }, { kind: 't4', data: {} }), 'other_thing, other_thing'],
  ['a listing of communities', listing({ kind: 't5', data: ENERGY }), 'community energy'],
  ['a row of a dump of communities', { ...ENERGY, over18: null }, 'community energy'],
  ['a community without a name', { kind: 't5', data: { display_name: '' } }, 'no_community'],
  ['a collection', { collection_id: 'x', sorted_links: listing(t3('a'), t3('b')) }, 'post a, post b'],
  ['a collection as a list', { title: 'Best of', sorted_links: [post('a')] }, 'post a'],
  ['an empty collection', { title: 'Best of', sorted_links: listing() }, ''],
  ['numbers, words, nothing', [1, 'word', null], 'not_a_record, not_a_record, not_a_record'],
  ['an object of another shape', { a: 1 }, 'not_a_record'],
  ['a listing without children', { kind: 'Listing', data: {} }, ''],
];

for (const [rule, value, found] of CASES) {
  test(`unwrap: ${rule}`, () => assert.equal(outcomes(JSON.parse(JSON.stringify(value))).join(', '), found));
}

test('any depth of replies and arrays', () => {
  let replies: unknown = '';
  for (let i = 0; i < 100_000; i++) replies = listing(t1(`c${i}`, replies));
  assert.equal(outcomes(replies).length, 100_000);
  let nested: unknown = [post('a')];
  for (let i = 0; i < 100_000; i++) nested = [nested];
  assert.deepEqual(outcomes(nested), ['post a']);
});
