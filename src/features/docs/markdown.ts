// The project's own documentation (docs/*.md) as markup: headings, paragraphs, lists, tables, code, links. No other
// Markdown is ever rendered.

import { codeBlock } from '../../http/views/api-examples.ts';
import { type Html, html } from '../../http/views/html.ts';

export interface RenderedDocument {
  readonly title: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
  readonly body: Html;
}

/** Applies `rewrite` to code and to link targets. The first heading becomes the title and is not in the body. */
export function renderMarkdown(text: string, rewrite: (text: string) => string): RenderedDocument {
  const blocks = blocksOf(text);
  const title = /^# (.*)$/.exec(blocks[0]!)?.[1] ?? '';
  const sections: { id: string; title: string }[] = [];
  const parts = blocks.slice(title === '' ? 0 : 1).map((block): Part => {
    const heading = /^(##+) (.*)$/.exec(block);
    if (heading === null) return { isCode: CODE.test(block), markup: renderBlock(block, rewrite) };
    const id = slug(heading[2]!);
    if (heading[1] === '##') sections.push({ id, title: heading[2]!.replaceAll('`', '') });
    const level = heading[1] === '##' ? 2 : 3;
    return { isCode: false, isHeading: true, markup: headingOf(level, id, inline(heading[2]!, rewrite)) };
  });
  return { title, sections, body: inRows(parts) };
}

interface Part {
  readonly isCode: boolean;
  readonly isHeading?: boolean;
  readonly markup: Html;
}

/**
 * A row is words, the code that follows them, and the words behind it as far as the next code. A heading begins one.
 */
function inRows(parts: readonly Part[]): Html {
  const rows: { words: Html[]; code: Html[]; rest: Html[] }[] = [];
  for (const { isCode, isHeading = false, markup } of parts) {
    let row = rows.at(-1);
    if (row === undefined || isHeading || (isCode && row.rest.length > 0)) {
      row = { words: [], code: [], rest: [] };
      rows.push(row);
    }
    if (isCode) row.code.push(markup);
    else (row.code.length === 0 ? row.words : row.rest).push(markup);
  }
  return html`${rows.map(({ words, code: codes, rest }) =>
    codes.length === 0
      ? html`<div class="words">${words}</div>`
      : html`<div class="pair whole"><div class="words">${words}</div><div class="code">${codes}</div>${rest.length === 0 ? null : html`<div class="words rest">${rest}</div>`}</div>`,
  )}`;
}

export function headingOf(level: 2 | 3, id: string, words: Html | string): Html {
  const link = html` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
  return level === 2 ? html`<h2 id="${id}">${words}${link}</h2>` : html`<h3 id="${id}">${words}${link}</h3>`;
}

/** Blocks, separated by blank lines; those inside code do not separate. */
function blocksOf(text: string): string[] {
  const pieces = text.split(/^(```\w*\n[\s\S]*?^```)$/m);
  return pieces
    .flatMap((piece, at) =>
      at % 2 === 1 ? [piece] : piece.split(/\n{2,}/).map((block) => block.replace(/^\n+|\s+$/g, '')),
    )
    .filter((block) => block !== '');
}

/** As on the usual sites: lower case, spaces as `-`, without signs. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .replace(/\s/g, '-');
}

/** Code to copy. What is indented is part of the words. */
const CODE = /^```/;

const CODE_NAMES: Readonly<Record<string, string>> = {
  ...{ sh: 'Shell', js: 'JavaScript', json: 'JSON', python: 'Python', r: 'R', sql: 'SQL' },
};

function renderBlock(block: string, rewrite: (text: string) => string): Html {
  const fenced = /^```(\w*)\n([\s\S]*?)\n?```$/.exec(block);
  if (fenced !== null) return code(rewrite(fenced[2]!), CODE_NAMES[fenced[1]!] ?? 'Text');
  if (/^ {4}/.test(block)) return code(rewrite(block.replace(/^ {4}/gm, '')), 'HTTP');
  if (block.startsWith('|')) return table(block.split('\n'), rewrite);
  if (block.startsWith('- ')) {
    const items = block.slice(2).split(/\n- /);
    return html`<ul>${items.map((item) => html`<li>${inline(item, rewrite)}</li>`)}</ul>`;
  }
  return html`<p>${inline(block, rewrite)}</p>`;
}

function code(text: string, name: string): Html {
  return codeBlock(`Example, ${name}`, name, text);
}

/** Gives a row an anchor if its first cell is one word of code. */
function table(lines: readonly string[], rewrite: (text: string) => string): Html {
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
  const [head = '', , ...rows] = lines;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells(head).map((cell) => html`<th scope="col">${inline(cell, rewrite)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => {
    const columns = cells(row);
    const id = /^`([a-z_]+)`$/.exec(columns[0] ?? '')?.[1];
    return html`<tr${id === undefined ? null : html` id="${id}"`}>${columns.map((cell) => html`<td>${inline(cell, rewrite)}</td>`)}</tr>`;
  })}</tbody></table></div>`;
}

const INLINE = /(``.+?``|`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/;

function inline(text: string, rewrite: (text: string) => string): Html {
  const pieces = text.split(INLINE).map((piece, at) => {
    if (at % 2 === 0) return piece;
    if (piece.startsWith('``')) return html`<code>${piece.slice(2, -2).trim()}</code>`;
    if (piece.startsWith('`')) return html`<code>${rewrite(piece.slice(1, -1))}</code>`;
    if (piece.startsWith('**')) return html`<strong>${inline(piece.slice(2, -2), rewrite)}</strong>`;
    const [, words = '', target = ''] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(piece) ?? [];
    const name = words.replace(/^([\w-]+)\.md$/, (_, file: string) => file.replaceAll('-', ' '));
    return html`<a href="${linkTarget(target)}">${inline(name, rewrite)}</a>`;
  });
  return html`${pieces}`;
}

/** `errors.md#bad_date` in docs/ becomes the page `/docs/errors#bad_date`. */
function linkTarget(target: string): string {
  const own = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(target);
  if (own === null) return target;
  return own[1] === 'api' ? `/docs${own[2] ?? ''}` : `/docs/${own[1]}${own[2] ?? ''}`;
}
