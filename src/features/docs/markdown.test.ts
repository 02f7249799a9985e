import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderMarkdown, slug } from './markdown.ts';

/** Without the frame of a row of words alone, and without breaks between elements. */
const body = (text: string) =>
  rendered(text)
    .replace(/^<div class="words">([\s\S]*)<\/div>$/, '$1')
    .replaceAll(/>\n+</g, '><');

const rendered = (text: string) =>
  renderMarkdown(text, (code) => code.replace('HERE', 'there')).body.toString();

describe('Markdown of the documentation', () => {
  const rows = [
    ['a paragraph', 'One\ntwo', '<p>One\ntwo</p>'],
    ['two of them', 'One\n\n\ntwo', '<p>One</p><p>two</p>'],
    [
      'code, bold, link',
      'a `b<c` **d** [e](https://f.org/)',
      '<p>a <code>b&lt;c</code> <strong>d</strong> <a href="https://f.org/">e</a></p>',
    ],
    ['a link to another file', '[a.md](a.md#rows)', '<p><a href="/docs/a#rows">a</a></p>'],
    ['a link to the file of the API', '[api](api.md)', '<p><a href="/docs">api</a></p>'],
    ['a list', '- a\n- b\n  c', '<ul><li>a</li><li>b\nc</li></ul>'],
    [
      'headings get ids, and links to themselves',
      '## A `b`: c',
      '<h2 id="a-b-c">A <code>b</code>: c <a class="anchor" href="#a-b-c" aria-label="Link to this section">#</a></h2>',
    ],
    ['markup is text', '<b>', '<p>&lt;b&gt;</p>'],
  ] as const;
  for (const [rule, text, expected] of rows) it(rule, () => assert.equal(body(text), expected));

  it('code keeps its blank lines', () => {
    assert.match(rendered('```js\na\n\nHERE\n```'), /JavaScript[\s\S]*<code>a\n\nthere<\/code><\/pre>/);
    assert.match(rendered('    GET /a\n    GET /b'), /<code>GET \/a\nGET \/b<\/code><\/pre>/);
  });

  it('code stands beside the words before it', () => {
    const markup = rendered('One\n\nTwo\n\n```sh\na\n```\n\n```sh\nb\n```\n\nThree');
    const shape = markup.replace(/<div class="block">[\s\S]*?<code>(.)<\/code><\/pre><\/div>/g, '$1');
    const words = '<div class="words"><p>One</p><p>Two</p></div>';
    const rest = '<div class="words rest"><p>Three</p></div>';
    assert.equal(shape, `<div class="pair whole">${words}<div class="code">ab</div>${rest}</div>`);
  });

  it('code does not stand beside what another heading says', () => {
    assert.match(
      rendered('One\n\n## Two\n\n```sh\na\n```'),
      /^<div class="words"><p>One<\/p><\/div><div class="pair whole"><div class="words"><h2 id="two">/,
    );
  });

  it('a table: bars in cells are escaped, a code in the first cell names its row', () => {
    const markup = body('| code | x |\n|---|---|\n| `bad_date` | a \\| b |');
    assert.match(markup, /<th scope="col">code<\/th>/);
    assert.match(markup, /<tr id="bad_date"><td><code>bad_date<\/code><\/td><td>a \| b<\/td><\/tr>/);
  });

  it('the title and the sections', () => {
    const { title, sections } = renderMarkdown('# T\n\n## One\n\nx\n\n### Deep\n\n## Two', (code) => code);
    assert.deepEqual([title, sections.map(({ id }) => id)], ['T', ['one', 'two']]);
  });

  it('ids as on the usual sites', () => {
    assert.equal(slug('First: a `before:` alone looks at 1 day'), 'first-a-before-alone-looks-at-1-day');
  });
});
