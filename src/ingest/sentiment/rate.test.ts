// Which comments are rated, and on which text.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { rate } from './rate.ts';
import { compound } from './vader.ts';

const UNRATED = [
  ['empty', ''],
  ['blanks', ' \n\t '],
  ['deleted', '[deleted]'],
  ['removed', '[removed]'],
  ['one word', 'Yes'],
  ['a link', 'https://example.org/a-good-day-for-all-of-us'],
  ['a link in capitals', 'HTTPS://EXAMPLE.ORG/THE-BEST-OF-ALL-WORLDS'],
  ['one word and a link', 'Mirror: https://example.org/the-very-best-of-them'],
  ['another language', 'Das ist eine sehr gute Idee, vielen Dank für den Hinweis!'],
] as const;

for (const [what, body] of UNRATED) test(`unrated: ${what}`, () => assert.equal(rate(body), null));

test('neutral English is 0, not null', () => {
  assert.ok(Object.is(rate('The train leaves from platform two at noon.'), 0));
});

test('the body is rated as it is stored: links and entities count', () => {
  const body = 'I would take the good train (&amp;gt;_&lt; no joy) http://example.org/?!! and tell them';
  assert.equal(rate(body), compound(body));
  assert.notEqual(compound(body), compound(body.replace(/http\S+/, '')));
});

test('only links after white space or at the start are blanked', () => {
  assert.notEqual(rate('[this is what they said about the weather](https://example.org/x)'), null);
});

test('any text gets null or a number from −1 to 1 with 4 decimals, never −0', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (body) => {
      const rating = rate(body);
      if (rating === null) return;
      assert.ok(rating >= -1 && rating <= 1 && !Object.is(rating, -0));
      assert.equal(rating, Number(rating.toFixed(4)));
    }),
  );
});

const truth = new URL(
  '../../../../shared/data/fixtures/sentiment/socialgrep_sentiment_truth.ndjson',
  import.meta.url,
);
const skip = existsSync(truth) ? false : 'the published ratings (shared data) are not on this machine';

/** The published ones were made with CLD2, which is stricter on some texts of two or three words. */
const MIN_AGREEMENT = 160;

test('rated or unrated agrees with the published ratings on at least 160 of 165', { skip }, () => {
  const rows = readFileSync(truth, 'utf8').trimEnd().split('\n');
  const agreeing = rows.filter((row) => {
    const { body, sentiment } = JSON.parse(row) as { body: string; sentiment: number | null };
    return (rate(body) === null) === (sentiment === null);
  });
  assert.ok(agreeing.length >= MIN_AGREEMENT, `found ${agreeing.length} of ${rows.length}`);
});
