import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokens } from '../../text/tokenizer.ts';
import { isUncertain } from './raw-line.ts';

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

const LINES: [line: string, isUncertain: boolean][] = [
  ['plain {"body":"a\\nb \\"c\\" \\\\ \\/"}', false],
  ['it’s “so” – far… 😂 €5', false],
  ['Привет 日本 한국 λόγος'.replace('ό', 'ο'), false],
  ['a &gt; b &amp; c &lt;d&gt; &quot;', false],
  ['?a=1&amp;b=2&c=3', false],
  ['&amp;gt; &amp;amp; &amp;amp;eacute;', false],
  ['\\u2019 \\u201C \\ud83d\\ude02', false],
  ['caf\u00e9', true],
  ['cafe\u0301', true],
  ['so\u00adlar', true],
  ['so\u200blar', true],
  ['❤\ufe0f', true],
  ['ｓｏｌａｒ', true],
  ['x²', true],
  ['so&shy;lar', true],
  ['caf&eacute;', true],
  ['caf&amp;eacute;', true],
  ['so&amp;#8203;lar', true],
  ['&#115;olar', true],
  ['\\u0073olar', true],
  ['so\\u00adlar', true],
  ['so\0lar', true],
];

for (const [line, expected] of LINES) {
  test(`${expected ? 'uncertain' : 'certain'}: ${JSON.stringify(line)}`, () => {
    assert.equal(isUncertain(raw(line)), expected);
  });
}
