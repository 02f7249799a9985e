// The parser's work grows in a straight line, on the texts that would show it if it did not. Work is counted, not
// timed:
// the units of text that its expressions and its loops go over.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from '../src/search/language/parser.ts';
import { EMOJI_SEQUENCE } from '../src/text/folding.ts';
import { countedUnits } from './counted-units.ts';

const SMALL = 1 << 13;
/** Doubled so often, the work of a unit stays the same; quadratic work would make it 8 times as much. */
const DOUBLINGS = 3;
/** What is done once a text, and pieces that are not whole at its end. */
const MAX_GROWTH = 1.1;
/** Units of work for a unit of text: each is looked at a few times, by one expression after the other. */
const MAX_WORK = 25;

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
    ['a | '],
    [' |'],
    ['*'],
  ] as const),
  ...([
    ['a*'],
    ['*a'],
    ['ab* '],
    ['"'],
    ['a"'],
    ['"a" '],
    ['"a'],
    ['“"'],
    ['"|'],
    ['-"'],
    ['|-'],
    ['a  '],
  ] as const),
  ...([
    ['a b ', '"'],
    ['a b ', '"', '"'],
    [' ', 'a', '|'],
    [' ', 'a|', 'b'],
  ] as const),
  ...([
    ['/r/'],
    ['/r/a '],
    ['a', '/r/'],
    ['a+', '/r/'],
    ['a+', '/r/', 'b'],
    ['/', 'r/'],
    ['a+', 'u/', '/'],
  ] as const),
  ...([['site:'], ['site:a.org '], ['a.', 'site:', 'b'], ['www.', 'site:', 'org'], ['é.', 'site:']] as const),
  ...([['/', 'site:'], ['a.', 'url:'], ['a', 'title:'], ['title:'], ['/', 'subreddit:']] as const),
  ...([['score:'], ['9', 'score:'], ['-', 'score:'], ['.', 'score:'], ['score:5 ']] as const),
  ...([
    ['before:2024-01-01 '],
    ['T', 'after:'],
    ['T1', 'after:', '+02:00'],
    ['id:'],
    ['a', 'id:'],
    ['a', 'id:t1_'],
  ] as const),
  ...([
    ['https://'],
    ['a.', 'https://', 'reddit.com'],
    ['a', 'https://redd.it/'],
    ['reddit.com/comments/'],
  ] as const),
  ...([
    ['/a', 'reddit.com/r/x/comments/a'],
    ['a', '/r/x/comments/a/'],
    ['/', '/r/x/comments/a/b/c'],
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
    it(`work grows with the text: ${JSON.stringify(`${before}${unit}${unit}${behind}`)}`, () => {
      const text = (length: number) => before + unit.repeat(length / unit.length) + behind;
      const [small, large] = [workOf(text(SMALL)), workOf(text(SMALL << DOUBLINGS))];
      assert.ok(large <= small * MAX_GROWTH, `${small} a unit became ${large}`);
      assert.ok(large < MAX_WORK, `${large} a unit`);
    });
  }

  it('what is counted is seen: an item looked at from each of its units would be quadratic', () => {
    const quadratic = (text: string) => {
      for (let at = 0; at < text.length; at++) /a*$/.exec(text.slice(at));
    };
    const small = countedUnits('a'.repeat(256), quadratic) / 256;
    assert.ok(countedUnits('a'.repeat(2048), quadratic) / 2048 > small * 7);
  });

  it('an expression that goes over a long text cannot go back over it: it repeats one thing without bound at the most', () => {
    const long = new Set<RegExp>();
    for (const [unit, before = '', behind = ''] of UNITS) {
      countedUnits(before + unit.repeat(SMALL / unit.length) + behind, parse, (expression, units) => {
        if (units > MAX_LINK_UNITS) long.add(expression);
      });
    }
    const suspects = [...long].filter((expression) => repeats(expression) > mayRepeat(expression));
    assert.ok(long.size > 5);
    assert.deepEqual(
      // Each repeat in a sequence of emoji begins with a joiner or a tag of its own.
      suspects.map(({ source }) => source).filter((source) => source !== EMOJI_SEQUENCE.source),
      [],
    );
    for (const bad of [/a.*b/, /^a*b*$/, /\*+$/]) assert.ok(repeats(bad) > mayRepeat(bad));
  });
});

/** Of query-syntax.ts: longer texts are not looked at for links. */
const MAX_LINK_UNITS = 4096;

/** Units gone over, for each unit of the text. */
function workOf(text: string): number {
  return countedUnits(text, parse) / text.length;
}

/** Where an expression may begin at every unit, a repeat behind its beginning would be gone over from each. */
function mayRepeat({ source, sticky, global }: RegExp): number {
  return sticky || global || source.startsWith('^') ? 1 : 0;
}

/**
 * How many `*`, `+` and `{n,}` stand in an expression, outside of classes; of its alternatives, in the one with most.
 */
function repeats({ source }: RegExp): number {
  let plain = source.replace(/\\(?:[pPu]\{[^}]*\}|.)/g, 'x');
  // Classes may hold classes.
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replace(/\[[^[\]]*\]/g, 'x');
  }
  return Math.max(...plain.split('|').map((part) => (part.match(/[*+]|\{\d+,\}/g) ?? []).length));
}
