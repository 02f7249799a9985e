import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isReworded } from './reworded.ts';

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
