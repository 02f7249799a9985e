// Markdown of any text: what comes out is the elements of the documentation, closed as they were opened; the rest is
// text.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { renderMarkdown } from '../../src/features/docs/markdown.ts';
import type { FuzzProperty } from './property.ts';

const pieces = [
  ...['# ', '## ', '### ', '- ', '| ', ' |', '|---|', '`', '``', '```', '```js', '**', '[', ']', '](', ')'],
  ...['(', '\\|'],
  ...['\n', '\n\n', '    ', '<b>', '</code>', '<script>', '&lt;', '&', '"', "'", '>', 'a', 'é', ' '],
  ...['javascript:x', 'api.md#b'],
];
const TAG =
  /<(\/?)(p|h1|h2|h3|blockquote|ul|ol|li|em|pre|code|strong|a|button|div|table|thead|tbody|tr|th|td)((?: (?:id|href|title|start|scope|class|role|tabindex|type|aria-label)="[^"<>]*"| hidden| data-copy)*)>/g;

export const markdownProperties: readonly FuzzProperty[] = [
  {
    name: 'markdown: known elements alone, closed as they were opened, and no markup of the text',
    runs: 500,
    property: fc.property(
      fc.string({ unit: fc.constantFrom(...pieces), maxLength: 80, size: 'max' }),
      (text) => {
        const markup = renderMarkdown(text, (code) => code)
          .body.toString()
          .replaceAll(/<[bh]r>/g, '');
        const open: string[] = [];
        for (const [, closing, name] of markup.matchAll(TAG)) {
          if (closing === '') open.push(name!);
          else assert.equal(open.pop(), name, markup);
        }
        assert.deepEqual(open, [], markup);
        assert.doesNotMatch(markup.replace(TAG, ''), /[<>]/, markup);
      },
    ),
  },
];
