import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { turnsWhile } from '../../../test/helpers.ts';
import { Turns } from '../../model/waiting.ts';
import { interpretQuery } from '../../search/language/interpret.ts';
import { markedWhole, surroundings } from './markdown.ts';
import { renderSegments, segmentsOf, wordsOf } from './record-text.ts';

const words = (query: string) => wordsOf(interpretQuery(query, { impliedWindow: 'off' }).query);

/** Marks that touch are one: a phrase across two pieces is marked in both. */
const joined = (markup: string) => markup.replaceAll('</mark><mark>', '');

describe('a text is marked in pieces as it is whole', () => {
  it('whatever it is made of', async () => {
    const part = fc.constantFrom(
      ...['solar panel ', 'solar ', 'panel', '\n', 'a&amp;lt;b ', '日本。', 'été '],
      ...[`${'x'.repeat(1500)} `, `${'word '.repeat(300)}`, '\r\n', '\u{1f468}\u200d\u{1f469}', 'e\u0301 '],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 60 }), async (parts) => {
        const text = parts.join('');
        const query = words('"solar panel" xx* panel|日本');
        const whole = joined(renderSegments(segmentsOf(text, query)).toString());
        assert.equal(joined((await markedWhole(text, query, new Turns())).toString()), whole);
      }),
      { numRuns: 200 },
    );
  });

  it('a phrase across the end of a piece', async () => {
    const text = `${'word '.repeat(818)}solar panel tail`;
    const marked = await markedWhole(text, words('"solar panel tail"'), new Turns());
    assert.match(joined(marked.toString()), /word <mark>solar panel tail<\/mark>$/);
  });

  it('others have their turn while a mebibyte is marked', async (t) => {
    const text = 'Солнечная solar panel. '.repeat(45_000);
    // Each step takes longer than a turn may.
    let ms = 0;
    t.mock.method(performance, 'now', () => {
      ms += 1000;
      return ms;
    });
    const turns = await turnsWhile(() => markedWhole(text, words('solar pa*'), new Turns()));
    assert.ok(turns > 3, `${turns} turns`);
  });
});

describe('what an excerpt is cut from', () => {
  const around = async (text: string, query: string) =>
    (await surroundings(text, words(query), 100, new Turns()))
      .map(({ text: part, isMarked }) => (isMarked ? `[${part}]` : part))
      .join('');

  it('stands around the first match', async () => {
    const found = await around(`${'word '.repeat(5000)}match ${'tail '.repeat(500)}`, 'match');
    assert.match(found, /^(?:word ){15,25}\[match\] (?:tail ){20,}/);
  });
  it('is the beginning where nothing matches', async () => {
    assert.match(await around('word '.repeat(5000), 'match'), /^word word /);
  });
  it('cuts no character', async () => {
    const found = await around(`${'\u{1f468}'.repeat(3000)} match ${'\u{1f468}'.repeat(300)}`, 'match');
    assert.ok(found.isWellFormed());
  });
});
