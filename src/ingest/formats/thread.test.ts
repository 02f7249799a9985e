import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../normalise/cells.ts';
import { isReadable, threadRows, unwrap } from './unwrap.ts';

const SUBMISSION = {
  ...{ author: 'u/somebody', created_utc: '2021-01-31 18:30:15', is_self: true, nsfw: false, score: 12 },
  ...{ permalink: '/r/SolarPower/comments/p1/monthly_thread/', subreddit: 'SolarPower' },
  ...{ title: 'Monthly thread', selftext: 'Ask what you like.' },
};

const comment = (id: string, replies: unknown[] = [], more: object = {}) => ({
  ...{ id, author: 'u/nobody', body: `Comment ${id}`, created_utc: '2021-01-31 19:00:00', score: 1 },
  ...{ ...more, replies },
});

const COMMENTS = [comment('c1', [comment('c2', [comment('c3')]), comment('c4')]), comment('c5')];
const DATA = { submission_metadata: SUBMISSION, comments: COMMENTS };

const relations = (rows: readonly Row[] | null) =>
  rows?.slice(1).map(({ id, link_id, parent_id, subreddit }) => `${id} ${link_id} ${parent_id} ${subreddit}`);

const SHAPES: [where: string, value: Row][] = [
  ['in `data`', { scrape_settings: {}, data: DATA }],
  ['by itself', DATA],
  ['in an archiver’s wrapper', { date_of_thread: '2021-01-31', urs_data: { data: DATA } }],
];

for (const [where, value] of SHAPES) {
  test(`a scraped thread ${where}: post, parents and community come from the nesting`, () => {
    const rows = threadRows(JSON.parse(JSON.stringify(value)));
    assert.equal(rows?.[0]?.id, 'p1');
    const parents = { c1: 't3_p1', c2: 't1_c1', c3: 't1_c2', c4: 't1_c1', c5: 't3_p1' };
    const expected = Object.entries(parents).map(([id, parent]) => `${id} t3_p1 ${parent} SolarPower`);
    assert.deepEqual(relations(rows), expected);
  });
}

test('a scraped thread: what becomes of it', () => {
  const records: string[] = [];
  unwrap({ datetime_retrieved: 1_700_000_000, urs_data: { data: DATA } }, OPTIONS, (outcome) => {
    assert.ok(outcome.kind === 'record');
    const { kind, id, community, created, retrieved } = outcome.record;
    records.push(`${kind} ${id} ${community} ${created} ${retrieved}`);
  });
  assert.equal(records[0], 'post p1 solarpower 1612117815 1700000000');
  assert.equal(records[1], 'comment c1 solarpower 1612119600 1700000000');
  assert.equal(records.length, 6);
});

const OPTIONS = { kind: null, permalinkBase: 'https://www.reddit.com' } as const;

test('a comment’s own word comes before the nesting', () => {
  const own = comment('c1', [], { link_id: 't3_x', parent_id: 't1_y', subreddit: 'Other' });
  const rows = threadRows({ submission_metadata: SUBMISSION, comments: [own] });
  assert.deepEqual(relations(rows), ['c1 t3_x t1_y Other']);
});

test('a submission without id, community and permalink has those of the scraper’s address', () => {
  const { permalink: _p, subreddit: _s, ...bare } = SUBMISSION;
  const url = 'https://reddit.com/r/SolarPower/comments/p1/';
  const rows = threadRows({ scrape_settings: { url }, data: { submission_metadata: bare, comments: [] } });
  assert.deepEqual([rows?.[0]?.id, rows?.[0]?.subreddit], ['p1', 'r/SolarPower']);
});

test('what is no list of comments is none, and what is no comment is rejected', () => {
  assert.equal(threadRows({ submission_metadata: SUBMISSION, comments: { length: 1e9 } })?.length, 1);
  const reasons: string[] = [];
  unwrap({ submission_metadata: SUBMISSION, comments: [null, 'x', [], {}] }, OPTIONS, (outcome) => {
    if (outcome.kind === 'rejected') reasons.push(outcome.reason);
  });
  assert.deepEqual(reasons, Array(4).fill('not_a_record'));
});

test('other objects are no thread', () => {
  for (const value of [{}, { data: {} }, { submission_metadata: 'x' }, { data: { comments: [] } }]) {
    assert.equal(threadRows(value), null);
    assert.ok(!isReadable(value));
  }
});

test('replies of any depth', () => {
  let replies: unknown[] = [];
  for (let i = 0; i < 100_000; i++) replies = [comment(`c${i}`, replies)];
  assert.equal(threadRows({ submission_metadata: SUBMISSION, comments: replies })?.length, 100_001);
});

test('a thread in place of a comment is no comment', () => {
  let inner: unknown = null;
  for (let i = 0; i < 3000; i++) inner = { data: { submission_metadata: {}, comments: [inner] } };
  const reasons: string[] = [];
  unwrap(inner, OPTIONS, (outcome) => reasons.push(outcome.kind === 'rejected' ? outcome.reason : 'read'));
  assert.deepEqual(reasons, ['not_a_record', 'not_a_record']);
});
