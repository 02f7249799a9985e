import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../test/generators/records.ts';
import { comment, post } from '../../test/helpers.ts';
import { type CopyRules, compareCopies, mergeCopies, recordHash, withRatings } from './copies.ts';
import { hash53 } from './hash.ts';
import { KINDS, type Kind, type StoredComment, type StoredRecord } from './record.ts';

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
});

describe('hash of a record', () => {
  const records: readonly StoredRecord[] = [post({ id: '1' }), comment({ id: '1' })];
  for (const record of records) {
    for (const [field, value] of Object.entries(record)) {
      if (field === 'kind') continue;
      const counts = !['sentiment', 'ratings', 'lent'].includes(field);
      it(`${record.kind}s: \`${field}\` ${counts ? 'counts' : 'does not count'}`, () => {
        const other = { ...record, [field]: anotherThan(value) };
        assert.equal(recordHash(other) !== recordHash(record), counts);
      });
    }
  }

  function anotherThan(value: unknown): unknown {
    if (typeof value === 'boolean') return !value;
    if (Array.isArray(value)) return [{ fact: 'sentiment' }];
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

describe('facts that only another copy knew', () => {
  const LOW = '/r/energy/comments/_/_/1/';
  const MADE = '/r/energy/comments/p/_/1/';
  const CAPITALS = '/r/Energy/comments/p/_/1/';
  const REAL = '/r/Energy/comments/p/a_title/1/';
  const P_MADE = { post: 'p', permalink: MADE };
  type Facts = Partial<StoredComment>;
  const LINK = 'https://old.example.org/r/a/comments/p/x/1/';
  const rows: readonly [rule: string, higher: Facts, lower: Facts, kept: Facts][] = [
    ['a parent', { post: 'p' }, { post: 'p', parent: 'p' }, { parent: 'p' }],
    ['not in place of its own', { parent: 'c1' }, { parent: 'c2' }, {}],
    ['a post, and the permalink made with it', { permalink: LOW }, P_MADE, P_MADE],
    ['a real permalink in place of a made one', P_MADE, { post: 'p', permalink: REAL }, { permalink: REAL }],
    ['no made permalink in place of a real one', { permalink: REAL }, { permalink: MADE }, {}],
    ['no real permalink in place of another', { permalink: LINK }, { permalink: REAL }, {}],
    ['no made permalink in place of one spelt otherwise', P_MADE, { post: 'p', permalink: CAPITALS }, {}],
    ['from withdrawn text', { withdrawn: true, body: '[deleted]' }, { parent: 'c1' }, { parent: 'c1' }],
  ];
  for (const [rule, higher, lower, kept] of rows) {
    it(rule, () => {
      const a = comment({ id: '1', retrieved: 2, ...higher });
      const b = comment({ id: '1', retrieved: 1, ...lower });
      for (const merged of [mergeCopies(a, b, RULES), mergeCopies(b, a, RULES)]) {
        const { lent: _, ...fields } = merged;
        const { lent: __, ...expected } = { ...a, ...kept };
        assert.deepEqual(fields, expected);
      }
    });
  }

  it('of a post: a real permalink in place of a made one', () => {
    const given = '/r/energy/comments/1/a_title/';
    const [made, real] = [post({ id: '1', retrieved: 2 }), post({ id: '1', permalink: given })];
    const merged = mergeCopies(made, real, RULES);
    const lent = merged.lent.map(({ fact }) => fact);
    assert.deepEqual([merged.permalink, merged.retrieved, lent], [given, 2, ['permalink']]);
  });

  it('come from the highest copy that knows them, also if that comes last', () => {
    const copies = [
      comment({ id: '1', retrieved: 3 }),
      comment({ id: '1', retrieved: 1, parent: 'low' }),
      comment({ id: '1', retrieved: 2, parent: 'high' }),
    ] as const;
    const merged = copies.reduce<StoredRecord>((a, b) => mergeCopies(a, b, RULES), copies[0]);
    assert.partialDeepStrictEqual(merged, { retrieved: 3, parent: 'high' });
  });

  it('are its own where the copy that ranks highest comes again and knows them', () => {
    const lent = mergeCopies(comment({ id: '1', retrieved: 2 }), comment({ id: '1', parent: 'x' }), RULES);
    const again = comment({ id: '1', retrieved: 2, parent: 'y', score: 2 });
    assert.deepEqual(mergeCopies(lent, again, RULES), again);
    assert.deepEqual(mergeCopies(again, lent, RULES), again);
  });

  it('do not change the rank of the copy that took them over', () => {
    const copy = comment({ id: '1', retrieved: 2, permalink: MADE });
    const lender = comment({ id: '1', permalink: REAL, parent: 'x', post: 'p' });
    const merged = mergeCopies(copy, lender, RULES);
    assert.equal(compareCopies(merged, copy, RULES), 0);
    assert.equal(recordHash(merged), recordHash(copy));
    assert.equal(mergeCopies(merged, copy, RULES), merged);
    assert.equal(mergeCopies(merged, lender, RULES), merged);
  });
});

/** Few values, so that copies tie in every part of their rank and contradict each other in every fact. */
function copyOf(kind: Kind): fc.Arbitrary<StoredRecord> {
  const ids = fc.constantFrom('', 'p', 'q');
  const names = fc.constantFrom('a', 'A', 'b');
  const shared = {
    withdrawn: fc.constantFrom(false, false, true),
    retrieved: fc.constantFrom(0, 0, 1, 1.5),
    score: fc.constantFrom(1, 1, 2),
    text: fc.constantFrom('one', 'one', 'two'),
    name: names,
  };
  const permalinks = fc.tuple(
    names,
    fc.constantFrom('_', 'p', 'q', '1'),
    fc.constantFrom('_/1/', 'x/1/', ''),
  );
  return fc
    .record({ ...shared, post: ids, parent: ids, permalink: fc.option(permalinks), rated: fc.boolean() })
    .map(({ text, name, post: thread, permalink, rated, ...fields }) => {
      const given = permalink && `/r/${permalink[0]}/comments/${permalink[1]}/${permalink[2]}`;
      const texts = fields.withdrawn ? '[deleted]' : text;
      const { withdrawn, retrieved, score, parent } = fields;
      const common = { id: '1', community: 'a', withdrawn, retrieved, score };
      if (kind === 'post') {
        return post({ ...common, selftext: texts, permalink: given ?? `/r/${name}/comments/1/` });
      }
      const made = `/r/${name}/comments/${thread || '_'}/_/1/`;
      const copy = comment({ ...common, body: texts, post: thread, parent, permalink: given ?? made });
      return rated && !withdrawn ? withRatings(copy, [{ bodyHash: hash53(texts), rating: score / 2 }]) : copy;
    });
}

describe('mergeCopies', () => {
  const rules = fc.record({ keepOriginals: fc.boolean() });
  for (const kind of KINDS) {
    const record = fc.oneof(
      copyOf(kind),
      recordArbitrary(kind, true).map((other) => ({ ...other, id: '1', created: 5, community: 'a' })),
    );
    it(`${kind}s: is commutative, associative and idempotent: any order and grouping of up to five copies makes the same record`, () => {
      const cases = fc
        .tuple(fc.array(record, { minLength: 2, maxLength: 5 }), fc.infiniteStream(fc.nat()), rules)
        .map(([copies, dice, rule]) => ({ copies, dice: [...dice.take(20)], rule }));
      fc.assert(
        fc.property(cases, ({ copies, dice, rule }) => {
          const whole = copies.reduce((a, b) => mergeCopies(a, b, rule));
          const merged = grouped(copies, dice, rule);
          assert.deepEqual(merged, whole);
          for (const copy of [merged, ...copies]) assert.equal(mergeCopies(merged, copy, rule), merged);
        }),
        { numRuns: 1_500 },
      );
    });
  }

  /** Takes any two out and puts what they make back, until one is left. */
  function grouped(copies: readonly StoredRecord[], dice: readonly number[], rule: CopyRules): StoredRecord {
    const left = [...copies];
    for (let i = 0; left.length > 1; i += 2) {
      const [a] = left.splice(dice[i]! % left.length, 1);
      const [b] = left.splice(dice[i + 1]! % left.length, 1);
      left.push(mergeCopies(a!, b!, rule));
    }
    return left[0]!;
  }
});

describe('hash53', () => {
  it('is a whole number below 2^53', () => {
    const isWhole = (hash: number) => Number.isSafeInteger(hash) && hash >= 0;
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => isWhole(hash53(text))));
  });

  it('gives 200,000 short texts 200,000 hashes', () => {
    const hashes = new Set(Array.from({ length: 200_000 }, (_, i) => hash53(`body ${i}`)));
    assert.equal(hashes.size, 200_000);
  });
});
