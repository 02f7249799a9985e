// What is done to the texts of records grows in a straight line with their length: tokens, entities, links, marks,
// escaping. Work is counted, not timed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { escapeText } from '../src/http/views/html.ts';
import { segmentsOf, wordsOf } from '../src/http/views/record-text.ts';
import { interpretQuery } from '../src/search/language/interpret.ts';
import { linkedDomains } from '../src/text/domains.ts';
import { decodeEntities } from '../src/text/entities.ts';
import { tokens } from '../src/text/tokenizer.ts';
import { countedUnits } from './counted-units.ts';

const SMALL = 1 << 11;
/** Up to 16 KiB; quadratic work would make a unit cost 8 times as much. */
const DOUBLINGS = 3;
const MAX_GROWTH = 1.1;

const words = wordsOf(interpretQuery('"a b" ab* don’t', { impliedWindow: 'off' }).query);
const WORK: Readonly<Record<string, (text: string) => unknown>> = {
  tokens,
  entities: decodeEntities,
  links: linkedDomains,
  marks: (text) => segmentsOf(text, words),
  escaped: escapeText,
};

const UNITS = [
  ...[
    'a',
    'a ',
    'a b ',
    'ab',
    "a'",
    'don’t ',
    '&',
    '&amp;',
    '&#',
    '&#x',
    '&amp',
    '&;',
    '<',
    '<a href="',
    '"',
  ],
  ...[
    'http',
    'http://',
    'https://a.',
    'https://a.b/(',
    'http://a@',
    'www.',
    'www.a.',
    '[a](',
    '](http://a',
    '://',
  ],
  ...[
    '.',
    '..',
    '/',
    ')',
    '\n',
    '\r\n',
    '\t',
    ' ',
    '\u200b',
    '\u202e',
    '\u0301',
    'é',
    '日',
    '日本 ',
    '😀',
    '\u200d😀',
  ],
  ...['\ud800', '\u00ad', '🇩🇪', '#️⃣', '_', '-', '*', '`', '0', '1,', '\u0000'],
];

describe('work on the text of a record grows with its length', () => {
  for (const [what, run] of Object.entries(WORK)) {
    it(what, () => {
      for (const unit of UNITS) {
        const cost = (length: number) => countedUnits(unit.repeat(length / unit.length), run) / length;
        const [small, large] = [cost(SMALL), cost(SMALL << DOUBLINGS)];
        const grown = `${JSON.stringify(unit)}: ${small} a unit became ${large}`;
        // What is done once a text is a part of little work.
        assert.ok(large <= small * MAX_GROWTH + 0.01, grown);
      }
    });
  }
});
