import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { droppedOf, isReworded } from './interpret.ts';
import { parse } from './parser.ts';

function told(text: string): string {
  return droppedOf(text, parse(text))
    .map(({ written, searched, position: { offset, length } }) => {
      assert.ok(text.slice(offset, offset + length).includes(written.replace('*', '')), written);
      return searched === null ? written : `${written} → ${searched}`;
    })
    .join(', ');
}

describe('what of a query is not searched for', () => {
  const rows: readonly (readonly [text: string, told: string])[] = [
    ['C++', 'C++ → C'],
    ['C# F# -c#', 'C# → C, F# → F, c# → c'],
    ['$5 5€ 10% #tag @home', '$5 → 5, 5€ → 5, 10% → 10, #tag → tag, @home → home'],
    ['.NET', '.NET → NET'],
    ['"C++ developers" x|C++|y', 'C++ → C, C++ → C'],
    ['*solar *sol*', '*solar → solar, *sol* → sol*'],
    ['&lt;3 C&amp;', '&lt;3 → 3, C&amp; → C'],
    ['rock & roll !!!', '&, !!!'],
    ['solar "solar panel" covid-19 don\'t (in) foo. «a» “b”', ''],
    ['AT&T a+b https://example.org/a?b=c 10:30 😀', ''],
    ['/r/a site:a.org score:>5 before:2024-01-01 redd.it/abc', ''],
    ['sol* sol** a | b', ''],
    ['/r/ C++', 'C++ → C'],
    ['', ''],
  ];
  for (const [text, expected] of rows) it(text || 'nothing', () => assert.equal(told(text), expected));
});

describe('a query is reworded', () => {
  const no = [
    ...['', 'solar panel', 'solar, panel', '"solar panel"', '“solar panel”', '"solar"', '-"solar  panel"'],
    ...['a | b', 'a|"b c"', 'sol*', '/r/AskMen', 'r/askmen/', '-R/a+b', 'site:YouTube.com', 'score:5 C++'],
    ...['"r/energy" "-solar"', 'after:2024-01-31T18:30', '/r/', '"open'],
  ];
  for (const text of no) it(`no: ${text}`, () => assert.equal(isReworded(text), false));

  const yes = [
    ...['rock & roll', 'a|&|b', '/u/ann', 'site:https://example.org/a', 'site:bücher.de', 'score:>5'],
    ...['https://redd.it/abc', '/r/x/comments/abc/_/def', 'post:t3_abc', 'after:2024-01-31T00:00'],
  ];
  for (const text of yes) it(`yes: ${text}`, () => assert.equal(isReworded(text), true));
});
