// Result lines of posts and comments, as in contract 8.9: a title, a line about the record, an excerpt, links.

import type { Word } from '../../model/query.ts';
import { recordAddress, threadAddress } from '../addresses/reading.ts';
import type { ListView } from '../addresses/search.ts';
import type { Turns } from '../requests/turns.ts';
import { type Html, html } from './html.ts';
import { surroundings } from './long-texts.ts';
import { markdown } from './markdown.ts';
import {
  type AnyRecord,
  adultFold,
  communityLink,
  domainLink,
  linkRow,
  nameOfLink,
  nsfwMarker,
  permalink,
  sentimentOf,
  textOf,
  timeOf,
} from './record-parts.ts';
import {
  excerptOf,
  lengthWords,
  markedText,
  renderSegments,
  segmentsOf,
  startOf,
  visible,
} from './record-text.ts';

/** What a line needs besides its record. */
interface LineContext {
  readonly words: readonly Word[];
  /** Unix seconds. */
  readonly now: number;
  /** Where the links beside a community lead. */
  readonly community: (name: string) => CommunityLinks;
  /** The search whose words are marked when a record is read. */
  readonly query: string;
  readonly show: ListView;
  /** Of each record, by `resultTexts`; empty where titles are shown alone. */
  readonly texts: readonly ShownText[];
  /** The thread of each record; null if it is not known. */
  readonly threads: readonly (string | null)[];
  /** The title of the thread of each comment; null if it is not known. */
  readonly threadTitles: readonly (string | null)[];
}

/** Addresses of the same search. */
export interface CommunityLinks {
  /** Within the community; null if no query can name it. */
  readonly only: string | null;
  /** Whether that is another list. */
  readonly isNarrower: boolean;
  /** Without it; null also if nothing would be left. */
  readonly not: string | null;
}

/** A text as shown in a list. */
export interface ShownText {
  /** null where there is none. */
  readonly block: Html | null;
  /** The link to the page that shows it whole; null if this one does. */
  readonly whole: Html | null;
}

/** How many characters and lines of a text are shown: three lines of a wide window. */
const EXCERPT = { characters: 270, lines: 3 };
/** A line has about as many characters; letters of Chinese, Japanese and Korean take two places. */
const LINE = 90;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/;
const MAX_TITLE = 400;

export function resultList(records: readonly AnyRecord[], context: LineContext): Html {
  return html`<h2 class="unseen">Results</h2>
<ol class="results ${context.show}">
${records.map((record, at) => html`<li>${resultLine(record, at, context)}</li>\n`)}</ol>`;
}

function resultLine(record: AnyRecord, at: number, context: LineContext): Html {
  const { query, now, show } = context;
  const { name } = record.subreddit;
  const { only, isNarrower, not } = context.community(name);
  const own = recordAddress(record.type, record.id, { query });
  const thread = threadOf(record, at, context);
  const community = html`<bdi>/r/${visible(name)}</bdi>`;
  const edits = [
    only === null || !isNarrower ? null : html`<a href="${only}">Only ${community}</a>`,
    not === null ? null : html`<a href="${not}">Not ${community}</a>`,
  ];
  const links = [
    context.texts[at]?.whole ?? null,
    thread === null ? null : html`<a href="${thread}"${nameOfLink(`h${at}`, nameOf(record, at))}>Thread</a>`,
    permalink(record, nameOfLink(`p${at}`, nameOf(record, at))),
    ...(show === 'titles' ? [] : edits),
  ];
  return html`<article>
<h3 class="title" id="t${at}"><a href="${record.type === 'post' ? own : (thread ?? own)}">${titleOf(record, at, context)}</a>${nsfwMarker(record)}</h3>
<p class="meta">${communityLink(record, only)} <span id="d${at}">${timeOf(record, now)}</span> <span class="score">${String(record.score)} score</span>${record.type === 'post' ? html` ${domainLink(record)}` : sentimentOf(record)}</p>
${context.texts[at]?.block}
${linkRow(links)}
</article>`;
}

/** Address of the thread; of that of a comment, the place where the comment stands. */
function threadOf({ type, id }: AnyRecord, at: number, { threads, query }: LineContext): string | null {
  const post = threads[at] ?? null;
  const around = type === 'comment' ? id : null;
  return post === null ? null : threadAddress({ post, query, after: 0, around });
}

/** Ids of what names a record in the list. Comments on one post have one title: their times tell them apart. */
function nameOf({ type }: AnyRecord, at: number): string {
  return type === 'post' ? `t${at}` : `t${at} d${at}`;
}

/** Of a comment, the title of its thread: the words of the query are not searched for there, so none is marked. */
function titleOf(record: AnyRecord, at: number, { words, threadTitles }: LineContext): Html {
  if (record.type === 'post') return cutTitle(record.title, words);
  const title = threadTitles[at] ?? null;
  return title === null
    ? html`<span class="unknown">Comment in <bdi>/r/${visible(record.subreddit.name)}</bdi></span>`
    : cutTitle(title, []);
}

function cutTitle(title: string, words: readonly Word[]): Html {
  if (title.trim() === '') return html`<i>(no title)</i>`;
  if (title.length <= MAX_TITLE) return markedText(title, words);
  const segments = segmentsOf(title.slice(0, 4 * MAX_TITLE), words);
  return html`<bdi>${renderSegments(startOf(segments, MAX_TITLE) ?? segments)}</bdi>`;
}

/** The text of each record: folded if its community is for adults. */
export async function resultTexts(
  records: readonly AnyRecord[],
  words: readonly Word[],
  query: string,
  turns: Turns,
): Promise<ShownText[]> {
  const texts: ShownText[] = [];
  for (const [at, record] of records.entries()) {
    const named = nameOfLink(`r${at}`, nameOf(record, at));
    texts.push(await excerptText(record, words, query, turns, named));
    await turns.next();
  }
  return texts;
}

/**
 * The text, as it is or the part around the words; the whole of it is on the page of the record. `named`: what
 * `nameOfLink` gives for the link to that.
 */
export async function excerptText(
  record: AnyRecord,
  words: readonly Word[],
  query: string,
  turns: Turns,
  named: Html | null = null,
): Promise<ShownText> {
  const text = textOf(record);
  if (text.trim() === '') return { block: null, whole: null };
  if (isShort(text)) {
    return { block: folded(record, markdown(text, words)), whole: null };
  }
  const isWide = WIDE.test(text.slice(0, EXCERPT.characters));
  const around = await surroundings(text, words, 2 * EXCERPT.characters, turns);
  const excerpt = excerptOf(around, isWide ? EXCERPT.characters / 2 : EXCERPT.characters, 0) ?? around;
  const address = recordAddress(record.type, record.id, { query });
  return {
    block: folded(record, html`<p class="excerpt" dir="auto">${renderSegments(excerpt)}</p>`),
    whole: html`<a href="${address}"${named}>Read all ${lengthWords(text)}</a>`,
  };
}

/** Whether the text takes no more lines than an excerpt. */
function isShort(text: string): boolean {
  if (text.length > EXCERPT.characters) return false;
  const places = (line: string) => (WIDE.test(line) ? 2 : 1) * line.length;
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(places(line) / LINE)), 0);
  return lines <= EXCERPT.lines;
}

function folded(record: AnyRecord, text: Html): Html {
  return record.subreddit.nsfw ? adultFold(text) : html`<div class="text">${text}</div>`;
}
