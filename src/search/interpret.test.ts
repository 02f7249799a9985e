import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../errors.ts';
import { interpretQuery, interpretWithoutWindow } from './interpret.ts';

const day = { impliedWindow: '1d' } as const;

/** Echoes and codes are in test/queries.txt; here stands what messages say. */
const MESSAGES: readonly (readonly [text: string, message: string])[] = [
  ['& !!!', 'expected at least one word or operator, found only signs'],
  ['"a b', 'expected a closing quote, found none in `"a b`'],
  ['a*', 'expected one word of at least 2 characters before `*`, found one of fewer in `a*`'],
  ['a-b*', 'expected one word of at least 2 characters before `*`, found 2 words in `a-b*`'],
  ['---a', 'expected one `-` before an item, found 3 in `---a`'],
  ['a|-b', 'expected `-` before the whole item alone, as in `-a|b`, found `a|-b`'],
  ['-score:10', '`score:` cannot be negated: expected the positive form `score:<10`, found `-score:10`'],
  ['-score:<=10', '`score:` cannot be negated: expected the positive form `score:>10`, found `-score:<=10`'],
  [
    '-score:1..2',
    '`score:` cannot be negated: expected the positive form such as `score:<5`, found `-score:1..2`',
  ],
  [
    '-before:2024-01-01',
    '`before:` cannot be negated: expected the positive form `after:2024-01-01`, found `-before:2024-01-01`',
  ],
  [
    '-after:2024-13-01',
    '`after:` cannot be negated: expected the positive form `before:YYYY-MM-DD`, found `-after:2024-13-01`',
  ],
  ['title:a', 'expected no `title:` (reserved for later; in quotes it is text), found `title:a`'],
  ['/u/', 'expected `/u/name` or `/u/a+b`, found `/u/`'],
  [
    '/r/a|b',
    'expected words, phrases or prefixes around `|`; several communities are `/r/a+b`, found `/r/a|b`',
  ],
  ['site:!', 'expected a domain as in `site:example.com`, found `site:!`'],
  ['post:a.b', 'expected `post:` and an id (1 to 64 letters, digits, `_`, `-`), found `post:a.b`'],
  [
    'before:2021-13-40',
    'expected `before:YYYY-MM-DD`, a day from 1970-01-01 to 9999-12-31, found `before:2021-13-40`',
  ],
  [
    `site:${'/'.repeat(70)}`,
    `expected a domain as in \`site:example.com\`, found \`site:${'/'.repeat(55)}…\``,
  ],
  ['site:\u0000', 'expected a domain as in `site:example.com`, found `site:\ufffd`'],
  ['a,'.repeat(65), 'expected at most 64 items (each community counts), found 65'],
  [`"${'a '.repeat(65)}"`, 'expected at most 64 words in a phrase, found 65'],
  [' '.repeat(2049), 'expected at most 2048 characters (4096 in canonical form), found 2049'],
];

describe('interpretQuery', () => {
  for (const [text, message] of MESSAGES) {
    it(`says: ${message}`, () => {
      assert.throws(
        () => interpretQuery(text, day),
        (error) => {
          assert.ok(error instanceof ServiceError);
          assert.equal(error.message, message);
          assert.equal(error.status, 400);
          return true;
        },
      );
    });
  }

  it('the added `after:` is the last item, and told apart', () => {
    assert.deepEqual(interpretQuery('before:2024-01-01', day), {
      query: {
        items: [
          { kind: 'before', day: '2024-01-01', time: 1_704_067_200 },
          { kind: 'after', day: '2023-12-31', time: 1_703_980_800 },
        ],
      },
      echo: 'before:2024-01-01,after:2023-12-31',
      implied: 'after:2023-12-31',
    });
  });

  it('with the window off nothing is added', () => {
    const { echo, implied } = interpretQuery('before:2024-01-01', { impliedWindow: 'off' });
    assert.deepEqual([echo, implied], ['before:2024-01-01', null]);
  });

  it('an empty query has no items', () => {
    assert.deepEqual(interpretQuery('', day), { query: { items: [] }, echo: '', implied: null });
  });
});

describe('interpretWithoutWindow', () => {
  it('refuses `before:` without `after:` and says what to write', () => {
    assert.throws(() => interpretWithoutWindow('a before:2024-01-01'), {
      code: 'before_without_after',
      message:
        'expected an `after:` beside `before:`, found none, and none is added here; write `after:1970-01-01` for all time before, or `after:2023-12-31` for what a search answers',
      position: { offset: 2, length: 17 },
    });
  });

  it('adds nothing', () => {
    const { query, echo } = interpretWithoutWindow('A  after:2024-01-01');
    assert.deepEqual([query.items.length, echo], [2, 'A,after:2024-01-01']);
  });
});
