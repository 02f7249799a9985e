// Result lines of posts and comments, as in contract 8.9: a title, a line about the record, an excerpt, links.

import { recordAddress, threadAddress } from '../../http/addresses/reading.ts';
import type { ListView } from '../../http/addresses/search.ts';
import { type Html, html } from '../../http/views/html.ts';
import {
  type AnyRecord,
  communityLink,
  domainLink,
  linkRow,
  nameOfLink,
  nsfwMarker,
  permalink,
  sentimentOf,
  timeOf,
} from '../../http/views/record-parts.ts';
import { markedText, renderSegments, segmentsOf, startOf, visible } from '../../http/views/record-text.ts';
import { nameOf, type ShownText } from '../../http/views/results.ts';
import type { Word } from '../../model/query.ts';

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
