// VADER against its Python reference: every figure here was given by vaderSentiment 3.3.2 on Python 3.11.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { compound, rate, roundTo4, weighAroundBut } from './vader.ts';

/** The sentences of VADER's documentation and demonstration. */
const DOCUMENTED: readonly (readonly [string, number])[] = [
  ['VADER is smart, handsome, and funny.', 0.8316],
  ['VADER is smart, handsome, and funny!', 0.8439],
  ['VADER is very smart, handsome, and funny.', 0.8545],
  ['VADER is VERY SMART, handsome, and FUNNY.', 0.9227],
  ['VADER is VERY SMART, handsome, and FUNNY!!!', 0.9342],
  ['VADER is VERY SMART, uber handsome, and FRIGGIN FUNNY!!!', 0.9469],
  ['VADER is not smart, handsome, nor funny.', -0.7424],
  ['The book was good.', 0.4404],
  ["At least it isn't a horrible book.", 0.431],
  ['The book was only kind of good.', 0.3832],
  ['The plot was good, but the characters are uncompelling and the dialog is not great.', -0.7042],
  ['Today SUX!', -0.5461],
  ["Today only kinda sux! But I'll get by, lol", 0.5249],
  ['Make sure you :) or :D today!', 0.8633],
  ['Catch utf-8 emoji such as such as 💘 and 💋 and 😁', 0.875],
  ['Catch utf-8 emoji such as 💘 and 💋 and 😁', 0.875],
  ['Not bad at all', 0.431],
  ['Sentiment analysis has never been good.', -0.3412],
  ['Sentiment analysis has never been this good!', 0.5672],
  ['Most automated sentiment analysis tools are shit.', -0.5574],
  ['With VADER, sentiment analysis is the shit!', 0.6476],
  ['Other sentiment analysis tools can be quite bad.', -0.5849],
  ['On the other hand, VADER is quite bad ass', 0.802],
  ['VADER is such a badass!', 0.4003],
  ['Without a doubt, excellent idea.', 0.7013],
  ['Roger Dodger is one of the most compelling variations on this theme.', 0.2944],
  ['Roger Dodger is at least compelling as a variation on the theme.', 0.2263],
  ['Roger Dodger is one of the least compelling variations on this theme.', -0.1695],
  ['Not such a badass after all.', -0.2584],
  ['Without a doubt, an excellent idea.', 0.7013],
];

/** Rule, text, compound of the reference. */
const RULES: readonly (readonly [string, string, number])[] = [
  ['a but changes a value, not a place', 'good good bad but good bad bad good', -0.2846],
  ['halving can meet an earlier equal value', 'joyful ok but good ok', 0.8658],
  ['no before a rated word negates it', 'no good', -0.3412],
  ['no with or between', 'no harm or hurt', 0.6834],
  ['NO in capitals keeps the addition', 'there is NO good reason', -0.4835],
  ['capitals everywhere are no emphasis', 'GREAT STUFF', 0.6249],
  ['capitals somewhere are', 'GREAT stuff', 0.7034],
  ['a capital sharp s word is in capitals', 'good STRAẞE ok', 0.6249],
  ['digits have no case', 'good 42 ok', 0.6249],
  ['two characters left keep their punctuation', '(ok) good', 0.4404],
  ['emoticon at the end', "that's it :(", -0.4404],
  ['least alone at the start', 'least helpful answer', -0.3252],
  ['at least', 'at least helpful', 0.4215],
  ['very least', 'the very least helpful', 0.4728],
  ['never this', 'never this good', 0.5228],
  ['so just before, three words back counts', 'it was never ever so good', 0.5777],
  ['so before without never', 'they were quite so good', 0.6236],
  ['without doubt', 'it was without doubt great', 0.7359],
  ['kind of before the word', 'it was a kind of good day', 0.3832],
  ['kind alone', 'you are kind', 0.5267],
  ['"n\'t" inside a word negates', "it ain'tish good", -0.3412],
  ['kind of at the beginning', 'kind of', 0],
  ['yeah right', 'oh my god yeah right great', 0.4939],
  ['kiss of death', 'that was a kiss of death love', 0.0516],
  ['bus stop', 'waiting at a nice bus stop today', 0.4215],
  ['beating heart', 'he has a beating heart of love', 0.9349],
  ['to die for', 'this cake is good to die for', -0.25],
  ['curly apostrophe is no negation', 'it isn’t good', 0.4404],
  ['question marks', 'is it good???', 0.533],
  ['four question marks', 'is it good????', 0.594],
  ['one question mark', 'is it good?', 0.4404],
  ['five exclamation marks count four', 'good!!!!!', 0.6209],
  ['marks without a rating stay 0', 'what!!!!', 0],
  ['no-break space separates', 'not\u00a0good', -0.3412],
  ['zero width space does not', 'not\u200bgood good', 0.4404],
  ['unit separator separates', 'not\u001fgood', -0.3412],
  ['byte order mark does not separate', '\ufeffgood good', 0.4404],
  ['emoji sticks to what follows', '😁good', 0.4588],
  ['emoji after a blank', 'so 😁 good', 0.7096],
  ['emoji one after another', '😁😁😡', 0.7184],
  ['emoji with a mark in its description', '🆙 good', 0.4926],
  ['emoji of several code points: only its parts', '❤️ 👨\u200d👩\u200d👧', 0],
  ['copyright sign is an emoji', 'great©', 0.6249],
  ['title case digraph', 'good ǅ OK', 0.7034],
  ['long s of Kelvin sign', 'oK good', 0.6249],
  ['markdown', '**good** _bad_ ~~ugly~~ [nice](http://example.org)', -0.5994],
  ['entities stay', 'good &gt; bad &amp;amp; ugly', -0.5994],
  ['empty', '', 0],
  ['blanks', ' \n ', 0],
];

test('the sentences of the documentation are rated as by the reference', () => {
  for (const [text, expected] of DOCUMENTED) assert.equal(compound(text), expected, text);
});

for (const [rule, text, expected] of RULES) {
  test(`rule: ${rule}`, () => assert.ok(Object.is(compound(text), expected), `found ${compound(text)}`));
}

test('a short text after a long one is rated as if alone', () => {
  compound('but never '.repeat(5000));
  assert.equal(compound('good'), 0.4404);
});

test('a megabyte of rated words around "but" is rated', () => {
  assert.equal(compound(`${'good bad ok '.repeat(40_000)}but ${'ok '.repeat(100_000)}`), 1);
});

const fixtures = new URL('../../../../shared/data/fixtures/sentiment/', import.meta.url);
const truth = new URL('socialgrep_sentiment_truth.ndjson', fixtures);
const skip = existsSync(truth) ? false : 'the published ratings (shared data) are not on this machine';

function published(): { body: string; sentiment: number | null }[] {
  const rows = readFileSync(truth, 'utf8').trimEnd().split('\n');
  return rows.map((row) => JSON.parse(row));
}

test('every published rating is equalled', { skip }, () => {
  const rows = published();
  assert.equal(rows.length, 165);
  for (const { body, sentiment } of rows)
    if (sentiment !== null) assert.equal(compound(body), sentiment, body);
});

// The rule for "but" against a literal copy of the reference's loop.

/** As in the reference: `si = sentiments.index(sentiment)`, then the factor by `si`. */
function weighLiterally(sentiments: number[], but: number): void {
  for (let turn = 0; turn < sentiments.length; turn++) {
    const sentiment = sentiments[turn]!;
    const found = sentiments.indexOf(sentiment);
    if (found < but) sentiments[found] = sentiment * 0.5;
    else if (found > but) sentiments[found] = sentiment * 1.5;
  }
}

test('the same words change as in the reference, whatever values meet', () => {
  // Few values, some the half or the one and a half of others, so that changed ones meet unchanged ones.
  const valence = fc.constantFrom(0, 1, 0.5, 2, 1.5, 0.75, 3, -1, -0.5, -1.5, 0.25);
  fc.assert(
    fc.property(fc.array(valence, { maxLength: 60 }), fc.nat({ max: 60 }), (before, place) => {
      const but = Math.min(place, before.length);
      const expected = [...before.slice(0, but), 0, ...before.slice(but)];
      const places = expected.flatMap((value, at) => (value === 0 ? [] : [at]));
      const found = places.map((at) => expected[at]!);
      weighLiterally(expected, but);
      weighAroundBut(found, places, but);
      const changed = places.map((at) => expected[at]);
      assert.deepEqual(found, changed);
    }),
    { numRuns: 2000 },
  );
});

// Rounding to 4 decimals: nearest, ties to even, by the exact binary value.

const CASES: readonly (readonly [string, number, number])[] = [
  ['a tie goes to the even number below', 0.03125, 0.0312],
  ['a tie goes to the even number above', 0.09375, 0.0938],
  ['a negative tie goes to the even number', -0.03125, -0.0312],
  ['a negative tie goes to the even number, away from 0', -0.09375, -0.0938],
  ['what only looks like a tie goes by its binary value (below)', 0.00015, 0.0001],
  ['what only looks like a tie goes by its binary value (above)', 0.00025, 0.0003],
  ['small negative numbers come out as 0', -0.00001, 0],
  ['minus 0 comes out as 0', -0, 0],
  ['the ends stay', 1, 1],
  ['the ends stay, negative', -1, -1],
];

for (const [rule, value, expected] of CASES) {
  test(rule, () => assert.ok(Object.is(roundTo4(value), expected), `found ${roundTo4(value)}`));
}

test('next to a tie the nearer number is found', () => {
  for (let below = -10_000; below < 10_000; below++) {
    const half = (below + 0.5) / 10_000;
    if ((half * 32) % 1 === 0) continue;
    assert.equal(roundTo4(half), Number(half.toFixed(4)) + 0, String(half));
  }
});

// Which comments are rated, and on which text.

const UNRATED = [
  ['blanks', ' \n\t '],
  ['deleted', '[deleted]'],
  ['removed', '[removed]'],
  ['one word', 'Yes'],
  ['a link', 'https://example.org/a-good-day-for-all-of-us'],
  ['a link in capitals', 'HTTPS://EXAMPLE.ORG/THE-BEST-OF-ALL-WORLDS'],
  ['one word and a link', 'Mirror: https://example.org/the-very-best-of-them'],
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

/** The published ones were made with CLD2, which is stricter on some texts of two or three words. */
const MIN_AGREEMENT = 160;

test('rated or unrated agrees with the published ratings on at least 160 of 165', { skip }, () => {
  const agreeing = published().filter(
    ({ body, sentiment }) => (rate(body) === null) === (sentiment === null),
  );
  assert.ok(agreeing.length >= MIN_AGREEMENT, `found ${agreeing.length}`);
});
