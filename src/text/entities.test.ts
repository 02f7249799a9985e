import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeEntities, ENTITY_NAMES } from './entities.ts';

const CASES: readonly (readonly [rule: string, text: string, decoded: string])[] = [
  ['a text without & is as it was', 'rock and roll', 'rock and roll'],
  ['named', '&lt;b&gt; &quot;x&quot; &hellip;&mdash;&nbsp;&eacute;&apos;', '<b> "x" …—\u00a0é\''],
  ['names are case-sensitive', '&Eacute;&eacute;&EACUTE;', 'Éé&EACUTE;'],
  ['decimal and hexadecimal', '&#233;&#xE9;&#Xe9;&#00233;', 'éééé'],
  ['astral', '&#128514;&#x1F602;', '😂😂'],
  ['twice', '&amp;#x200B;&amp;lt;', '\u200b<'],
  ['not three times', '&amp;amp;lt;', '&lt;'],
  ['without its semicolon it is text', '?a=1&copy=2&lt 3&#65', '?a=1&copy=2&lt 3&#65'],
  ['unknown names stay', '&foo; &; &#; &#x; & &&amp;&', '&foo; &; &#; &#x; & &&&'],
  [
    'NUL, surrogates and numbers past Unicode',
    '&#0;&#xD800;&#xDFFF;&#x110000;&#99999999999999999999;',
    '\ufffd'.repeat(5),
  ],
  ['Windows-1252 where browsers read it so', '&#146;&#x80;&#138;&#129;', '’€Š\x81'],
];

for (const [rule, text, decoded] of CASES) {
  test(`entities: ${rule}`, () => assert.equal(decodeEntities(text), decoded));
}

test('all 252 names of HTML 4 are known, and apos', () => {
  assert.equal(ENTITY_NAMES.size, 253);
  const some = ['nbsp', 'yuml', 'euro', 'diams', 'thetasym'].map((name) => ENTITY_NAMES.get(name));
  assert.equal(some.join(''), '\u00a0ÿ€♦ϑ');
});
