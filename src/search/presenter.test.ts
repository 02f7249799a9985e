import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, linkPost, post, START_OF_2008 } from '../../test/helpers.ts';
import { KINDS } from '../model/record.ts';
import { chooseFields, DEFAULT_FIELDS, FIELD_NAMES, presentRecords, readFields } from './presenter.ts';

const SURROUNDINGS = { evidence: new Map(), knowledge: new Map(), permalinkBase: 'https://site.example' };

const PLAIN = { post: post({ id: 'p' }), comment: comment({ id: 'c' }) };

function chosen(
  stored: (typeof PLAIN)['post' | 'comment'],
  names: readonly string[],
  arrived: number | null = null,
) {
  return chooseFields(presentRecords([stored], SURROUNDINGS)[0]!, stored, names, arrived);
}

describe('fields of a record', () => {
  for (const kind of KINDS) {
    it(`${kind}: the names begin with the fields of the interface, in their order`, () => {
      const [whole] = presentRecords([PLAIN[kind]], SURROUNDINGS);
      const names = Object.keys(whole!);
      assert.deepEqual(FIELD_NAMES[kind].slice(0, names.length), names);
      assert.deepEqual(DEFAULT_FIELDS[kind], names);
    });

    it(`${kind}: every field that can be chosen has a value`, () => {
      const values = chosen(PLAIN[kind], FIELD_NAMES[kind]);
      assert.deepEqual(Object.keys(values), [...FIELD_NAMES[kind]]);
      for (const [name, value] of Object.entries(values)) assert.notEqual(value, undefined, name);
    });
  }

  it('stand in the order asked for, each once, where it is first', () => {
    const names = readFields('score,id,created,id,score', 'post');
    assert.deepEqual(names, ['score', 'id', 'created']);
    assert.deepEqual(Object.entries(chosen(PLAIN.post, names!)), [
      ['score', 1],
      ['id', 'p'],
      ['created', '2008-01-01T00:00:00Z'],
    ]);
  });

  it('created is ISO 8601 with Z from the first second to the last', () => {
    const createdAt = (created: number) => chosen(post({ id: 'p', created }), ['created']).created;
    assert.deepEqual([0, START_OF_2008 + 1, 4_294_967_295].map(createdAt), [
      '1970-01-01T00:00:00Z',
      '2008-01-01T00:00:01Z',
      '2106-02-07T06:28:15Z',
    ]);
  });

  it('post_id, parent_id and retrieved_utc are null where the source had none', () => {
    const names = ['post_id', 'parent_id', 'retrieved_utc'];
    const none = { post_id: null, parent_id: null, retrieved_utc: null };
    assert.deepEqual(chosen(PLAIN.comment, names), none);
    const known = comment({ id: 'c', post: 'abc', parent: 'c0', retrieved: 1_600_000_000 });
    const all = { post_id: 'abc', parent_id: 'c0', retrieved_utc: 1_600_000_000 };
    assert.deepEqual(chosen(known, names), all);
  });

  it('arrived_utc is what the engine says, null where it does not know', () => {
    for (const arrived of [null, 1_700_000_000]) {
      assert.deepEqual(chosen(PLAIN.post, ['arrived_utc'], arrived), { arrived_utc: arrived });
    }
  });

  it('nothing, or an empty text, chooses nothing', () => {
    assert.equal(readFields(null, 'post'), null);
    assert.equal(readFields('', 'post'), null);
  });

  const bad: readonly [rule: string, given: string, kind: 'post' | 'comment', found: string][] = [
    ['all that are unknown are named', 'id,author,score,ups', 'comment', '`author`, `ups`'],
    ['one that is named twice is told once', 'x,x', 'post', '`x`'],
    ['a field of the other kind', 'body,title', 'post', '`body`'],
    ['a post has no post_id', 'post_id', 'post', '`post_id`'],
    ['a post has no parent_id', 'parent_id', 'post', '`parent_id`'],
    ['what is not stored', 'flair,arrival', 'comment', '`flair`, `arrival`'],
    ['a name inside the community', 'subreddit.name', 'post', '`subreddit.name`'],
    ['another case', 'ID', 'post', '`ID`'],
    ['a blank beside a comma', 'id, score', 'post', '` score`'],
    ['an empty name', 'id,', 'post', '``'],
    ['a name that every object has', 'constructor,__proto__', 'post', '`constructor`, `__proto__`'],
  ];
  for (const [rule, given, kind, found] of bad) {
    it(`${rule}: bad_fields`, () => {
      assert.throws(
        () => readFields(given, kind),
        (error: { code: string; message: string }) => {
          assert.equal(error.code, 'bad_fields');
          assert.ok(error.message.endsWith(`, found ${found}`), error.message);
          return true;
        },
      );
    });
  }
});

describe('presented records', () => {
  it('links without a host get the base, others stay as they are', () => {
    const records = [
      linkPost({ id: '1', domain: '', permalink: '/r/energy/1/', url: '/r/energy/2/' }),
      linkPost({ id: '2', domain: '', permalink: 'https://else.example/1', url: 'https://else.example/2' }),
    ];
    const links = presentRecords(records, SURROUNDINGS).map((record) =>
      record.type === 'post' ? [record.permalink, record.url] : [],
    );
    assert.deepEqual(links, [
      ['https://site.example/r/energy/1/', 'https://site.example/r/energy/2/'],
      ['https://else.example/1', 'https://else.example/2'],
    ]);
  });

  it('the id of a community: of the record, else of the evidence, else of what is known', () => {
    const said = { operator: null, record: null, dump: null, id: 'known' };
    const records = ['own', ''].map((communityId) => comment({ id: '1', community: 'cats', communityId }));
    const idsWith = (evidenceId: string | null) =>
      presentRecords(records, {
        ...SURROUNDINGS,
        evidence: new Map(
          evidenceId === null ? [] : [['cats', { id: evidenceId, judgedPosts: 0, adultPosts: 0 }]],
        ),
        knowledge: new Map([['cats', said]]),
      }).map(({ subreddit }) => subreddit.id);
    assert.deepEqual(idsWith('least'), ['own', 'least']);
    assert.deepEqual(idsWith(''), ['own', 'known']);
    assert.deepEqual(idsWith(null), ['own', 'known']);
  });
});
