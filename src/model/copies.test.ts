import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../test/generators/records.ts';
import { comment, post } from '../../test/helpers.ts';
import { compareCopies, mergeCopies, recordHash } from './copies.ts';
import { withRatings } from './given-ratings.ts';
import { hash53 } from './hash.ts';
import { KINDS, type StoredComment, type StoredRecord } from './record.ts';

const RULES = { keepOriginals: false };

describe('ranking of copies', () => {
  const base = comment({ id: '1', body: 'text' });
  const rows: readonly [string, Partial<StoredComment>, Partial<StoredComment>][] = [
    ['withdrawn text over text', { withdrawn: true, body: '[deleted]' }, { retrieved: 9, score: 99 }],
    ['later retrieval over higher score', { retrieved: 9, score: 0 }, { retrieved: 8, score: 99 }],
    ['no time of retrieval counts as 0', { retrieved: 1, score: 0 }, { retrieved: 0, score: 99 }],
    ['higher score at one time of retrieval', { score: 2 }, { score: 1 }],
  ];
  for (const [rule, higher, lower] of rows) {
    it(rule, () => {
      const a = { ...base, ...higher };
      const b = { ...base, ...lower };
      assert.ok(compareCopies(a, b, RULES) > 0);
      assert.ok(compareCopies(b, a, RULES) < 0);
    });
  }

  it('copies that differ only in text are ranked by hash, the same way on every machine', () => {
    const [a, b] = [comment({ id: '1', body: 'a' }), comment({ id: '1', body: 'b' })];
    assert.equal(Math.sign(compareCopies(a, b, RULES)), -Math.sign(compareCopies(b, a, RULES)));
    assert.notEqual(compareCopies(a, b, RULES), 0);
  });

  it('a copy that changes nothing gives the record itself', () => {
    const record = comment({ id: '1', score: 2 });
    assert.equal(mergeCopies(record, { ...record }, RULES), record);
    assert.equal(mergeCopies(record, comment({ id: '1', score: 1 }), RULES), record);
  });
});

describe('hash of a record', () => {
  const records: readonly StoredRecord[] = [post({ id: '1' }), comment({ id: '1' })];
  for (const record of records) {
    for (const [field, value] of Object.entries(record)) {
      if (field === 'kind') continue;
      const counts = !['sentiment', 'ratings'].includes(field);
      it(`${record.kind}s: \`${field}\` ${counts ? 'counts' : 'does not count'}`, () => {
        const other = { ...record, [field]: anotherThan(value) };
        assert.equal(recordHash(other) !== recordHash(record), counts);
      });
    }
  }

  function anotherThan(value: unknown): unknown {
    if (typeof value === 'boolean') return !value;
    return typeof value === 'string' ? `${value}x` : typeof value === 'number' ? value + 1 : 'x';
  }
});

describe('ratings that an import brings along', () => {
  const rated = (body: string, rating: number | null, fields: Partial<StoredComment> = {}) =>
    withRatings(comment({ id: '1', body, sentiment: 0.1, ...fields }), [{ bodyHash: hash53(body), rating }]);
  const sentiment = (a: StoredComment, b: StoredComment) =>
    (mergeCopies(a, b, RULES) as StoredComment).sentiment;

  it('stays while the body is the same, whichever copy wins', () => {
    const newer = comment({ id: '1', body: 'text', sentiment: 0.1, retrieved: 9 });
    assert.equal(sentiment(rated('text', 0.7), newer), 0.7);
    assert.equal(sentiment(newer, rated('text', 0.7)), 0.7);
    assert.equal(sentiment(rated('text', null), newer), null);
  });

  it('does not hold for another body', () => {
    const edited = comment({ id: '1', body: 'edited', sentiment: 0.1, retrieved: 9 });
    assert.equal(sentiment(rated('text', 0.7), edited), 0.1);
  });

  it('holds again when the body comes back', () => {
    const edited = comment({ id: '1', body: 'edited', sentiment: 0.1, retrieved: 8 });
    const back = comment({ id: '1', body: 'text', sentiment: 0.1, retrieved: 9 });
    const merged = mergeCopies(rated('text', 0.7), edited, RULES) as StoredComment;
    assert.equal(sentiment(merged, back), 0.7);
  });

  it('goes with the text when that is withdrawn', () => {
    const withdrawn = comment({ id: '1', body: '[deleted]', withdrawn: true });
    assert.deepEqual(mergeCopies(rated('text', 0.7), withdrawn, RULES), withdrawn);
  });
});

describe('mergeCopies', () => {
  const rules = fc.record({ keepOriginals: fc.boolean() });
  for (const kind of KINDS) {
    const copies = fc
      .array(recordArbitrary(kind, true), { minLength: 3, maxLength: 3 })
      .map((records) => records.map((record) => ({ ...record, id: '1', created: 5, community: 'a' })));
    it(`${kind}s: is commutative, associative and idempotent`, () => {
      fc.assert(
        fc.property(copies, rules, ([a, b, c], rule) => {
          const ab = mergeCopies(a!, b!, rule);
          assert.deepEqual(ab, mergeCopies(b!, a!, rule));
          assert.deepEqual(mergeCopies(ab, c!, rule), mergeCopies(a!, mergeCopies(b!, c!, rule), rule));
          assert.equal(mergeCopies(ab, a!, rule), ab);
          assert.equal(mergeCopies(ab, ab, rule), ab);
        }),
      );
    });
  }
});

describe('hash53', () => {
  it('is a whole number below 2^53, fixed for ever', () => {
    assert.equal(hash53(''), hash53(''));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const hash = hash53(text);
        assert.ok(Number.isSafeInteger(hash) && hash >= 0);
      }),
    );
  });

  it('gives 200,000 short texts 200,000 hashes', () => {
    const hashes = new Set(Array.from({ length: 200_000 }, (_, i) => hash53(`body ${i}`)));
    assert.equal(hashes.size, 200_000);
  });
});
