import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shapeOfText } from './request-watch.ts';

describe('the shape of a query', () => {
  const cases: readonly (readonly [query: string, shape: string])[] = [
    ['', 'everything'],
    ['cat', '1 word'],
    ['cat dog "solar panel" after:2024-01-01 /r/cats', '2 words, 1 phrase, after, community'],
    ['sol* pan* cat|dog', '2 prefixes, 1 any-of'],
    ['-cat -dog -"solar panel" -/r/cats', '2 excluded words, 1 excluded phrase, excluded community'],
    ['/r/a /r/b site:example.org', '2 × community, site'],
    ['score:5 before:2024-01-01 id:abc', 'score, before, id'],
    ['before:yesterday', 'not understood'],
  ];
  for (const [query, shape] of cases)
    it(`${query} → ${shape}`, () => assert.equal(shapeOfText(query), shape));
});
