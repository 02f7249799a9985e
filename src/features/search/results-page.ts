// The page of a search: box, parts, list with its end, and the panels around it. Result lines as in contract 8.9; help
// if the list is empty.

import {
  compareAddress,
  firstPage,
  listOf,
  nextPage,
  ofKind,
  PAGE_SIZES,
  picturesAddress,
  previousPage,
  recordAddress,
  type SearchState,
  searchAddress,
  searchAddresses,
  settingsAddress,
  threadAddress,
} from '../../http/addresses.ts';
import { rowLinks } from '../../http/views/charts.ts';
import { count, counted } from '../../http/views/format.ts';
import { type Html, html, menu } from '../../http/views/html.ts';
import { type Frame, type SkipTarget, signInTo } from '../../http/views/layout.ts';
import {
  markedText,
  renderSegments,
  segmentsOf,
  startOf,
  visible,
  wordsOf,
} from '../../http/views/record-text.ts';
import {
  type AnyRecord,
  communityLink,
  damageNotice,
  domainLink,
  linkRow,
  nameOf,
  nameOfLink,
  nsfwMarker,
  permalink,
  type ShownText,
  sentimentOf,
  textOf,
  timeOf,
  visitorEnd,
} from '../../http/views/records.ts';
import {
  chips,
  droppedSigns,
  SYNTAX_HINT,
  searchFormAlone,
  syntaxHelp,
} from '../../http/views/search-form.ts';
import { ORDERS, type Order } from '../../model/pages.ts';
import type { Word } from '../../model/query.ts';
import { KIND_NAMES, KINDS } from '../../model/record.ts';
import { allTime, writeQuery, writtenItems } from '../../search/edit-query.ts';
import { type Interpretation, isReworded } from '../../search/language/interpret.ts';
import type { Hint, Repair } from './repairs.ts';
import type { PageResult } from './service.ts';
import { type BesideResults, sidePanels, timelineParts } from './side-panels.ts';

interface SearchView extends BesideResults {
  readonly repairs: readonly Repair[];
  /** Most results of each list that a visitor sees; null: the user is signed in. */
  readonly visitorResults: number | null;
  readonly hints: readonly Hint[];
  readonly below: readonly Html[];
  readonly links: readonly Html[];
  readonly tools: readonly Html[];
  /** Of each record, by `resultTexts`; empty if only titles are shown. */
  readonly texts: readonly ShownText[];
  /** Milliseconds since the request began; called when everything else has been rendered. */
  readonly tookMs: () => number;
  readonly now: number;
}

export function searchPage(frame: Frame, view: SearchView): Html {
  const { state, result } = view;
  const fresh = firstPage(state);
  const address = searchAddresses(fresh);
  const list =
    result.records.length === 0
      ? html`${emptyList(view)}
${view.visitorResults === null ? null : html`<p class="prompt">${signInTo(frame, 'see all results of larger searches, and get API keys.')}</p>`}`
      : html`${adultLine(frame, state, result.records)}
${resultLines(view)}${listEnd(frame, view)}`;
  // The timeline and the menus' sheets come after the list: users wait for results.
  const timeline = timelineParts(view);
  const { bar, sheets } = listHead(view);
  const side = sidePanels(view, timeline?.table ?? null);
  const above = [
    chips(result.interpretation, address, {
      under: result.under,
      address: searchAddress({ ...fresh, under: null }),
    }),
    understoodAs(state.query, result.interpretation, address),
    sinceLine(state),
    ...view.hints.map((hint) => hintLine(hint, address)),
    damageNotice(result.damages),
  ].filter((part) => part !== null);
  // Content not needed before the list comes after it: the list begins within 4,000 bytes (contract 25.9).
  return html`${searchFormAlone(state)}
${above.map((part) => html`${part}\n`)}${bar}
<div class="columns${timeline === null ? null : ' timed'}${view.shareOf === null ? null : ' shares'}">
<section class="list" id="results" tabindex="-1" aria-labelledby="total">${list}
<p class="took">${(view.tookMs() / 1000).toFixed(3)} s · times in <a href="${settingsAddress(frame.here)}" data-zone>UTC</a></p>
${view.below}
</section>
${timeline?.across}
<aside class="side" id="breakdowns" tabindex="-1" aria-label="About these results">
${side}
</aside>
</div>
${sheets}${onPaper(view)}
${SYNTAX_HINT}`;
}

export function partsOf({ state, result, below }: SearchView): SkipTarget[] {
  const isFound = (result.totals[state.kind] ?? 0) > 0;
  const hasTimeline = isFound && (result.timelines[state.kind]?.buckets.length ?? 0) > 0;
  const found: SkipTarget[] = isFound
    ? ['breakdowns', ...(below.length > 0 ? (['download'] as const) : [])]
    : [];
  return ['results', ...(hasTimeline ? (['timeline'] as const) : []), ...found];
}

/** Further links of a search. null: it finds everything, or nothing. */
function moreOf({ state: { kind }, result, tools }: SearchView): Html | null {
  const { interpretation, under, totals } = result;
  if (!totals[kind]) return null;
  const { echo: query } = interpretation;
  // The compare page covers all comments.
  const compare = query === '' || under !== null ? null : compareAddress({ kind, query });
  return html`${compare && html`<a href="${compare}">Compare</a>`}${tools}<a href="#copy">Copy as</a><a href="${picturesAddress({ query, kind, under })}">Pictures</a>`;
}

/** Says that only newer records are searched, and how to lift that; arrivals of the two kinds are counted apart. */
function sinceLine(state: SearchState): Html | null {
  if (!state.since) return null;
  const all = searchAddress({ ...firstPage(state), since: null });
  return html`<p class="hintline">Only ${KIND_NAMES[state.kind]} with an arrival number above ${count(state.since)}. <a href="${all}">Show all</a></p>`;
}

function onPaper({ state, result }: SearchView): Html {
  const query = state.query === '' ? 'everything' : html`<b><bdi>${visible(state.query)}</bdi></b>`;
  const range = rangeWords(result, result.totals[state.kind] ?? 0);
  const order = state.order === 'top' ? 'highest score first' : `${state.order} first`;
  return html`<p class="paper">Search for ${query} in ${KIND_NAMES[state.kind]}, ${order}. ${range}.</p>`;
}

function hintLine({ words, query }: Hint, address: (query: string) => string): Html {
  return html`<p class="hintline">${visible(words)}.${query === null ? null : html` Did you mean <a href="${address(query)}"><code><bdi>${visible(query)}</bdi></code></a>?`}</p>`;
}

function resultLines(view: SearchView): Html {
  const context = lineContext(view);
  return html`<h2 class="unseen">Results</h2>
<ol class="results ${view.state.show}">
${view.result.records.map((record, at) => html`<li>${resultLine(record, at, context)}</li>\n`)}</ol>`;
}

type LineContext = ReturnType<typeof lineContext>;

/** `links` of a community: `only` within it, null if no query can name it or the list is the same; `not` without it. */
function lineContext({ state, result, texts, now }: SearchView) {
  const items = writtenItems(result.interpretation);
  const total = result.totals[state.kind] ?? 0;
  const there = searchAddresses(firstPage(state));
  const rows = rowLinks('community', items, there, result.communities[state.kind], total);
  const here = there(writeQuery(items));
  const linksOf = (name: string) => {
    const only = rows.include(name);
    return { only: only === here ? null : only, not: rows.exclude(name) };
  };
  // Several results may be of one community.
  const known = new Map<string, ReturnType<typeof linksOf>>();
  return {
    ...{ query: state.query, list: listOf(state, state.kind), now, texts },
    words: wordsOf(result.interpretation.query),
    ...{ threads: result.threads, threadTitles: result.threadTitles },
    links: (name: string) => known.getOrInsertComputed(name, linksOf),
  };
}

function listEnd(frame: Frame, { state, result, visitorResults }: SearchView): Html {
  const total = result.totals[state.kind] ?? 0;
  if (visitorResults !== null) return visitorEnd(frame, state.kind, result.records.length, total);
  const previous = previousPage(state);
  return html`<nav class="paging" aria-label="Pages">
<p>${rangeWords(result, total)}</p>
<p class="moves">${state.after === null || previous?.after === null ? null : html`<a class="button" href="${searchAddress(firstPage(state))}">First page</a>`}
${previous === null ? null : html`<a class="button" rel="prev" href="${searchAddress(previous)}">Previous</a>`}
${result.next === null ? html`<span class="end">End of the list</span>` : html`<a class="button primary" rel="next" href="${searchAddress(nextPage(state, result.next))}">Next ${state.limit}</a>`}</p>
<p class="sizes">Show ${PAGE_SIZES.map((limit) =>
    limit === state.limit
      ? html` <b>${limit}</b>`
      : html` <a href="${searchAddress({ ...firstPage(state), limit })}" aria-label="Show ${limit} per page">${limit}</a>`,
  )} per page</p>
</nav>`;
}

/** `Results 26–50 of 609`; without the numbers if the position is unknown. */
export function rangeWords({ before, records }: PageResult, total: number): string {
  if (records.length === 0) return `Past the last of ${counted(total, 'result')}`;
  if (before === null) return `${counted(records.length, 'result')} of ${count(total)}`;
  return `Results ${count(before + 1)}–${count(before + records.length)} of ${count(total)}`;
}

/** The counts of both kinds, and the list's controls. The kind shown is the page's heading. */
function listHead(view: SearchView): Readonly<Record<'bar' | 'sheets', Html>> {
  const { state, result, links } = view;
  const fresh = firstPage(state);
  const order = menu('order', TITLES[state.order], orders(fresh));
  const more = moreOf(view);
  const others = more && menu('more', 'More', more);
  const [show, shown] =
    state.show === 'texts' ? (['titles', 'Titles only'] as const) : (['texts', 'With text'] as const);
  return {
    bar: html`<div class="bars"><nav class="tabs" aria-label="Posts or comments"><ul>${KINDS.map((kind) => {
      const total = result.totals[kind];
      const words = total === null ? `? ${KIND_NAMES[kind]}` : counted(total, kind);
      const isShown = kind === state.kind;
      return html`<li><a href="${searchAddress(ofKind(fresh, kind))}"${isShown ? html` aria-current="page"` : null}>${isShown ? html`<h1 id="total">${words}</h1>` : words}</a></li>`;
    })}</ul></nav>
<nav class="doings" aria-label="This list">${order.button}<a href="${searchAddress({ ...fresh, show })}">${shown}</a>${links}${others?.button}</nav></div>`,
    sheets: html`${order.sheet}${others?.sheet}`,
  };
}

const TITLES: Readonly<Record<Order, string>> = { newest: 'Newest', oldest: 'Oldest', top: 'Top' };

function orders(fresh: SearchState): Html {
  return html`<nav class="orders" aria-label="Sort by"><ul>${ORDERS.map((order) =>
    // The current choice is no link: its address would only repeat the page's.
    order === fresh.order
      ? html`<li><b aria-current="true">${order}</b></li>`
      : html`<li><a href="${searchAddress({ ...fresh, order })}">${order}</a></li>`,
  )}</ul></nav>`;
}

function emptyList({ state, result, repairs }: SearchView): Html {
  if ((result.totals[state.kind] ?? 0) > 0) {
    return html`<p class="empty">There are no more results. <a href="${searchAddress(firstPage(state))}">First page</a></p>`;
  }
  const names = `${state.kind}s`;
  return html`<div class="empty">
<p>${state.query === '' ? `There are no ${names} in this archive.` : html`No ${names} match <b><bdi>${visible(state.query)}</bdi></b>.`}</p>
${repairs.length === 0 ? nothingHelps(state) : repairList(state, repairs)}
</div>`;
}

function repairList(state: SearchState, repairs: readonly Repair[]): Html {
  return html`<p>These searches find something:</p>
<ul class="repairs">${repairs.map(({ kind, query, words, count: found }) => {
    const address = searchAddress({ ...firstPage(state), kind, query });
    return html`<li><a href="${address}"><bdi>${visible(words)}</bdi></a>: ${counted(found, kind)}</li>`;
  })}</ul>`;
}

function nothingHelps({ query }: SearchState): Html {
  if (query === '') return html`<p><a href="/">See what is in this archive</a></p>`;
  return html`<p>Check the spelling, or try other words. A search finds whole words only:
<code>panel*</code> finds <code>panels</code> too.</p>
${syntaxHelp(false)}`;
}

/**
 * Above results of communities for adults: says that their texts are folded, and opens all of them at once. null if no
 * such text is on the page, or if they are always shown.
 */
function adultLine(frame: Frame, state: SearchState, records: readonly AnyRecord[]): Html | null {
  const isThere = records.some((record) => record.subreddit.nsfw && textOf(record).trim() !== '');
  if (!isThere || state.show === 'titles' || frame.settings.adult === 'shown') return null;
  const other = searchAddress({ ...state, adult: state.adult === 'shown' ? 'folded' : 'shown' });
  return html`<p class="adultline">${
    state.adult === 'shown'
      ? html`Text from adult communities is shown on this page. <a href="${other}">Hide it</a>`
      : html`Text from adult communities is hidden. <a href="${other}">Show it on this page</a>`
  } <a href="${settingsAddress(frame.here)}">Settings</a></p>`;
}

function understoodAs(written: string, interpretation: Interpretation, address: (query: string) => string) {
  const { implied } = interpretation;
  const dropped = droppedSigns(interpretation.dropped);
  const items = writtenItems(interpretation);
  const isTold = implied !== null || isReworded(written);
  if (!isTold) return dropped === null ? null : html`<p class="understood">${dropped}</p>`;
  return html`<p class="understood">Understood as <code><bdi>${visible(writeQuery(items))}</bdi></code>${
    implied === null
      ? null
      : html`<code class="added">${implied}</code> <span class="why">The second part was added, because a <code>before:</code> on its own searches one day only. <a href="${address(writeQuery(allTime(items)))}">Search all time before that</a> · <a href="/docs/query-language#read-this-first-before-on-its-own-searches-one-day">Why?</a></span>`
  }${dropped === null ? null : html` ${dropped}`}</p>`;
}

const MAX_TITLE = 400;

/**
 * At most five links. The first leads to the record here: the title of a post, or the thread below a comment's text.
 * The community narrows the search.
 */
function resultLine(record: AnyRecord, at: number, context: LineContext): Html {
  const { only, not } = context.links(record.subreddit.name);
  const isPost = record.type === 'post';
  const own = recordAddress(record.type, record.id, context);
  const post = context.threads[at] ?? null;
  const thread =
    post === null ? null : threadAddress({ ...context, post, around: isPost ? null : record.id });
  const { whole = null, block = null } = context.texts[at] ?? {};
  const nsfw = nsfwMarker(record);
  const meta = html`${communityLink(record, only)} <span id="d${at}">${timeOf(record, context.now)}</span> <span class="score">${String(record.score)} score</span>${isPost ? html` ${domainLink(record)}` : sentimentOf(record)}`;
  const rest = [
    thread === null || whole !== null
      ? null
      : html`<a href="${own}"${nameOfLink(`a${at}`, nameOf(record, at))}>Only this ${record.type}</a>`,
    not === null ? null : html`<a href="${not}">Exclude <bdi>/r/${visible(record.subreddit.name)}</bdi></a>`,
  ];
  const more = rest.some((link) => link !== null) ? menu(`m${at}`, '⋯', html`${rest}`, 'More') : null;
  const links = [whole, permalink(record, nameOfLink(`p${at}`, nameOf(record, at))), more?.button ?? null];
  return html`<article>
${
  isPost
    ? html`<h3 class="title" id="t${at}"><a href="${thread ?? own}">${cutTitle(record.title, context.words)}</a>${nsfw}</h3>
<p class="meta">${meta}</p>`
    : html`<h3 class="meta">${meta}${nsfw}</h3>`
}
${block}
${linkRow(isPost || (thread === null && whole !== null) ? links : [placeOf(at, context, thread ?? own), ...links])}
${more?.sheet}</article>`;
}

/** A comment's thread, named once for adjacent comments. Its title is not searched, so no words are marked. */
function placeOf(at: number, { threads, threadTitles }: LineContext, address: string): Html {
  const thread = threads[at] ?? null;
  const title = threadTitles[at] ?? null;
  const link = (words: Html | string) =>
    html`<a href="${address}"${nameOfLink(`t${at}`, `d${at}`)}>${words}</a>`;
  if (thread === null) return link('This comment');
  if (at > 0 && thread === threads[at - 1]) return html`<span>in ${link('the same thread')}</span>`;
  return html`<span>in ${link(title === null ? 'its thread' : html`<i>${cutTitle(title, [])}</i>`)}</span>`;
}

function cutTitle(title: string, words: readonly Word[]): Html {
  if (title.trim() === '') return html`<i>(no title)</i>`;
  if (title.length <= MAX_TITLE) return markedText(title, words);
  const segments = segmentsOf(title.slice(0, 4 * MAX_TITLE), words);
  return html`<bdi>${renderSegments(startOf(segments, MAX_TITLE) ?? segments)}</bdi>`;
}
