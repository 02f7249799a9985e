// Archived texts are Markdown: only the elements listed here come out, with live links and with the words of the query
// marked. The syntax is CommonMark with tables, strikethrough and bare addresses as GitHub has them, and with spoilers
// (`>!…!<`), superscript (`^word`, `^(words)`) and names of communities as the site has them. No HTML passes through,
// images are links, and a link leads to http, https or a community of this archive. Long texts are read in pieces, so
// that marking a mebibyte delays nobody else.

import MarkdownParser, { type MarkdownIt, type StateBlock, type StateInline, type Token } from 'markdown-it';
import type { Word } from '../../model/query.ts';
import type { Turns } from '../../model/waiting.ts';
import { rowQuery } from '../../search/edit-query.ts';
import { decodeEntities } from '../../text/entities.ts';
import { type TokenSpan, tokenSpans } from '../../text/tokenizer.ts';
import { searchAddress } from '../addresses.ts';
import { webAddress } from './format.ts';
import { type Html, html, trusted } from './html.ts';
import {
  finderOf,
  linkOut,
  type Match,
  markedParts,
  matchesIn,
  renderSegments,
  type Segment,
  segmentsBetween,
  type WordFinder,
} from './record-text.ts';

const parser = new MarkdownParser({ html: false, linkify: true })
  .disable(['reference'])
  .use(spoilersAndSuperscripts);
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
for (const scheme of ['ftp:', '//', 'mailto:']) parser.linkify.add(scheme, null);
// Addresses are looked at when a link is written.
parser.validateLink = () => true;

/** The text as markup: blocks, each in the direction of its own letters. `words` are marked where they match. */
export function markdown(text: string, words: readonly Word[]): Html {
  const source = withLineFeeds(decodeEntities(text));
  if (SYNTAX.test(source)) return new Writer(words).blocks(parser.parse(source, {}));
  const paragraphs = source.split(/\n(?:[ \t]*\n)+/).filter((one) => one.trim() !== '');
  return html`${paragraphs.map((one) => html`<p>${markedMarkup(one.trim(), words)}</p>`)}`;
}

/** What Markdown may be made of, anywhere, at the end of a line or at its start. Most texts have none of it. */
const SYNTAX =
  /[_`^[\]<|\\\t]|\*[^*]*\*|~~|&#?\w+;|:\/\/|\br\/| {2}\n *\S|^ {2,}\S|^ ?(?:[#>*]|[-+=](?:[-+=\s]|$)|\d+[.)](?:\s|$))/m;

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/**
 * A text that is decoded without its syntax, in segments: links have their words, and bare addresses their host, but
 * where a word matches in the address.
 */
export function plainSegments(source: string, words: readonly Word[]): Segment[] {
  if (!SYNTAX.test(source)) return markedParts(source.trim(), words);
  const segments: Segment[] = [];
  for (const token of parser.parse(source, {})) {
    if (token.type === 'inline') segments.push(...plainInline(token.children!, words));
    else if (token.content !== '') segments.push(...markedParts(token.content, words));
    if (token.nesting === -1 && segments.length > 0) segments.push({ text: '\n', isMarked: false });
  }
  while (segments.at(-1)?.text === '\n') segments.pop();
  return segments;
}

function plainInline(children: readonly Token[], words: readonly Word[]): Segment[] {
  const segmentsOf = leafReader(children, words);
  const segments: Segment[] = [];
  let open: Token | null = null;
  for (const token of children) {
    if (token.type === 'link_open') open = token;
    else if (token.type === 'link_close') open = null;
    else if (token.nesting === 0) {
      const inside = segmentsOf(token);
      const href = open === null ? null : webAddress(hrefOf(open));
      const isBare = open?.markup === 'linkify' && !inside.some(({ isMarked }) => isMarked);
      const host = isBare && href !== null ? URL.parse(href)!.host : null;
      const parts = host === null ? inside : [{ text: host, isMarked: false }];
      segments.push(...(href === null ? parts : parts.map((part) => ({ ...part, href }))));
    }
  }
  return segments;
}

/** Turns tokens into markup: an element holds the tokens between its start and its end. */
class Writer {
  readonly #words: readonly Word[];

  constructor(words: readonly Word[]) {
    this.#words = words;
  }

  blocks(tokens: readonly Token[]): Html {
    return this.#within(tokens, (token) => this.#block(token));
  }

  /** The markup of tokens that stand in one another; `leaf` writes one that has no end of its own. */
  #within(tokens: readonly Token[], leaf: (token: Token, isLinked: boolean) => Html): Html {
    const open: { readonly token: Token | null; readonly inside: Html[] }[] = [{ token: null, inside: [] }];
    for (const token of tokens) {
      if (token.nesting === 1) open.push({ token, inside: [] });
      else if (token.nesting === 0) {
        const isLinked = open.some((one) => one.token?.type === 'link_open');
        open.at(-1)!.inside.push(leaf(token, isLinked));
      } else {
        const { token: opened, inside } = open.pop()!;
        open.at(-1)!.inside.push(elementOf(opened!, html`${inside}`));
      }
    }
    return html`${open[0]!.inside}`;
  }

  #block(token: Token): Html {
    switch (token.type) {
      case 'inline':
        return this.#inline(token.children!);
      case 'hr':
        return html`<hr>`;
      default:
        return html`<pre><code>${markedMarkup(token.content, this.#words)}</code></pre>`;
    }
  }

  #inline(children: readonly Token[]): Html {
    const segmentsOf = leafReader(children, this.#words);
    return this.#within(children, (token, isLinked) => {
      const segments = segmentsOf(token);
      if (token.type === 'hardbreak') return html`<br>`;
      if (token.type === 'code_inline') return html`<code>${renderSegments(segments)}</code>`;
      if (token.type !== 'image') return isLinked ? renderSegments(segments) : withCommunities(segments);
      const words = segments.length === 0 ? html`image` : renderSegments(segments);
      return isLinked ? words : link(String(token.attrGet('src')), words);
    });
  }
}

/** Elements that are written as their tag alone. */
const PLAIN_TAGS = new Set(['blockquote', 'ul', 'em', 'strong', 's', 'sup', 'thead', 'tbody', 'tr']);

function elementOf(token: Token, inside: Html): Html {
  const { type, tag } = token;
  if (PLAIN_TAGS.has(tag)) return trusted(`<${tag}>${inside}</${tag}>`);
  switch (type) {
    case 'paragraph_open':
      // In a tight list, an item has its words without a paragraph.
      return token.hidden ? inside : html`<p>${inside}</p>`;
    case 'heading_open':
      return html`<p><strong>${inside}</strong></p>`;
    case 'ordered_list_open':
      return html`<ol start="${String(token.attrGet('start') ?? 1)}">${inside}</ol>`;
    case 'list_item_open':
      return html`<li dir="auto">${inside}</li>`;
    case 'spoiler_open':
      return html`<span class="spoiler" tabindex="0">${inside}</span>`;
    case 'link_open':
      return link(hrefOf(token), inside);
    case 'table_open':
      return html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>${inside}</table></div>`;
    case 'th_open':
      return html`<th dir="auto">${inside}</th>`;
    case 'td_open':
      return html`<td dir="auto">${inside}</td>`;
    default:
      throw new Error(`expected an element of Markdown that is listed, found ${type}`);
  }
}

function hrefOf(token: Token): string {
  return String(token.attrGet('href'));
}

/** The words alone where the address is none of the web. */
function link(address: string, inside: Html): Html {
  const community = /^\/?r\/(\w{2,32})\/?$/.exec(address)?.[1];
  if (community !== undefined) return communityLink(community, inside);
  const href = webAddress(address);
  return href === null ? inside : linkOut(href, inside);
}

function communityLink(name: string, inside: Html): Html {
  const query = rowQuery('community', name);
  return query === null ? inside : html`<a href="${searchAddress({ query })}">${inside}</a>`;
}

/** `/r/name` and `r/name`, not inside of a word or an address. */
const COMMUNITY = /((?<![\w/.])\/?r\/\w{2,32}(?![\w/]))/;

function withCommunities(segments: readonly Segment[]): Html {
  return html`${segments.map((segment) => {
    if (!segment.text.includes('r/')) return renderSegments([segment]);
    const pieces = segment.text.split(COMMUNITY);
    return pieces.map((text, at) => {
      const words = renderSegments([{ ...segment, text }]);
      return at % 2 === 0 ? words : communityLink(text.slice(text.indexOf('r/') + 2), words);
    });
  })}`;
}

/**
 * Reads leaves, which are asked for in their order. Words match in what is read, whatever emphasis stands between their
 * letters.
 */
function leafReader(children: readonly Token[], words: readonly Word[]): (leaf: Token) => Segment[] {
  const joined = children.map(textOfLeaf).join('');
  const matches = matchesIn(joined, words);
  let to = 0;
  return (leaf) => {
    const from = to;
    to += textOfLeaf(leaf).length;
    const inside = matches.filter(({ start, end }) => start < to && end > from);
    return segmentsBetween(joined, inside, from, to);
  };
}

/** What is read of it; nothing of what opens or closes. */
function textOfLeaf({ type, content }: Token): string {
  return type === 'softbreak' || type === 'hardbreak' ? '\n' : content;
}

function markedMarkup(text: string, words: readonly Word[]): Html {
  return renderSegments(markedParts(text, words));
}

/** What the site writes besides: a paragraph that begins with a spoiler is no quote. */
function spoilersAndSuperscripts(md: MarkdownIt): void {
  md.block.ruler.before('blockquote', 'spoiler', spoilerParagraph);
  md.inline.ruler.before('escape', 'spoiler', (state, silent) => pair(state, silent, 'spoiler', '>!', '!<'));
  md.inline.ruler.before('escape', 'superscript', superscript);
}

/** Lines up to an empty one, the first of which begins with `>!` and has its end. */
function spoilerParagraph(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.sCount[startLine]! - state.blkIndent >= 4 || !state.src.startsWith('>!', start)) return false;
  let line = startLine + 1;
  while (line < endLine && !state.isEmpty(line)) line++;
  const text = state.getLines(startLine, line, state.blkIndent, false).trim();
  if (!text.includes('!<')) return false;
  if (silent) return true;
  state.line = line;
  state.push('paragraph_open', 'p', 1);
  const inline = state.push('inline', '', 0);
  inline.content = text;
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  return true;
}

function superscript(state: StateInline, silent: boolean): boolean {
  if (state.src.charAt(state.pos) !== '^') return false;
  if (state.src.charAt(state.pos + 1) === '(') return pair(state, silent, 'sup', '^(', ')');
  const word = /[^\s^*_~`[\]()<>|]+/y;
  word.lastIndex = state.pos + 1;
  const text = word.exec(state.src)?.[0];
  if (text === undefined) return false;
  if (!silent) nested(state, 'sup', state.pos + 1, state.pos + 1 + text.length);
  state.pos += 1 + text.length;
  return true;
}

/** Characters; so that signs without an end cost no more than a look at each. */
const MOST_INSIDE = 2000;

/** What stands between two signs, which may have syntax of its own. */
function pair(state: StateInline, silent: boolean, name: string, open: string, close: string): boolean {
  if (!state.src.startsWith(open, state.pos)) return false;
  const start = state.pos + open.length;
  const length = state.src.slice(start, Math.min(state.posMax, start + MOST_INSIDE)).indexOf(close);
  if (length <= 0) return false;
  const end = start + length;
  if (!silent) nested(state, name, start, end);
  state.pos = end + close.length;
  return true;
}

function nested(state: StateInline, name: string, start: number, end: number): void {
  const { pos, posMax } = state;
  state.push(`${name}_open`, name, 1);
  state.pos = start;
  state.posMax = end;
  state.md.inline.tokenize(state);
  state.pos = pos;
  state.posMax = posMax;
  state.push(`${name}_close`, name, -1);
}

/** UTF-16 units of one piece. */
const PIECE_UNITS = 4096;
/** The same where the first match is looked for: most stand near the beginning, and then the rest is not read. */
const SEARCHED_PIECE_UNITS = 1024;
/** Not the carriage return, since the character after it may belong to it. */
const SPACE = /[ \n\t]/;
/** Signs after which a cut splits no word, entity or emoji: for texts written without spaces. */
const SIGN = /[、。，！？]/;

/**
 * Where a piece that begins at `start` ends: after a space, so that no token, entity or character is cut. If
 * there is none, after a Chinese or Japanese sign; otherwise somewhere between two characters, so a word of
 * thousands of letters becomes two.
 */
function endOfPiece(text: string, start: number, units = PIECE_UNITS): number {
  const most = start + units;
  if (most >= text.length) return text.length;
  for (const end of [SPACE, SIGN]) {
    for (let i = most; i > start; i--) if (end.test(text.charAt(i - 1))) return i;
  }
  return isPairSplit(text, most) ? most - 1 : most;
}

function isPairSplit(text: string, at: number): boolean {
  return at > 0 && text.codePointAt(at - 1)! > 0xffff;
}

/** The longest text that is read as Markdown, in UTF-16 units: the site takes none above 40,000 characters. */
const MAX_MARKDOWN = 60_000;

/** The whole text as blocks of markup, with words marked wherever they occur. */
export async function wholeBlocks(text: string, words: readonly Word[], turns: Turns): Promise<Html> {
  if (text.length <= MAX_MARKDOWN) return markdown(text, words);
  return html`<p>${await markedWhole(text, words, turns)}</p>`;
}

/** The same without a look at its syntax, in one piece of markup. */
export async function markedWhole(text: string, words: readonly Word[], turns: Turns): Promise<Html> {
  const finder = finderOf(words);
  const decoded = await decodedInPieces(text, turns);
  const matches = finder.longest === 0 ? [] : await matchesOf(decoded, finder, turns);
  const markup: Html[] = [];
  let next = 0;
  for (let start = 0; start < decoded.length; ) {
    const end = endOfPiece(decoded, start);
    const inside: Match[] = [];
    while (next < matches.length && matches[next]!.start < end) inside.push(matches[next++]!);
    // A phrase that continues in the next piece is marked there too.
    if (inside.at(-1) !== undefined && inside.at(-1)!.end > end) next--;
    markup.push(renderSegments(segmentsBetween(decoded, inside, start, end)));
    start = end;
    await turns.next();
  }
  return html`${markup}`;
}

async function decodedInPieces(text: string, turns: Turns): Promise<string> {
  if (!text.includes('&')) return text;
  let decoded = '';
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = endOfPiece(text, start);
    decoded += decodeEntities(text.slice(start, end));
    await turns.next();
  }
  return decoded;
}

async function matchesOf(text: string, finder: WordFinder, turns: Turns): Promise<Match[]> {
  const matches: Match[] = [];
  for await (const found of matchesByPiece(text, finder, PIECE_UNITS, turns)) {
    for (const match of found) {
      const before = matches.at(-1)?.end ?? 0;
      if (match.end > before) matches.push({ start: Math.max(before, match.start), end: match.end });
    }
  }
  return matches;
}

/** How many UTF-16 units of a text are searched for the first match. */
const MAX_SEARCHED_UNITS = 50_000;

async function firstMatch(text: string, words: readonly Word[], turns: Turns): Promise<number | null> {
  const finder = finderOf(words);
  if (finder.longest === 0) return null;
  const pieces = matchesByPiece(text, finder, SEARCHED_PIECE_UNITS, turns, MAX_SEARCHED_UNITS);
  for await (const [first] of pieces) if (first !== undefined) return first.start;
  return null;
}

/** The matches of each piece that begins before `limit`; those of a phrase of two pieces come with the second. */
async function* matchesByPiece(
  text: string,
  finder: WordFinder,
  units: number,
  turns: Turns,
  limit = Infinity,
): AsyncGenerator<readonly Match[]> {
  const spans: TokenSpan[] = [];
  let matched = 0;
  for (let start = 0; start < Math.min(text.length, limit); ) {
    const end = endOfPiece(text, start, units);
    for (const span of tokenSpans(text.slice(start, end), finder.beginnings))
      spans.push({ token: span.token, start: span.start + start, end: span.end + start });
    start = end;
    // A match that may continue in the next piece waits for it.
    const ready = end === text.length ? spans.length : Math.max(matched, spans.length - finder.longest + 1);
    yield finder.matches(spans, matched, ready);
    matched = ready;
    await turns.next();
  }
}

/**
 * Some `reach` units around the first match, from which an excerpt is cut, without their syntax. Begins at the start
 * of the text if that is near, or if nothing matches.
 */
export async function surroundings(
  text: string,
  words: readonly Word[],
  reach: number,
  turns: Turns,
): Promise<readonly Segment[]> {
  const decoded = decodeEntities(text.slice(0, endOfPiece(text, 0, MAX_SEARCHED_UNITS + 4 * reach)));
  const first = decoded.length <= 2 * reach ? 0 : ((await firstMatch(decoded, words, turns)) ?? 0);
  const from = first <= reach ? 0 : behindSpace(decoded, first - reach);
  const to = from + 3 * reach;
  const part = decoded.slice(from, isPairSplit(decoded, to) ? to - 1 : to);
  return plainSegments(withLineFeeds(part), words);
}

/** The offset after the first space at or after `at`; `at` if none is near. */
function behindSpace(text: string, at: number): number {
  for (let i = at; i < at + 100; i++) if (SPACE.test(text.charAt(i))) return i + 1;
  return isPairSplit(text, at) ? at - 1 : at;
}
