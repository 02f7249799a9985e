import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  citationId,
  citationJson,
  fingerprintOf,
  NoCitation,
  readClaim,
} from '../../src/features/citing/claim.ts';
import { differenceOf } from '../../src/features/citing/service.ts';
import type { Citation, CitedAnswer } from '../../src/features/citing/store.ts';
import { bibtex, citationWords, cslItem } from '../../src/features/citing/words.ts';

const ANSWER: CitedAnswer = {
  query: 'solar,/r/energy,after:2020-01-01',
  kinds: {
    comments: {
      total: 12_408,
      months: [
        { month: '2020-01', count: 12_000, fingerprint: '1d7eb5588e3293a0' },
        { month: '2020-02', count: 408, fingerprint: '2000000000000007' },
      ],
    },
  },
};

const CITATION: Citation = {
  id: citationId(ANSWER),
  answer: ANSWER,
  origin: {
    time: Date.UTC(2026, 10, 21) / 1000,
    note: null,
    index: { comments: { fingerprint: '9a0364b9e99bb480', records: 1_234_567 } },
    software: { colloquy: '1.2', tokenizer: 1, unicode: '17.0' },
    sources: [
      { name: 'RC_2020-01.zst', sha256: 'e3d4'.repeat(16), where: null },
      { name: 'RC_2020-02.zst', sha256: null, where: null },
    ],
  },
};

const ADDRESS = `https://search.example.org/cite/${CITATION.id}`;

describe('ids of citations', () => {
  it('are made of the claim alone, and are the same for ever', () => {
    assert.equal(citationId(ANSWER), 'clq-c-FjpRbLWR74Yu9yC1');
    assert.equal(fingerprintOf(ANSWER.kinds.comments!), '3d7eb5588e3293a7');
  });

  it('are others for another query, kind, count, fingerprint or month', () => {
    const { comments } = ANSWER.kinds;
    const [first, second] = comments!.months as [CitedMonthOf, CitedMonthOf];
    const withMonths = (...months: CitedMonthOf[]) => ({
      ...ANSWER,
      kinds: { comments: { ...comments!, months } },
    });
    const others: CitedAnswer[] = [
      { ...ANSWER, query: 'solar,/r/energy' },
      { ...ANSWER, kinds: { posts: comments! } },
      { ...ANSWER, kinds: { ...ANSWER.kinds, posts: { total: 0, months: [] } } },
      withMonths({ ...first, count: 11_999 }, { ...second, count: 409 }),
      withMonths({ ...first, fingerprint: '1d7eb5588e3293a1' }, second),
      withMonths({ ...first, month: '2019-12' }, second),
    ];
    const ids = [ANSWER, ...others].map(citationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^clq-c-[0-9A-Za-z]{16}$/);
  });
});

type CitedMonthOf = NonNullable<CitedAnswer['kinds']['comments']>['months'][number];

describe('a citation as JSON', () => {
  const json = citationJson(CITATION);

  it('is read as it was written, in whatever order its fields stand', () => {
    const turned = Object.fromEntries(Object.entries(json).reverse());
    assert.deepEqual(readClaim(JSON.stringify(turned, null, 3)), { id: CITATION.id, answer: ANSWER });
  });

  const month = json.kinds.comments!.months[0]!;
  const withMonth = (change: object) => ({
    ...json,
    kinds: { comments: { ...json.kinds.comments, months: [{ ...month, ...change }] } },
  });
  const cases: readonly (readonly [unknown, RegExp])[] = [
    ['{', /^expected JSON: /],
    [[], /^expected a JSON object with `"type": "citation"`/],
    [{ ...json, type: 'coverage' }, /`"type": "citation"`/],
    [
      { ...json, id: 'clq-c-short' },
      /^`id`: expected `clq-c-` and 16 letters and digits, found `clq-c-short`$/,
    ],
    [{ ...json, query: 7 }, /^`query`: expected a query, found `7`$/],
    [{ ...json, kinds: {} }, /^`kinds`: expected `posts`, `comments` or both/],
    [
      withMonth({ start: 1_577_836_801 }),
      /months\[0\]\.start`: expected the first second of a month, found `1577836801`$/,
    ],
    [withMonth({ count: 0 }), /months\[0\]\.count`: expected a whole number from 1, found `0`$/],
    [withMonth({ fingerprint: 'x' }), /months\[0\]\.fingerprint`: expected 16 hex digits, found `x`$/],
    [withMonth({}), /^`comments\.total_count`: expected 12000, the sum of its months, found `12408`$/],
    [{ ...json, query: 'solar' }, /the file was changed$/],
  ];
  for (const [given, expected] of cases) {
    it(`is refused: ${expected.source}`, () => {
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      assert.throws(
        () => readClaim(text),
        (error: Error) => error instanceof NoCitation && expected.test(error.message),
      );
    });
  }

  it('is refused where its query is not in canonical form', () => {
    const answer = { ...ANSWER, query: 'solar /r/Energy' };
    const text = JSON.stringify({ ...citationJson({ ...CITATION, id: citationId(answer), answer }) });
    assert.throws(() => readClaim(text), /`query`: expected `solar,\/r\/energy`, its canonical form/);
  });
});

describe('a citation in words', () => {
  it('says what, how many, from what, when and where', () => {
    assert.equal(
      citationWords(CITATION, ADDRESS),
      'Colloquy 1.2, query `solar,/r/energy,after:2020-01-01`, 12,408 comments (fingerprint 3d7eb5588e3293a7), ' +
        `from RC_2020-01.zst (sha256 e3d4…) and 1 more, 2026-11-21, ${ADDRESS}`,
    );
  });

  it('has nothing in BibTeX that TeX would read as a command, and braces in pairs', () => {
    const answer = { ...ANSWER, query: '"50% & {a_b} $1 #2 ~x ^y \\\\end{document}" }' };
    const text = bibtex({ ...CITATION, answer, origin: { ...CITATION.origin, note: 'a{b' } }, ADDRESS);
    assert.match(text, /^@misc\{clq-c-\w{16},\n/);
    assert.ok(
      text.includes('50\\% \\& \\textbraceleft{}a\\_b\\textbraceright{} \\$1 \\#2 \\textasciitilde{}x'),
    );
    assert.ok(!text.includes('\\end{document}'));
    let depth = 0;
    for (const sign of text) {
      if (sign === '{') depth++;
      if (sign === '}') depth--;
      assert.ok(depth >= 0);
    }
    assert.equal(depth, 0);
    assert.match(text, /\n {2}url = \{https:\/\/search\.example\.org\/cite\/clq-c-\w{16}\},\n/);
  });

  it('is an item of CSL-JSON', () => {
    assert.deepEqual(cslItem(CITATION, ADDRESS), {
      id: CITATION.id,
      type: 'dataset',
      title: '12,408 comments: solar,/r/energy,after:2020-01-01',
      publisher: 'Colloquy',
      version: '1.2',
      issued: { 'date-parts': [[2026, 11, 21]] },
      accessed: { 'date-parts': [[2026, 11, 21]] },
      URL: ADDRESS,
      note: 'Colloquy 1.2; comments fingerprint 3d7eb5588e3293a7; from RC_2020-01.zst (sha256 e3d4…) and 1 more',
    });
  });
});

describe('a difference', () => {
  const part = (month: string, count: number, fingerprint: number) => ({
    ...{ month, count },
    fingerprint: fingerprint.toString(16).padStart(16, '0'),
  });
  const kind = (...months: ReturnType<typeof part>[]) => ({
    total: months.reduce((sum, { count }) => sum + count, 0),
    months,
  });
  const none = new Map<string, number>();

  it('has no month that is the same', () => {
    const cited = kind(part('2020-01', 2, 5));
    const since = { in: kind(), removed: new Map([['2020-01', 9]]), broughtBack: none };
    assert.deepEqual(differenceOf(cited, cited, since), []);
  });

  it('tells what came in alone from what is gone too, and how much of that removals are at the most', () => {
    const cited = kind(part('2020-01', 2, 5), part('2020-02', 4, 7), part('2020-03', 3, 3));
    const now = kind(part('2020-01', 3, 15), part('2020-02', 2, 99), part('2020-03', 3, 4));
    const since = {
      ...{ in: kind(part('2020-01', 1, 10), part('2020-02', 1, 1)), broughtBack: none },
      removed: new Map([['2020-02', 2]]),
    };
    const told = { removed: 0, broughtBack: 0, isInAlone: false };
    assert.deepEqual(differenceOf(cited, now, since), [
      { month: '2020-01', cited: 2, now: 3, since: { ...told, in: 1, out: 0, isInAlone: true } },
      { month: '2020-02', cited: 4, now: 2, since: { ...told, in: 1, out: 3, removed: 2 } },
      { month: '2020-03', cited: 3, now: 3, since: { ...told, in: 0, out: 0 } },
    ]);
    assert.deepEqual(differenceOf(cited, now, null)[2], {
      ...{ month: '2020-03', cited: 3, now: 3, since: null },
    });
  });
});
