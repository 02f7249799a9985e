import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { interpretQuery } from '../../search/language/interpret.ts';
import { markdown, plainSegments } from './markdown.ts';
import { renderSegments, wordsOf } from './record-text.ts';

const words = (query: string) => wordsOf(interpretQuery(query, { impliedWindow: 'off' }).query);
const REL = 'rel="nofollow noopener ugc"';

describe('Markdown of archived texts', () => {
  const p = (inside: string) => `<p>${inside}</p>`;
  for (const [name, text, expected] of [
    ['plain paragraphs, their lines kept', 'one\ntwo\n\nthree', `${p('one\ntwo')}${p('three')}`],
    ['emphasis', '*a* **b** ~~c~~ `d`', p('<em>a</em> <strong>b</strong> <s>c</s> <code>d</code>')],
    ['a quote, as dumps escape it', '&gt; a\n\nb', `<blockquote>${p('a')}</blockquote>${p('b')}`],
    [
      'lists',
      '- a\n- b\n\n3. c',
      '<ul><li dir="auto">a</li><li dir="auto">b</li></ul><ol start="3"><li dir="auto">c</li></ol>',
    ],
    ['a heading is a bold line', '## a', p('<strong>a</strong>')],
    ['a rule and code', '***\n\n    x = <1>', '<hr><pre><code>x = &lt;1&gt;</code></pre>'],
    [
      'a link',
      '[a](https://example.org/?b=1&amp;c=2)',
      p(`<a href="https://example.org/?b=1&amp;c=2" ${REL}>a</a>`),
    ],
    [
      'a bare address',
      'see http://example.org/a.',
      p(`see <a href="http://example.org/a" ${REL}>http://example.org/a</a>.`),
    ],
    [
      'an image is a link',
      '![a](https://example.org/a.png)',
      p(`<a href="https://example.org/a.png" ${REL}>a</a>`),
    ],
    [
      'no other scheme',
      '[a](javascript:alert(1)) [b](//c.org) ftp://d.org e@f.org',
      p('a b ftp://d.org e@f.org'),
    ],
    [
      'a community',
      'in /r/Energy, r/solar',
      p(
        'in <a href="/search?query=%2Fr%2FEnergy">/r/Energy</a>, <a href="/search?query=%2Fr%2Fsolar">r/solar</a>',
      ),
    ],
    ['no community within an address or a word', 'a/r/b for/r/c', p('a/r/b for/r/c')],
    ['a user is a name', '/u/somebody', p('/u/somebody')],
    ['spoilers', '>!a *b*!< c', p('<span class="spoiler" tabindex="0">a <em>b</em></span> c')],
    ['a spoiler without an end', 'a >!b', p('a &gt;!b')],
    ['superscript', '2^10 a^(b c)', p('2<sup>10</sup> a<sup>b c</sup>')],
    ['no HTML', '<b>a</b>', p('&lt;b&gt;a&lt;/b&gt;')],
    ['hidden ones by name', '**a\u202eb**', p('<strong>a<span class="control">U+202E</span>b</strong>')],
  ] as const) {
    it(name, () => {
      assert.equal(markdown(text, []).toString().replaceAll('\n</code>', '</code>'), expected);
    });
  }

  it('a table', () => {
    const table = markdown('| a | b |\n|---|---|\n| c | d |', []).toString();
    assert.match(table, /<table><thead><tr><th dir="auto">a<\/th>.*<tbody><tr><td dir="auto">c<\/td>/);
  });

  it('a phrase is marked across emphasis and the words of a link', () => {
    const marked = markdown(
      'so **solar** [panels](https://example.org/) here',
      words('"solar panels"'),
    ).toString();
    assert.equal(
      marked,
      p(
        `so <strong><mark>solar</mark></strong><mark> </mark><a href="https://example.org/" ${REL}><mark>panels</mark></a> here`,
      ),
    );
  });
});

describe('a text without syntax', () => {
  it('is written as the parser would write it', () => {
    const signs = ['a', 'a', 'word ', '1', 'r/', ...'.)*-+=#>~&;<_: \n'];
    const unit = fc.constantFrom(...signs, '  ', '\r\n', '\n\n', '  \n', '~~', '>!', '!<', '&copy;');
    const texts = fc.string({ unit, maxLength: 12 });
    const written = (text: string) => markdown(text, []).toString().replaceAll(/\s+/g, ' ');
    fc.assert(
      fc.property(texts, (text) => {
        // A fence that is open would take in what comes.
        fc.pre(!text.includes('~~~'));
        // A backtick is syntax: the parser reads all of it.
        assert.equal(written(`${text}\n\n\`x\``), `${written(text)}<p><code>x</code></p>`);
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('an excerpt of Markdown', () => {
  const plain = (text: string, query: string) => renderSegments(plainSegments(text, words(query))).toString();
  for (const [name, text, query, expected] of [
    ['has no syntax', '# a\n\n*b* [c](https://d.org/e)', 'x', `a\nb <a href="https://d.org/e" ${REL}>c</a>`],
    [
      'has the host of an address',
      'a https://d.org/some/e',
      'x',
      `a <a href="https://d.org/some/e" ${REL}>d.org</a>`,
    ],
    [
      'has the address that matches',
      'a https://d.org/some',
      'some',
      `a <a href="https://d.org/some" ${REL}>https://d.org/<mark>some</mark></a>`,
    ],
  ] as const) {
    it(name, () => assert.equal(plain(text, query), expected));
  }
});
