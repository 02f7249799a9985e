// What counts as reliably English, and what the look at common words may settle.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsCommonWords, isDetectedEnglish, isReliablyEnglish } from './english.ts';

const ENGLISH = [
  'I think you should get the other one, it lasts longer.',
  'They don’t know what they’re talking about 😂 and that’s fine',
  'Replacing the battery took about twenty minutes, no special tools needed.',
  'Excellent photographs, thanks for sharing!',
  'Café owners in the naïve façade district disagreed with their neighbours.',
];

const NOT_ENGLISH = [
  ['nothing', ''],
  ['a single word', 'Thanks!'],
  ['a single word with figures around it', '10/10 brilliant 100 %'],
  ['figures and marks', '1 2 3 4 5 6 ... !!!'],
  ['two short words', 'oh no'],
  ['German', 'Das ist eine sehr gute Idee, vielen Dank für den Hinweis!'],
  ['Dutch', 'Dat is een heel goed idee, ik ga het morgen meteen proberen.'],
  ['Danish', 'Det er en god idé, men for os var det alt for dyrt at have den.'],
  ['French', 'Je pense que c’est une très bonne idée, merci beaucoup.'],
  ['Spanish', 'Me parece una muy buena idea, muchas gracias por compartirla.'],
  ['Portuguese', 'Acho que vocês deveriam tentar de novo amanhã.'],
  ['Polish', 'To jest bardzo dobry pomysł, dziękuję za podpowiedź.'],
  ['Russian', 'Это очень хорошая идея, большое спасибо за подсказку.'],
  ['Chinese', '这是一个很好的主意，谢谢你的建议。'],
  ['Japanese', 'とても良いアイデアですね、ありがとうございます。'],
  ['Finnish', 'Tämä on todella hyvä ajatus, kiitos vinkistä.'],
  ['Indonesian', 'Saya pikir itu ide yang sangat bagus, terima kasih.'],
] as const;

test('English sentences are English', () => {
  for (const text of ENGLISH) assert.equal(isReliablyEnglish(text), true, text);
});

for (const [what, text] of NOT_ENGLISH) {
  test(`not reliably English: ${what}`, () => {
    assert.equal(holdsCommonWords(text), false);
    assert.equal(isDetectedEnglish(text), false);
    assert.equal(isReliablyEnglish(text), false);
  });
}

const SETTLED: readonly (readonly [string, string, boolean])[] = [
  ['five words, two of them common', 'you bring the paint tomorrow', true],
  ['four words are too few', 'you bring the paint', false],
  ['one common word twice is too little', 'the paint dries, the brush stays', false],
  ['one common word in five is enough', 'the red paint dries slowly, you bring seven brushes please', true],
  ['less is not', 'the red paint dries slowly, you bring seven brushes please tomorrow', false],
  ['an apostrophe does not part a word', "painters don't bring that colour", true],
  ['nor does a curly one', 'painters don’t bring that colour', true],
  ['a letter outside ASCII leaves it open', 'you bring the paint to the café', false],
  ['an emoji does not', 'you bring the paint 🎨 tomorrow', true],
];

for (const [rule, text, expected] of SETTLED) {
  test(`common words: ${rule}`, () => assert.equal(holdsCommonWords(text), expected));
}
