// The parser's time grows in a straight line, on the texts that would show it if it did not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from '../src/search/parser.ts';

const SMALL = 1 << 16;
const DOUBLINGS = 4;
/** Doubling the input never triples the time. Quadratic time would be 4 ** DOUBLINGS = 256 against 81. */
const MAX_RATIO = 3 ** DOUBLINGS;

/** Repeated, unless there is something to stand before or behind it. */
const UNITS: readonly (readonly [unit: string, before?: string, behind?: string])[] = [
  ...([
    ['a'],
    ['a '],
    ['a,'],
    [','],
    ['-'],
    ['-a '],
    ['|'],
    ['a|'],
    ['a|b '],
    ['*'],
    ['a*'],
    ['*a'],
    ['ab* '],
  ] as const),
  ...([['"'], ['a"'], ['"a" '], ['"a'], ['“"'], ['"|'], ['-"'], ['a b ', '"'], ['a b ', '"', '"']] as const),
  ...([
    ['/r/'],
    ['/r/a '],
    ['a', '/r/'],
    ['a+', '/r/'],
    ['a+', '/r/', 'b'],
    ['/', 'r/'],
    ['a+', 'u/', '/'],
  ] as const),
  ...([
    ['site:'],
    ['site:a.org '],
    ['a.', 'site:', 'b'],
    ['www.', 'site:', 'org'],
    ['é.', 'site:'],
    ['/', 'site:'],
  ] as const),
  ...([
    ['score:'],
    ['9', 'score:'],
    ['-', 'score:'],
    ['.', 'score:'],
    ['score:5 '],
    ['before:2024-01-01 '],
  ] as const),
  ...([
    ['https://'],
    ['a.', 'https://', 'reddit.com'],
    ['a', 'https://redd.it/'],
    ['reddit.com/comments/'],
    ['title:'],
  ] as const),
  ...([
    ['&amp;'],
    ['&'],
    ['&#x200B;'],
    ['\u00ad'],
    ['😀'],
    ['\u200d😀'],
    ['日'],
    ['é'],
    ['\ud800'],
    ['\u3000'],
  ] as const),
];

describe('parser', () => {
  for (const [unit, before = '', behind = ''] of UNITS) {
    it(`linear time: ${JSON.stringify(`${before}${unit}${unit}${behind}`)}`, () => {
      const text = (length: number) => before + unit.repeat(length / unit.length) + behind;
      const small = text(SMALL);
      const large = text(SMALL << DOUBLINGS);
      const smallMs = Math.max(MIN_MS, milliseconds(small), milliseconds(small));
      const largeMs = attempt(3, () => milliseconds(large), smallMs * MAX_RATIO);
      assert.ok(largeMs < smallMs * MAX_RATIO, `${smallMs} ms became ${largeMs} ms`);
    });
  }
});

/** Shorter times are not to be told apart. */
const MIN_MS = 0.1;

function milliseconds(text: string): number {
  const start = performance.now();
  parse(text);
  return performance.now() - start;
}

/** The first of `times` measurements that is below the bound, else the last: a pause of the machine is forgiven. */
function attempt(times: number, measure: () => number, bound: number): number {
  const ms = measure();
  return ms < bound || times === 1 ? ms : attempt(times - 1, measure, bound);
}
