// The work of the parser, and of what goes over the text of a record, grows in a straight line, on the texts that would
// show it if it did not. Work is counted, not timed: the units of text that expressions and loops go over.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { escapeText } from '../src/http/views/html.ts';
import { segmentsOf, wordsOf } from '../src/http/views/record-text.ts';
import { interpretQuery } from '../src/search/language/interpret.ts';
import { parse } from '../src/search/language/parser.ts';
import { linkedDomains } from '../src/text/domains.ts';
import { decodeEntities } from '../src/text/entities.ts';
import { EMOJI_SEQUENCE } from '../src/text/folding.ts';
import { tokens } from '../src/text/tokenizer.ts';

/** Doubled so often, the work of a unit stays the same; quadratic work would make it 8 times as much. */
const DOUBLINGS = 3;
/** What is done once a text, and pieces that are not whole at its end. */
const MAX_GROWTH = 1.1;
/** Units of work for a unit of text: each is looked at a few times, by one expression after the other. */
const MAX_WORK = 25;
/** Of a text to begin with: for the parser, and for the text of a record. */
const [SMALL, SMALL_RECORD] = [1 << 13, 1 << 11];

/** What is repeated; it stands in braces where something is before or behind it. */
const PARSED = [
  ...['a', 'a ', 'a,', ',', '-', '-a ', '|', 'a|', 'a|b ', 'a | ', ' |', '*', 'a*', '*a', 'ab* '],
  ...['"', 'a"', '"a" ', '"a', '“"', '"|', '-"', '|-', 'a  ', '"{a b }', '"{a b }"', 'a{ }|', 'a|{ }b'],
  ...['/r/', '/r/a ', '/r/{a}', '/r/{a+}', '/r/{a+}b', 'r/{/}', 'u/{a+}/'],
  ...['site:', 'site:a.org ', 'site:{a.}b', 'site:{www.}org', 'site:{é.}', 'site:{/}', 'url:{a.}'],
  ...['title:{a}', 'title:', 'subreddit:{/}', 'score:', 'score:{9}', 'score:{-}', 'score:{.}', 'score:5 '],
  ...['before:2024-01-01 ', 'after:{T}', 'after:{T1}+02:00', 'id:', 'id:{a}', 'id:t1_{a}'],
  ...['https://', 'https://{a.}reddit.com', 'https://redd.it/{a}', 'reddit.com/comments/'],
  ...['reddit.com/r/x/comments/a{/a}', '/r/x/comments/a/{a}', '/r/x/comments/a/b/c{/}'],
  ...['&amp;', '&', '&#x200B;', '\u00ad', '😀', '\u200d😀', '日', 'é', '\ud800', '\u3000'],
].map((text) => /^(?<before>.*?)\{(?<unit>.+)\}(?<behind>.*)$/su.exec(text)?.groups ?? { unit: text });

const textOf = ({ before = '', unit = '', behind = '' }: (typeof PARSED)[number], length: number) =>
  before + unit.repeat(length / unit.length) + behind;

describe('parser', () => {
  for (const row of PARSED) {
    it(`work grows with the text: ${JSON.stringify(textOf(row, 2 * row.unit!.length))}`, () => {
      const [small, large] = [workOf(textOf(row, SMALL)), workOf(textOf(row, SMALL << DOUBLINGS))];
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
    for (const row of PARSED) {
      countedUnits(textOf(row, SMALL), parse, (expression, units) => {
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

const words = wordsOf(interpretQuery('"a b" ab* don’t', { impliedWindow: 'off' }).query);
const WORK: Readonly<Record<string, (text: string) => unknown>> = {
  tokens,
  entities: decodeEntities,
  links: linkedDomains,
  marks: (text) => segmentsOf(text, words),
  escaped: escapeText,
};

const READ = [
  ...['a', 'a ', 'a b ', 'ab', "a'", 'don’t ', '&', '&amp;', '&#', '&#x', '&amp', '&;', '<', '<a href="'],
  '"',
  ...['http', 'http://', 'https://a.', 'https://a.b/(', 'http://a@', 'www.', 'www.a.', '[a](', '](http://a'],
  ...['://', '.', '..', '/', ')', '\n', '\r\n', '\t', ' ', '\u200b', '\u202e', '\u0301', 'é', '日', '日本 '],
  ...['😀', '\u200d😀', '\ud800', '\u00ad', '🇩🇪', '#️⃣', '_', '-', '*', '`', '0', '1,', '\u0000'],
];

describe('work on the text of a record grows with its length', () => {
  for (const [what, run] of Object.entries(WORK)) {
    it(what, () => {
      for (const unit of READ) {
        const cost = (length: number) => countedUnits(unit.repeat(length / unit.length), run) / length;
        const [small, large] = [cost(SMALL_RECORD), cost(SMALL_RECORD << DOUBLINGS)];
        const grown = `${JSON.stringify(unit)}: ${small} a unit became ${large}`;
        // What is done once a text is a part of little work.
        assert.ok(large <= small * MAX_GROWTH + 0.01, grown);
      }
    });
  }
});

/**
 * Every use of an expression goes through `exec`, whichever method of text or expression asks; loops ask for the code
 * of one unit after the other. An expression that finds nothing has gone over the text to its end.
 */
function countedUnits(
  text: string,
  run: (text: string) => unknown,
  each: (expression: RegExp, units: number) => void = () => {},
): number {
  const { exec } = RegExp.prototype;
  const { charCodeAt } = String.prototype;
  let units = 0;
  RegExp.prototype.exec = function (this: RegExp, searched: string) {
    const from = this.sticky || this.global ? this.lastIndex : 0;
    const found = exec.call(this, searched);
    const end = found === null ? searched.length : found.index + found[0].length;
    units += 1 + end - from;
    each(this, end - from);
    return found;
  };
  String.prototype.charCodeAt = function (this: string, at: number) {
    units++;
    return charCodeAt.call(this, at);
  };
  try {
    run(text);
  } finally {
    RegExp.prototype.exec = exec;
    String.prototype.charCodeAt = charCodeAt;
  }
  return units;
}
