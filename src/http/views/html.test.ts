import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { escapeText, html, trusted } from './html.ts';

describe('html', () => {
  const rows = [
    ['a text is escaped', html`<p>${'<b>&"\''}</p>`, '<p>&lt;b&gt;&amp;&quot;&#39;</p>'],
    ['markup of the template is not', html`<p>${html`<b>${'<'}</b>`}</p>`, '<p><b>&lt;</b></p>'],
    ['a list is joined, each as itself', html`${['<', html`<i></i>`, 3]}`, '&lt;<i></i>3'],
    ['nothing gives nothing', html`a${null}${undefined}${false}${''}b`, 'ab'],
    ['zero is a number', html`${0}`, '0'],
    ['trusted markup stays', html`${trusted('<hr>')}`, '<hr>'],
  ] as const;
  for (const [rule, made, expected] of rows) it(rule, () => assert.equal(made.toString(), expected));

  it('no text can end its element or its attribute', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[<>"']/.test(escapeText(text))));
  });
});
