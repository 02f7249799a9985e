// Renders the project's documentation (docs/*.md) as HTML: CommonMark with tables, code blocks beside the text.

import MarkdownParser, { type Token } from 'markdown-it';
import { type Html, html, trusted } from '../../http/views/html.ts';
import { codeBlock } from './api-examples.ts';

export interface RenderedDocument {
  readonly title: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
  readonly body: Html;
}

interface Env {
  readonly rewrite: (text: string) => string;
  readonly [key: string | symbol]: unknown;
}

const parser = new MarkdownParser({ html: false });
Object.assign(parser.renderer.rules, {
  code_inline: (tokens: readonly Token[], at: number, _options: unknown, env: Env) =>
    html`<code>${env.rewrite(tokens[at]!.content)}</code>`.toString(),
  table_open: () => '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>',
  table_close: () => '</table></div>',
});
/** Rewrites links between files of docs/ to links between pages. */
parser.core.ruler.push('pages', ({ tokens }) => {
  for (const token of tokens) for (const child of token.children ?? []) toPage(child);
});

/** `rewrite` is applied to code. The level-1 heading becomes the title and is left out of the body. */
export function renderMarkdown(text: string, rewrite: Env['rewrite']): RenderedDocument {
  const env = { rewrite };
  let title = '';
  const sections: { id: string; title: string }[] = [];
  const parts = blocksOf(parser.parse(text, env)).flatMap((tokens): Part[] => {
    const [{ type, tag, content, info }, inline] = tokens as [Token, Token?];
    if (type === 'fence')
      return [{ isCode: true, markup: code(rewrite(content), CODE_NAMES[info] ?? 'Text') }];
    if (type === 'code_block') return [{ isCode: false, markup: code(rewrite(content), 'HTTP') }];
    if (type !== 'heading_open') return [{ isCode: false, markup: markupOf(tokens, env) }];
    const words = inline!.content;
    if (tag === 'h1') {
      title = words;
      return [];
    }
    const id = slug(words);
    if (tag === 'h2') sections.push({ id, title: words.replaceAll('`', '') });
    const markup = headingOf(tag === 'h2' ? 2 : 3, id, markupOf([inline!], env));
    return [{ isCode: false, isHeading: true, markup }];
  });
  return { title, sections, body: inRows(parts) };
}

interface Part {
  /** True for fenced code; indented code stays with the text. */
  readonly isCode: boolean;
  readonly isHeading?: boolean;
  readonly markup: Html;
}

/**
 * A row is text, the code that follows it, and the text up to the next code. A heading starts a new row.
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

function blocksOf(tokens: readonly Token[]): Token[][] {
  const blocks: Token[][] = [];
  for (const token of tokens) {
    if (token.level === 0 && token.nesting !== -1) blocks.push([]);
    blocks.at(-1)!.push(token);
  }
  return blocks;
}

function markupOf(tokens: Token[], env: Env): Html {
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'th_open') token.attrSet('scope', 'col');
    // A table row has an anchor if its first cell is a single code word.
    const id = token.type === 'tr_open' ? /^`([a-z_]+)`$/.exec(tokens[at + 2]!.content)?.[1] : undefined;
    if (id !== undefined) token.attrSet('id', id);
  }
  return trusted(parser.renderer.render(tokens, parser.options, env).trimEnd());
}

/** Heading ids as on GitHub: lower case, spaces as `-`, without punctuation. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .replace(/\s/g, '-');
}

const CODE_NAMES: Readonly<Record<string, string>> = {
  ...{ sh: 'Shell', js: 'JavaScript', json: 'JSON', python: 'Python', r: 'R', sql: 'SQL' },
};

function code(text: string, name: string): Html {
  return codeBlock(`Example, ${name}`, name, text.trimEnd());
}

/** A link to `errors.md#bad_date` becomes `/docs/errors#bad_date`; the text `rate-limits.md` becomes `rate limits`. */
function toPage(token: Token): void {
  if (token.type === 'text')
    token.content = token.content.replace(/^([\w-]+)\.md$/, (_, file: string) => file.replaceAll('-', ' '));
  const own = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(String(token.attrGet('href') ?? ''));
  if (own === null) return;
  token.attrSet('href', own[1] === 'api' ? `/docs${own[2] ?? ''}` : `/docs/${own[1]}${own[2] ?? ''}`);
}
