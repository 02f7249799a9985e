import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { mendedQuery } from '../../search/edit-query.ts';
import { interpretQuery } from '../../search/language/interpret.ts';
import { aliasHint, operatorHint } from './repairs.ts';

function mended(text: string): string | null {
  try {
    interpretQuery(text, { impliedWindow: '1d' });
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return mendedQuery(text, error.code, error.position!);
  }
  assert.fail(`${text} has no fault`);
}

describe('a query with a fault is mended', () => {
  const rows: readonly (readonly [text: string, mended: string | null])[] = [
    ['sun "solar panel', 'sun "solar panel"'],
    ['sun --moon', 'sun -moon'],
    ['sun after:2023-02-30', 'sun after:2023-02-28'],
    ['after:2023-2-1', 'after:2023-02-01'],
    ['after:2024-01-31T18:30+02:00', 'after:2024-01-31T16:30'],
    ['before:2024-01-31T18:30:15.250Z sun', 'before:2024-01-31T18:30:15 sun'],
    ['-before:2023-01-01', 'after:2023-01-01'],
    ['-score:5', 'score:<5'],
    ['a -score:>5', 'a score:<6'],
    ['-score:<5', 'score:>4'],
    ['-score:5..', 'score:<5'],
    ['sun -score:1..5', 'sun'],
    ['sun -before:soon', 'sun'],
    ['score:1.000', 'score:1000'],
    ['s* sun', 's sun'],
    ['subreddit:askmen sun', '/r/askmen sun'],
    ['sun -subreddit:r/AskMen', 'sun -/r/AskMen'],
    ['domain:example.org', 'site:example.org'],
    ['-url:https://www.example.org/a?b', '-site:example.org'],
    ['title:sun', 'sun'],
    ['title:"solar panel" roof', '"solar panel" roof'],
    ['author:ann sun', 'sun'],
    ['author:ann', null],
    ['/r/ sun', 'sun'],
    ['subreddit: sun', 'sun'],
    ['sun --after:2023-13-01', 'sun'],
    ['sun -after:2023-13-01', 'sun'],
    ['after:2023', 'after:2023-01-01'],
    ['before:2023-7', 'before:2023-07-01'],
    ['sun after:soon', 'sun'],
    ['sun before:9999-12-31T23:30:00-02:00', 'sun'],
    ['sun score:many', 'sun'],
    ['-score:many sun', 'sun'],
    ['site:- sun', 'sun'],
  ];
  for (const [text, expected] of rows) it(text, () => assert.equal(mended(text), expected));
});

describe('a code that does not fit the item', () => {
  const rows = [
    ['sun moon', 'cannot_negate'],
    ['-/r/x moon', 'cannot_negate'],
    ['sun moon', 'reserved_operator'],
  ] as const;
  for (const [text, code] of rows) {
    it(`${code} at ${text}: the item is left out`, () => {
      assert.equal(mendedQuery(text, code, { offset: 0, length: text.indexOf(' ') }), 'moon');
    });
  }
});

describe('a query that says something else elsewhere gets a hint', () => {
  const operators: readonly (readonly [text: string, query: string | null, words?: string])[] = [
    ['sun OR moon', 'sun|moon', '“OR” is an ordinary word here'],
    ['/r/a OR /r/b', '/r/a /r/b'],
    ['sun AND moon NOT star', 'sun moon -star', '“AND” and “NOT” are ordinary words here'],
    ['sun OR moon OR "heat pump"', 'sun|moon|"heat pump"'],
    ['sun NOT -moon', 'sun -moon'],
    ['OR sun', 'sun'],
    ['sun OR /r/moon', 'sun /r/moon'],
    ['-sun OR moon', '-sun moon'],
    ['NOT OR', '-OR'],
    ['OR AND', null],
    ['sun or moon', null],
  ];
  for (const [text, query, words] of operators) {
    it(text, () => {
      const hint = operatorHint(text);
      assert.equal(hint?.query ?? null, query);
      if (words !== undefined) assert.equal(hint!.words, words);
    });
  }

  it('a name of another service with a value that ours does not take is no hint', () => {
    assert.equal(aliasHint('since:2023-13-01'), null);
    assert.equal(aliasHint('since:2023-13-01 until:2024-01-01')?.query, 'since:2023-13-01 before:2024-01-01');
  });

  it('names of other services', () => {
    assert.equal(aliasHint('sun sub:askmen')?.query, 'sun /r/askmen');
    assert.equal(aliasHint('since:2023-01-01')?.query, 'after:2023-01-01');
    assert.equal(aliasHint('foo:bar'), null);
  });
});
