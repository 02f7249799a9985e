import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { interpretQuery, interpretWithoutWindow } from './interpret.ts';

const IN_QUOTES = '; in quotes, it is searched for as text';

const day = { impliedWindow: '1d' } as const;

/** Echoes and codes are in test/queries.txt; here stands what messages say. */
const MESSAGES: readonly (readonly [text: string, message: string])[] = [
  ['& !!!', 'expected a word or an operator to search for, found only signs in `& !!!`'],
  ['"a b', 'expected a closing quote, found the end of the query after `"a b`'],
  ['a*', 'expected at least 2 characters before `*`, found 1 in `a*`'],
  ['a-b*', 'expected one word before `*`, found 2 in `a-b*`'],
  ['---a', 'expected one `-` before what is left out, found 3 in `---a`'],
  ['a|-b', 'expected `-` before the whole group, as in `-a|b`, found it after `|` in `a|-b`'],
  ['-score:10', '`score:` takes no `-`: expected `score:<10`, found `-score:10`'],
  ['-score:<=10', '`score:` takes no `-`: expected `score:>10`, found `-score:<=10`'],
  [
    '-score:1..2',
    '`score:` takes no `-`: expected the scores that you want, as in `score:<5`, found `-score:1..2`',
  ],
  ['-before:2024-01-01', '`before:` takes no `-`: expected `after:2024-01-01`, found `-before:2024-01-01`'],
  [
    '-after:2024-01-31T18:30z',
    '`after:` takes no `-`: expected `before:2024-01-31T18:30`, found `-after:2024-01-31T18:30z`',
  ],
  ['-after:2024-13-01', '`after:` takes no `-`: expected `before:YYYY-MM-DD`, found `-after:2024-13-01`'],
  [
    'title:a',
    `expected \`a\`, since words are searched in both title and text, found \`title:a\`${IN_QUOTES}`,
  ],
  [
    'body:',
    `expected no \`body:\`, since words are searched in both title and text, found \`body:\`${IN_QUOTES}`,
  ],
  ['Subreddit:r/x', `expected \`/r/x\` for a community, found \`Subreddit:r/x\`${IN_QUOTES}`],
  ['-subreddit:', `expected \`/r/name\` for a community, found \`-subreddit:\`${IN_QUOTES}`],
  [
    'domain:Example.org',
    `expected \`site:example.org\` for links to a domain, found \`domain:Example.org\`${IN_QUOTES}`,
  ],
  [
    'url:https://example.org/a',
    `expected \`site:example.org\` for links to a domain, found \`url:https://example.org/a\`${IN_QUOTES}`,
  ],
  ['url:', `expected \`site:example.com\` for links to a domain, found \`url:\`${IN_QUOTES}`],
  [
    'author:ann',
    `expected no \`author:\`, since authors are not stored and cannot be searched, found \`author:ann\`${IN_QUOTES}`,
  ],
  [
    'user:ann',
    `expected no \`user:\`, since authors are not stored and cannot be searched, found \`user:ann\`${IN_QUOTES}`,
  ],
  [
    'type:post',
    `expected no \`type:\`, since posts and comments are searched separately, found \`type:post\`${IN_QUOTES}`,
  ],
  ['a|nsfw:yes', `expected no \`nsfw:\`, which cannot be searched for, found \`a|nsfw:yes\`${IN_QUOTES}`],
  ['/u/', 'expected a name after `/u/`, as in `/u/name`, or several as in `/u/a+b`, found `/u/`'],
  ['/r/a|b', 'expected only words beside `|`, found `/r/a|b`; for any of several communities write `/r/a+b`'],
  [
    'a | site:b.org',
    'expected only words beside `|`, found `a | site:b.org`; for any of several sites write `site:a.org site:b.org`',
  ],
  [
    'a|before:2024-01-01',
    'expected only words beside `|`, found `a|before:2024-01-01`; a date holds for the whole query: write it without `|`',
  ],
  ['site:!', 'expected a domain after `site:`, as in `site:example.com`, found `site:!`'],
  [
    'post:a.b',
    'expected the id of a post after `post:`, as in `post:abc123`, or a link to the post, found `post:a.b`',
  ],
  [
    'post:t1_abc',
    'expected the id of a post after `post:`, as in `post:abc123`, or a link to the post, found `post:t1_abc`; for a comment write `id:t1_abc`',
  ],
  [
    'id:a.b',
    'expected the id of a post or a comment after `id:`, as in `id:t3_abc123` or `id:t1_def456`, or a link to it, found `id:a.b`',
  ],
  [
    'id:t5_2qh1',
    'expected the id of a post or a comment after `id:`, as in `id:t3_abc123` or `id:t1_def456`, or a link to it, found `id:t5_2qh1`; `t5_` begins the id of a community: write `/r/` and its name',
  ],
  [
    'score:abc',
    'expected a whole number of at most 9 digits after `score:`, as in `score:5`, `score:<5` or `score:1..5`, found `score:abc`',
  ],
  [
    'before:2021-13-40',
    'expected a day from 1970-01-01 to 9999-12-31 after `before:`, as in `before:2024-01-31`, or a time as in `before:2024-01-31T18:30`, found `before:2021-13-40`',
  ],
  [
    'after:2024-01-31T18:30+02:00',
    'expected a day from 1970-01-01 to 9999-12-31 after `after:`, as in `after:2024-01-31`, or a time as in `after:2024-01-31T18:30`, found `after:2024-01-31T18:30+02:00`; times are UTC and take no offset',
  ],
  [
    `site:${'/'.repeat(70)}`,
    `expected a domain after \`site:\`, as in \`site:example.com\`, found \`site:${'/'.repeat(55)}…\``,
  ],
  ['site:\u0000', 'expected a domain after `site:`, as in `site:example.com`, found `site:\ufffd`'],
  ['a,'.repeat(65), 'expected at most 64 items, each community counted, found 65'],
  [`"${'a '.repeat(65)}"`, 'expected at most 64 words in a phrase, found 65'],
  [
    ' '.repeat(2049),
    'expected at most 2,048 characters (4,096 in the form that answers give back), found 2,049',
  ],
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
          { kind: 'before', time: 1_704_067_200 },
          { kind: 'after', time: 1_703_980_800 },
        ],
      },
      echo: 'before:2024-01-01,after:2023-12-31',
      implied: 'after:2023-12-31',
      dropped: [],
    });
  });

  it('an empty query has no items', () => {
    assert.deepEqual(interpretQuery('', day), { query: { items: [] }, echo: '', implied: null, dropped: [] });
  });
});

describe('interpretWithoutWindow', () => {
  it('refuses `before:` without `after:` and says what to write', () => {
    assert.throws(() => interpretWithoutWindow('a before:2024-01-01'), {
      code: 'open_window',
      message:
        'expected an `after:` beside `before:`, found none, and none is added here; ' +
        'write `a,before:2024-01-01,after:2023-12-31` for the one day that a search would look at, ' +
        'or `a,before:2024-01-01,after:1970-01-01` for all time before',
      position: { offset: 2, length: 17 },
    });
  });

  it('both queries that it names are right', () => {
    for (const text of ['A "b c",before:2024-01-01', 'before:1970-01-01T18:30 -x', '`` before:2020-02-02']) {
      const named = [...refusal(text).matchAll(/write `(.*?)` for|, or `(.*?)` for/g)];
      assert.ok(named.length > 0, text);
      for (const [, one, other] of named) {
        const { echo } = interpretWithoutWindow(one ?? other!);
        assert.equal(echo, one ?? other, text);
      }
    }
    assert.match(
      refusal('before:1970-01-01T18:30'),
      /; write `before:1970-01-01T18:30,after:1970-01-01` for all/,
    );
  });

  it('of a long query the message gives the items to add', () => {
    assert.match(
      refusal(`${'word '.repeat(60)}before:2024-01-01`),
      /write `,after:2023-12-31` after it for .* or `,after:1970-01-01` after it for all time before$/,
    );
  });
});

function refusal(text: string): string {
  try {
    interpretWithoutWindow(text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`accepted: ${text}`);
}
