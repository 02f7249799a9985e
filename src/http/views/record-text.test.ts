import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { interpretQuery } from '../../search/language/interpret.ts';
import { decodeEntities } from '../../text/entities.ts';
import {
  excerptOf,
  renderSegments,
  type Segment,
  segmentsOf,
  startOf,
  visible,
  visibleText,
  wordsOf,
} from './record-text.ts';

const words = (query: string) => wordsOf(interpretQuery(query, { impliedWindow: 'off' }).query);
const join = (segments: readonly Segment[]) => segments.map(({ text }) => text).join('');

describe('marking', () => {
  const rows = [
    ['a term', 'sun', 'The Sun, the SUN; sunny', 'The [Sun], the [SUN]; sunny'],
    ['a phrase, its tokens together', '"a b"', 'a b a-b a', '[a b] [a-b] a'],
    ['a term of several tokens', 'don’t', "I don't, I don t", "I [don't], I [don t]"],
    ['a prefix, the whole word', 'pan*', 'panel pancake open', '[panel] [pancake] open'],
    ['any-of: each of them', 'sun|"wind power"', 'sun and wind power', '[sun] and [wind power]'],
    ['an exclusion marks nothing', '-sun moon', 'sun moon', 'sun [moon]'],
    ['words that overlap make one mark', '"a b" "b c"', 'a b c', '[a b][ c]'],
    ['accents and case', 'cafe', 'CAFÉ', '[CAFÉ]'],
    ['entities are decoded', 'rock', 'rock &amp;amp; roll &lt;b&gt;', '[rock] & roll <b>'],
    ['other operators mark nothing', '/r/sun score:1', 'sun 1', 'sun 1'],
    ['an any substring of Japanese', '日本', '東日本語', '東[日本]語'],
  ] as const;
  for (const [rule, query, text, expected] of rows) {
    it(rule, () => {
      const shown = ({ text: part, isMarked }: Segment) => (isMarked ? `[${part}]` : part);
      assert.equal(segmentsOf(text, words(query)).map(shown).join(''), expected);
    });
  }

  it('the segments make up the decoded text, whatever is marked', () => {
    const text = fc.array(
      fc.constantFrom('sun', ' ', '&amp;', '&lt;', 'b', '<', '\u0301', '\u{1f468}\u200d\u{1f469}', '日', '-'),
    );
    fc.assert(
      fc.property(text, (parts) => {
        assert.equal(join(segmentsOf(parts.join(''), words('sun b|日|su*'))), decodeEntities(parts.join('')));
      }),
    );
  });
});

describe('what is hidden', () => {
  const rows = [
    ['controls, but not line breaks and tabs', 'a\u0007b\nc\td', 'a[U+0007]b\nc\td'],
    ['overrides and isolates', 'a\u202eb\u2066c', 'a[U+202E]b[U+2066]c'],
    ['lone surrogates', 'a\ud800b', 'a[U+D800]b'],
    ['an emoji stays whole', '\u{1f468}\u200d\u{1f469}', '\u{1f468}\u200d\u{1f469}'],
    ['carriage returns are line breaks', 'a\r\nb\rc', 'a\nb\nc'],
    ['piles of marks are cut', `e${'\u0301'.repeat(20)}`, `e${'\u0301'.repeat(4)}`],
    ['markup is text', '<b>&', '&lt;b&gt;&amp;'],
  ] as const;
  for (const [rule, text, expected] of rows) {
    it(rule, () => {
      const markup = visible(text).toString();
      assert.equal(markup.replace(/<span class="control">(.*?)<\/span>/g, '[$1]'), expected);
    });
  }

  it('where no markup can stand it is U+FFFD', () =>
    assert.equal(visibleText('a\u202eb\u0000'), 'a\ufffdb\ufffd'));

  it('marks come out as elements', () => {
    assert.equal(renderSegments(segmentsOf('a <i>', words('a'))).toString(), '<mark>a</mark> &lt;i&gt;');
  });
});

describe('excerpts', () => {
  const long = `${'word '.repeat(100)}match ${'tail '.repeat(100)}`;
  const excerpt = (text: string, query: string) => {
    const made = excerptOf(segmentsOf(text, words(query)), 100, 3);
    return made === null ? null : join(made);
  };

  it('a short text needs none', () => assert.equal(excerpt('short', 'match'), null));
  it('begins at the start where the match is near', () =>
    assert.match(excerpt(`match ${long}`, 'match')!, /^match word .* …$/));
  it('begins before a match that is far', () =>
    assert.match(excerpt(long, 'match')!, /^… (?:word )+match (?:tail )*tail …$/));
  it('begins at the start without a match', () =>
    assert.match(excerpt(long, 'nothing')!, /^word word .* …$/));
  it('ends without dots where the text ends', () =>
    assert.match(excerpt(`${'word '.repeat(100)}match`, 'match')!, /match$/));
  it('of more lines than fit, they are joined', () => {
    assert.equal(excerpt('a\n b\nc', 'match'), null);
    assert.equal(excerpt('a\n\n\nb\n  c\nd\ne', 'match'), 'a b c d e');
  });
  it('stands where most of the words are together, not at the first of them', () => {
    const text = `solar ${'x '.repeat(200)}solar roof ${'y '.repeat(200)}solar roof panel ${'z '.repeat(200)}`;
    assert.match(excerpt(text, 'solar roof panel')!, /^… (?:y )+solar roof panel (?:z )+…$/);
  });
  it('of equal places the first is taken', () => {
    const text = `${'x '.repeat(200)}solar one ${'y '.repeat(200)}solar two ${'z '.repeat(200)}`;
    assert.match(excerpt(text, 'solar')!, /solar one/);
  });
  it('piled marks do not use up its characters', () => {
    const text = `Z${'\u0300'.repeat(300)}algo ${'tail '.repeat(50)}`;
    assert.match(excerpt(text, 'match')!, /^Z\u0300{4}algo tail/);
  });
  it('is about as long as asked for, and never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 101, maxLength: 400 }), (text) => {
        const made = excerpt(text, 'match');
        assert.ok(made === null || (made.length <= 106 && made.isWellFormed()));
      }),
    );
  });
  it('the start of a text', () =>
    assert.equal(join(startOf(segmentsOf('one two three', []), 9)!), 'one two …'));
});
