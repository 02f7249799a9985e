import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  API_COMMENT,
  API_POST,
  COMMENT,
  comment,
  LINK,
  OPTIONS,
  post,
  TEXT,
  without,
} from '../../../test/raw-rows.ts';
import { hash53 } from '../../model/hash.ts';
import { MAX_TEXT_BYTES } from '../../model/record.ts';
import type { Row } from './cells.ts';
import { normalise } from './normalise.ts';

test('a link of a dump', () => {
  assert.deepEqual(post(LINK), {
    ...{ kind: 'post', id: 'abc12', community: 'solarpower', communityId: '2qh', score: 12, adult: false },
    ...{ title: 'First light', selftext: '', url: 'https://example.org/a', domain: 'example.org' },
    ...{ created: 1_600_000_000, permalink: '/r/SolarPower/comments/abc12/first_light/' },
    ...{ retrieved: 1_600_000_100, withdrawn: false, lent: [] },
  });
});

test('a comment of a dump, not rated yet', () => {
  assert.deepEqual(comment(COMMENT), {
    ...{ kind: 'comment', id: 'c0ffee', community: 'solarpower', communityId: '2qh', score: -4 },
    ...{ body: 'Twelve is plenty.', sentiment: null, ratings: [], post: 'abc12', parent: 'abc12' },
    ...{ created: 1_600_000_050, permalink: '/r/SolarPower/comments/abc12/first_light/c0ffee/' },
    ...{ retrieved: 1_600_000_100, withdrawn: false, lent: [] },
  });
});

test('authors are not stored', () => {
  const stored = JSON.stringify(post({ ...LINK, author: 'somebody', author_fullname: 't2_x' }));
  assert.doesNotMatch(stored, /somebody|t2_x/);
});

const TIMES: [rule: string, cell: unknown, created: number][] = [
  ['an integer', 1_600_000_000, 1_600_000_000],
  ['an integer string, as in 2014', '1400000000', 1_400_000_000],
  ['a whole float', 1_700_000_000.0, 1_700_000_000],
  ['a whole float as text, as pandas writes', '1372096774.0', 1_372_096_774],
  ['the first second', 0, 0],
  ['minus zero is zero', -0, 0],
  ['the last second', 4_294_967_295, 4_294_967_295],
  ['ISO 8601 without a zone is UTC', '2024-08-17 22:00:17', 1_723_932_017],
  ['ISO 8601 with an offset', '2024-08-17T22:00:17-02:00', 1_723_939_217],
];

const BAD_TIMES = {
  ...{ 'one behind the last second': 4_294_967_296, negative: -1, 'a fraction': 1.5 },
  ...{ 'a fraction as text': '1.5', milliseconds: 1_600_000_000_000 },
  ...{ 'ISO 8601 before 1970': '1969-12-31T23:59:59Z' },
  ...{ 'ISO 8601 after the last second': '2106-02-07T06:28:16Z', 'a day alone': '2024-08-17' },
  ...{ 'an exponent as text': '1.6e9', 'blanks around': ' 1600000000', true: true, null: null },
  ...{ missing: undefined, empty: '', 'a list': [1] },
};

for (const [rule, cell, expected] of TIMES)
  test(`created_utc: ${rule}`, () => {
    assert.ok(Object.is(post({ ...LINK, created_utc: cell }).created, expected));
  });
for (const [rule, cell] of Object.entries(BAD_TIMES)) {
  test(`created_utc: ${rule}: bad_time`, () => {
    const outcome = normalise({ ...LINK, created_utc: cell }, OPTIONS);
    assert.deepEqual(outcome, { kind: 'rejected', reason: 'bad_time' });
  });
}

const LEFT_OUT: [rule: string, row: Row, reason: string][] = [
  ['neither title nor body', without(LINK, 'title', 'selftext'), 'not_a_record'],
  ['no id, no name', without(LINK, 'id', 'permalink'), 'no_id'],
  ['id null, name empty', { ...LINK, id: null, name: '', permalink: '' }, 'no_id'],
  ['an id with a blank', { ...LINK, id: 'a b' }, 'bad_id'],
  ['an id of 65', { ...LINK, id: 'a'.repeat(65) }, 'bad_id'],
  ['an id of a prefix alone', { ...LINK, id: 't3_' }, 'bad_id'],
  ['subreddit missing', without(LINK, 'subreddit', 'permalink'), 'no_community'],
  ['subreddit null', { ...LINK, subreddit: null }, 'no_community'],
  ['subreddit without name', { ...LINK, subreddit: {} }, 'no_community'],
  ['a name with a blank', { ...LINK, subreddit: 'a b' }, 'bad_community'],
  ['a name with a plus', { ...LINK, subreddit: 'a+b' }, 'bad_community'],
  ['a name of 129', { ...LINK, subreddit: 'a'.repeat(129) }, 'bad_community'],
  ['a post without title', without(LINK, 'title'), 'no_text'],
  ['a title that is a number', { ...LINK, title: 5 }, 'no_text'],
  ['a comment with body null', { ...COMMENT, body: null }, 'no_text'],
  ['a score that is a word', { ...LINK, score: 'many' }, 'bad_score'],
  ['a score with a fraction', { ...LINK, score: 1.5 }, 'bad_score'],
  ['a score beyond all bounds', { ...LINK, score: 2 ** 31 }, 'bad_score'],
  ['a rating above 1', { ...API_COMMENT, sentiment: 1.1 }, 'bad_rating'],
  ['a rating that is a word', { ...API_COMMENT, sentiment: 'good' }, 'bad_rating'],
  ['promoted, with a community', { ...LINK, promoted: true }, 'promoted'],
  [
    'promoted, of no community',
    { ...without(LINK, 'subreddit', 'subreddit_id'), promoted: true },
    'promoted',
  ],
];

for (const [rule, row, reason] of LEFT_OUT) {
  const kind = reason === 'promoted' ? 'skipped' : 'rejected';
  test(`left out: ${rule}`, () => assert.deepEqual(normalise(row, OPTIONS), { kind, reason }));
}

test('promoted false is no advertisement', () => {
  assert.equal(post({ ...LINK, promoted: false }).id, 'abc12');
  assert.equal(post({ ...LINK, promoted: null }).id, 'abc12');
});

test('an id missing comes from name; prefixes go; numbers are ids too', () => {
  assert.equal(post({ ...without(LINK, 'id'), name: 't3_xyz9' }).id, 'xyz9');
  assert.equal(comment({ ...COMMENT, id: 't1_c1' }).id, 'c1');
  assert.equal(post({ ...LINK, id: 12345 }).id, '12345');
  assert.equal(post({ ...LINK, id: `A-_${'z'.repeat(61)}` }).id.length, 64);
});

test('names of communities are lower case, whatever they are called', () => {
  for (const name of ['reddit.com', 't:1337', 'u_Somebody', '0x10c', '<TEST>']) {
    assert.equal(post({ ...LINK, subreddit: name }).community, name.toLowerCase());
  }
  assert.equal(post({ ...LINK, subreddit: '/r/Energy' }).community, 'energy');
});

const NAMED: [rule: string, named: Row, community: string][] = [
  ['r/ in front', { subreddit: 'r/Energy' }, 'energy'],
  ['u/ in front: the community of an account', { subreddit: 'u/Somebody' }, 'u_somebody'],
  ['/user/ in front', { subreddit: '/user/Somebody' }, 'u_somebody'],
  ['subreddit_name_prefixed', { subreddit_name_prefixed: 'r/Energy' }, 'energy'],
  ['subreddit_name_prefixed of an account', { subreddit_name_prefixed: 'u/Somebody' }, 'u_somebody'],
  ['subreddit before subreddit_name_prefixed', { subreddit: 'A', subreddit_name_prefixed: 'r/B' }, 'a'],
  ['an object of the site: its name is its id', { subreddit: { display_name: 'A', name: 't5_2qh' } }, 'a'],
  ['an object with a prefixed name alone', { subreddit: { display_name_prefixed: 'r/A' } }, 'a'],
  ['an object taken apart', { 'subreddit.display_name': 'A', 'subreddit.name': 't5_2qh' }, 'a'],
  ['out of the permalink', {}, 'solarpower'],
  ['an object taken apart, prefixed', { 'subreddit.display_name_prefixed': 'u/A' }, 'u_a'],
];

for (const [rule, named, community] of NAMED) {
  test(`the community: ${rule}`, () =>
    assert.equal(post({ ...without(LINK, 'subreddit'), ...named }).community, community));
}

test('the operator’s community is that of records that name none, and of no other', () => {
  const options = { ...OPTIONS, community: 'mine' };
  const communityOf = (row: Row) => {
    const outcome = normalise(row, options);
    return outcome.kind === 'record' ? outcome.record.community : outcome.kind;
  };
  assert.equal(communityOf(LINK), 'solarpower');
  assert.equal(communityOf(without(LINK, 'subreddit', 'permalink')), 'mine');
  assert.equal(communityOf({ ...LINK, subreddit: null }), 'mine');
  assert.equal(communityOf({ ...LINK, subreddit: '' }), 'mine');
  assert.equal(communityOf({ ...LINK, subreddit: 'a b' }), 'rejected');
});

test('subreddit null says that there is none, whatever else the record holds', () => {
  const row = { ...LINK, subreddit: null, subreddit_name_prefixed: 'r/Energy' };
  assert.deepEqual(normalise(row, OPTIONS), { kind: 'rejected', reason: 'no_community' });
});

test('a `sentiment` beside an object of the site is no rating of ours', () => {
  const row = { ...API_COMMENT, subreddit: { display_name: 'A' }, sentiment: 'positive' };
  assert.deepEqual(comment(row).ratings, []);
});

test('only t1_ and t3_ are prefixes of ids: t8_x stays whole', () => {
  assert.equal(post({ ...LINK, id: 't8_x' }).id, 't8_x');
  assert.equal(post({ ...LINK, id: 't5_x' }).id, 't5_x');
});

test('a post without `selftext` has its `body` as text', () => {
  assert.equal(post({ ...without(LINK, 'selftext'), body: 'Long ago' }).selftext, 'Long ago');
  assert.equal(post({ ...LINK, selftext: '', body: 'Long ago' }).selftext, '');
});

test('subreddit_id without t5_; missing: empty', () => {
  assert.equal(post({ ...LINK, subreddit_id: 't5_6' }).communityId, '6');
  assert.equal(post(without(LINK, 'subreddit_id')).communityId, '');
  assert.equal(post({ ...LINK, subreddit_id: null }).communityId, '');
});

test('score null, missing or empty is 0; text and whole floats are read', () => {
  for (const score of [null, undefined, '', 0, '0', '0.0', -0])
    assert.ok(Object.is(post({ ...LINK, score }).score, 0));
  assert.equal(comment({ ...COMMENT, score: '-12' }).score, -12);
  assert.equal(post({ ...LINK, score: 7.0 }).score, 7);
});

const LATER = { ...TEXT, _meta: { was_deleted_later: true } };
const BY_REDDIT = { ...COMMENT, _meta: { removal_type: 'removed by reddit' } };
const WITHDRAWN: [rule: string, row: Row, text: string, withdrawn: boolean][] = [
  ['[deleted]', { ...COMMENT, body: '[deleted]' }, '[deleted]', true],
  ['[removed]', { ...COMMENT, body: '[removed]' }, '[removed]', true],
  ['[removed] in a post', { ...TEXT, selftext: '[removed]' }, '[removed]', true],
  ['with a line break behind it', { ...COMMENT, body: '[removed]\n' }, '[removed]', true],
  ['quoted in a text it is text', { ...COMMENT, body: 'it says [deleted]' }, 'it says [deleted]', false],
  ['was_deleted_later, original kept in the dump', LATER, '[deleted]', true],
  ['was_deleted_later false', { ...TEXT, _meta: { was_deleted_later: false } }, 'How many panels?', false],
  ['removal_type deleted', { ...COMMENT, _meta: { removal_type: 'deleted' } }, '[deleted]', true],
  ['removal_type removed', { ...COMMENT, _meta: { removal_type: 'removed' } }, '[removed]', true],
  ['removal_type removed by reddit', BY_REDDIT, '[removed]', true],
  ['removal_type null', { ...COMMENT, _meta: { removal_type: null } }, 'Twelve is plenty.', false],
  ['_meta null', { ...COMMENT, _meta: null }, 'Twelve is plenty.', false],
  ['a link has no text to lose', { ...LINK, _meta: { removal_type: 'removed' } }, '[removed]', true],
];

for (const [rule, row, text, withdrawn] of WITHDRAWN) {
  test(`withdrawn: ${rule}`, () => {
    const outcome = normalise(row, OPTIONS);
    assert.ok(outcome.kind === 'record');
    const { record } = outcome;
    assert.equal(record.withdrawn, withdrawn);
    assert.equal(record.kind === 'post' ? record.selftext : record.body, text);
  });
}

test('time of retrieval: retrieved_2nd_on, retrieved_on, retrieved_utc, in this order; missing = 0', () => {
  const meta = { retrieved_2nd_on: 30 };
  assert.equal(post({ ...LINK, _meta: meta, retrieved_on: 20, retrieved_utc: 10 }).retrieved, 30);
  assert.equal(post({ ...LINK, retrieved_on: 20, retrieved_utc: 10 }).retrieved, 20);
  assert.equal(post({ ...without(LINK, 'retrieved_on'), retrieved_utc: 10.7 }).retrieved, 10);
  assert.equal(post({ ...LINK, retrieved_on: '1500000000' }).retrieved, 1_500_000_000);
  assert.equal(post(without(LINK, 'retrieved_on')).retrieved, 0);
  assert.equal(post({ ...LINK, retrieved_on: 'yesterday' }).retrieved, 0);
});

test('NUL is dropped, lone surrogates become U+FFFD, everything else stays', () => {
  const { body } = comment({ ...COMMENT, body: 'a\0b\ud800c\u2028d\u0010&amp;#x200B;' });
  assert.equal(body, 'ab\ufffdc\u2028d\u0010&amp;#x200B;');
  assert.equal(post({ ...LINK, title: '\ud83d\ude00\udc00' }).title, '\ud83d\ude00\ufffd');
});

test('a text over 1 MiB of UTF-8 is cut at a character, and counted', () => {
  const cases: [body: string, bytes: number, isCut: boolean][] = [
    ['a'.repeat(MAX_TEXT_BYTES), MAX_TEXT_BYTES, false],
    ['a'.repeat(MAX_TEXT_BYTES + 1), MAX_TEXT_BYTES, true],
    ['é'.repeat(MAX_TEXT_BYTES), MAX_TEXT_BYTES, true],
    ['日'.repeat(MAX_TEXT_BYTES), MAX_TEXT_BYTES - 1, true],
    [`abc${'😀'.repeat(MAX_TEXT_BYTES / 4)}`, MAX_TEXT_BYTES - 1, true],
  ];
  for (const [body, bytes, isCut] of cases) {
    const outcome = normalise({ ...COMMENT, body }, OPTIONS);
    assert.ok(outcome.kind === 'record' && outcome.record.kind === 'comment');
    assert.equal(Buffer.byteLength(outcome.record.body), bytes);
    assert.equal(outcome.isCut, isCut);
    assert.ok(body.startsWith(outcome.record.body));
  }
});

test('a domain of more than 255 characters is none, and counted; one of 255 stays', () => {
  const long = `${'a'.repeat(252)}.com`;
  const cases: [row: object, domain: string, isCut: boolean][] = [
    [{ ...LINK, domain: long.slice(1) }, long.slice(1), false],
    [{ ...LINK, domain: long }, '', true],
    [{ ...LINK, domain: '日'.repeat(40_000) }, '', true],
    [{ ...without(LINK, 'domain'), url: `https://www.${long}/a` }, '', true],
    // A link whose address is lost, though it begins like the domain of a text post.
    [{ ...without(LINK, 'url'), is_self: false, domain: `self.${long}` }, '', true],
  ];
  for (const [row, domain, isCut] of cases) {
    const outcome = normalise(row as Row, OPTIONS);
    assert.ok(outcome.kind === 'record' && outcome.record.kind === 'post');
    assert.equal(outcome.record.domain, domain);
    assert.equal(outcome.isCut, isCut);
  }
});

test('over_18 is kept as the source has it, null where it does not say', () => {
  assert.equal(post({ ...LINK, over_18: true }).adult, true);
  assert.equal(post({ ...LINK, over_18: 'False' }).adult, false);
  assert.equal(post(without(LINK, 'over_18')).adult, null);
  assert.equal(post(API_POST).adult, null);
});

test('a rating that a dataset or API record brings along stays with its body; an empty one as null', () => {
  const rated = (sentiment: unknown) => comment({ ...API_COMMENT, sentiment });
  const bodyHash = hash53('Twelve is plenty.');
  assert.deepEqual(rated(0.3182).ratings, [{ bodyHash, rating: 0.3182 }]);
  assert.equal(rated('-0.4767').sentiment, -0.4767);
  assert.ok(Object.is(rated('-0.0').sentiment, 0));
  for (const empty of ['', null, 'nan']) assert.deepEqual(rated(empty).ratings, [{ bodyHash, rating: null }]);
  assert.deepEqual(comment(without(API_COMMENT, 'sentiment')).ratings, []);
  assert.deepEqual(comment({ ...COMMENT, sentiment: 0.5 }).ratings, []);
  assert.deepEqual(comment({ ...API_COMMENT, body: '[removed]' }).ratings, []);
});

test('what a dataset or API record says of its community', () => {
  const claimOf = (row: Row) => {
    const outcome = normalise(row, OPTIONS);
    return outcome.kind === 'record' ? outcome.claim : outcome;
  };
  assert.deepEqual(claimOf(API_POST), { name: 'solarpower', nsfw: true, time: 1_600_000_000, id: '2qh' });
  assert.equal(claimOf({ ...API_POST, subreddit: { id: '2qh', name: 'solarpower' } }), null);
  assert.equal(claimOf({ ...API_POST, subreddit: { name: 'x', nsfw: '' } }), null);
  assert.equal(claimOf(LINK), null);
});

test('the kind is that of the content, or the one that is forced', () => {
  assert.equal(normalise({ ...COMMENT, link_title: 'First light' }, OPTIONS).kind, 'record');
  const forced = (row: Row, kind: 'post' | 'comment') => normalise(row, { ...OPTIONS, kind });
  assert.deepEqual(forced(COMMENT, 'post'), { kind: 'rejected', reason: 'no_text' });
  const both = forced({ ...LINK, body: 'text' }, 'comment');
  assert.ok(both.kind === 'record' && both.record.kind === 'comment');
  assert.equal(post({ ...LINK, body: 'text' }).kind, 'post');
});

test('keys that mean something to JavaScript mean nothing here', () => {
  const hostile = JSON.parse('{"__proto__":{"id":"x","title":"t"},"constructor":1,"body":"b","id":"c1"}');
  assert.deepEqual(normalise(hostile, OPTIONS), { kind: 'rejected', reason: 'no_community' });
  assert.equal(({} as Record<string, unknown>).title, undefined);
});

/** Of the comment c0ffee of the post abc12. */
const PARENTS: [rule: string, cell: unknown, parent: string][] = [
  ['the post: the top level', 't3_abc12', 'abc12'],
  ['another comment', 't1_c0fefe', 'c0fefe'],
  ['without prefix, as records of ours have it', 'c0fefe', 'c0fefe'],
  ['the post without prefix', 'abc12', 'abc12'],
  ['a number: a comment, in decimal', 41_785_179_015, 'j71teh3'],
  ['digits as text are an id as it is', 't1_12345', '12345'],
  ['another prefix: part of the id', 't5_2qh', 't5_2qh'],
];

const NO_PARENTS = {
  ...{ 'another post': 't3_zzz', itself: 't1_c0ffee', 'itself, without prefix': 'c0ffee' },
  ...{ 'a comment with the id of the post': 't1_abc12', missing: undefined, null: null, empty: '' },
  ...{ 'a prefix alone': 't1_', 'an id of 65': 'a'.repeat(65), 'a blank in it': 't1_c0 fefe' },
  ...{ 'a line break behind it': 't1_c0fefe\n', 'a negative number': -5, 'a fraction': 1.5 },
  ...{ 'a number that is not exact': 2 ** 53, 'a float as text, as pandas writes': '41785179015.0' },
  ...{ true: true, 'an object': { id: 'c0fefe' } },
};

for (const [rule, cell] of Object.entries(NO_PARENTS))
  test(`no parent: ${rule}`, () => assert.equal(comment({ ...COMMENT, parent_id: cell }).parent, ''));
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
  ['the permalink first', { permalink: '/r/a/comments/abc12/x/c0ffee/', parent_id: 't3_z' }, 'abc12', ''],
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
