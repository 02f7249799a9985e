// How soon a page of results comes to its first one: what nobody has to see before it stands behind it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SIGNED_IN, siteOfTests } from './site.ts';

const MOST_BYTES = 4_000;

/** One to three items, two dates, an implied window, alternatives, signs that are dropped. */
const QUERIES = [
  'panel',
  'solar panel',
  '/r/energy',
  '"solar panel" -/r/cats',
  'site:example.org score:0',
  'before:2031-01-01 after:2001-01-01',
  'solar|panel /r/energy score:0',
  'panel++ solar',
];
const CHOICES = ['', '&kind=comments', '&order_by=top', '&order_by=oldest&kind=comments', '&show=titles'];

describe('the first result began at up to 4,600 bytes of a page', () => {
  const { inject } = siteOfTests(undefined, undefined, { config: { visitorResults: 25 } });

  for (const [who, headers] of [
    ['within 4,000 bytes for visitors', {}],
    ['within 4,000 bytes for whoever is signed in', SIGNED_IN],
  ] as const) {
    it(`begins ${who}`, async () => {
      let seen = 0;
      for (const query of QUERIES) {
        for (const choice of CHOICES) {
          const url = `/search?query=${encodeURIComponent(query)}${choice}`;
          const first = (await inject({ url, headers })).rawPayload.indexOf('<article>');
          if (first === -1) continue;
          seen++;
          assert.ok(first <= MOST_BYTES, `${first} bytes: ${url}`);
        }
      }
      assert.ok(seen >= QUERIES.length * 3, `${seen} pages with results`);
    });
  }
});
