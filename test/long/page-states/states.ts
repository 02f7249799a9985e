// Addresses of random states of pages, as people pass them on: parameters in any order, defaults written out, others
// among them.

import fc from 'fast-check';

const WORDS = [
  'battery',
  '-solar',
  '/r/solarpower',
  'site:self.birding',
  'score:10',
  '"at night"',
  'bat*',
  'old|new',
];
const DATES = ['after:2021-06-01', 'before:2025-01-01', 'after:2023-02-30'];

const query = fc
  .oneof(
    { weight: 9, arbitrary: fc.array(fc.constantFrom(...WORDS, ...WORDS, ...DATES), { maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map((text) => [text.toWellFormed()]),
    },
  )
  .map((items) => items.join(' '));

const inKind = fc.constantFrom('', 'posts', 'comments');

/** A value, or nothing where it is left out. */
const one = (...values: readonly string[]) => fc.option(fc.constantFrom(...values));

type Parameters = readonly (readonly [name: string, value: string])[];

/** Whatever is given of these, in any order, and now and then a parameter of somebody else. */
function address(
  path: string,
  given: Readonly<Record<string, fc.Arbitrary<string | null>>>,
): fc.Arbitrary<string> {
  const others = fc.constantFrom<Parameters>([], [], [['utm_source', 'x']]);
  return fc
    .tuple(fc.record(given, { noNullPrototype: true }), others, fc.infiniteStream(fc.nat()))
    .map(([values, more, order]) => {
      const own = Object.entries(values).flatMap(([name, value]) =>
        value === null ? [] : [[name, value] as const],
      );
      const pairs = [...own, ...more].map((pair) => ({ pair, at: order.next().value as number }));
      const sorted = pairs.sort((a, b) => a.at - b.at).map(({ pair: [name, value] }) => [name, value]);
      return `${path}?${new URLSearchParams(sorted as string[][])}`;
    });
}

const search = address('/search', {
  query,
  in: inKind,
  order_by: one('newest', 'oldest', 'top'),
  limit: one('25', '50', '100'),
  show: one('texts', 'titles'),
  timeline: one('count', 'share'),
  adult: one('folded', 'shown'),
});

const breakdown = address('/breakdown', {
  query,
  by: fc.constantFrom('subreddits', 'domains'),
  in: inKind,
  prefix: one('', 's', 'self.', 'zz'),
  page: one('1', '2'),
});

const pictures = address('/pictures', { query, in: inKind });

const compare = fc
  .tuple(
    fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }),
    address('/compare', { kind: inKind, timeline: one('count', 'share'), words: one('A-B', 'A-C') }),
  )
  .map(([queries, rest]) => `${rest}&${queries.map((q) => `query=${encodeURIComponent(q)}`).join('&')}`);

export const STATES: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: search },
  { weight: 2, arbitrary: breakdown },
  { weight: 1, arbitrary: pictures },
  { weight: 1, arbitrary: compare },
);
