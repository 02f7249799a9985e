import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokens } from '../../text/tokenizer.ts';
import { isUncertain } from './selection.ts';

const raw = (text: string) => Buffer.from(text).toString('latin1');

test('no character that is held for harmless becomes, drops out of or joins an ASCII token', () => {
  let harmless = 0;
  for (let code = 0x80; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    if (isUncertain(raw(character))) continue;
    harmless++;
    for (const text of [`so${character}lar`, `1${character}${character}2`, `${character}a ${character}`]) {
      for (const token of tokens(text)) {
        const begin = /^[a-z0-9]*/.exec(token)![0];
        assert.ok(text.includes(begin), `U+${code.toString(16)}: ${JSON.stringify(text)} holds ${token}`);
      }
    }
  }
  assert.ok(harmless > 20_000);
});

test('no escape that is held for harmless does, in either case', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const hex = code.toString(16).padStart(4, '0');
    for (const written of [`\\u${hex}`, `\\u${hex.toUpperCase()}`]) {
      if (isUncertain(written)) continue;
      const text = `so${JSON.parse(`"${written}"`)}lar`;
      assert.ok(!tokens(text).includes('solar'), written);
      for (const token of tokens(text)) assert.ok(text.includes(/^[a-z0-9]*/.exec(token)![0]), written);
    }
  }
});

const CERTAIN = [
  'plain {"body":"a\\nb \\"c\\" \\\\ \\/"}',
  'it’s “so” – far… 😂 €5',
  'Привет 日本 한국 λόγος'.replace('ό', 'ο'),
  'a &gt; b &amp; c &lt;d&gt; &quot;',
  '?a=1&amp;b=2&c=3',
  '&amp;gt; &amp;amp; &amp;amp;eacute;',
  '\\u2019 \\u201C \\ud83d\\ude02',
];
const UNCERTAIN = [
  ...['caf\u00e9', 'cafe\u0301', 'so\u00adlar', 'so\u200blar', '❤\ufe0f', 'ｓｏｌａｒ', 'x²', 'so&shy;lar'],
  ...['caf&eacute;', 'caf&amp;eacute;', 'so&amp;#8203;lar', '&#115;olar', '\\u0073olar', 'so\\u00adlar'],
  'so\0lar',
];

for (const line of [...CERTAIN, ...UNCERTAIN]) {
  const expected = UNCERTAIN.includes(line);
  test(`${expected ? 'uncertain' : 'certain'}: ${JSON.stringify(line)}`, () => {
    assert.equal(isUncertain(raw(line)), expected);
  });
}
