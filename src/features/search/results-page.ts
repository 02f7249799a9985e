// The page of a search: box, parts, list with its end, and beside it timeline, breakdowns and what to copy.

import { settingsAddress } from '../../http/addresses/pages.ts';
import {
  firstPage,
  nextPage,
  PAGE_SIZES,
  previousPage,
  type SearchState,
  searchAddress,
  searchAddresses,
} from '../../http/addresses/search.ts';
import { compareAddress } from '../../http/addresses/tables.ts';
import { LIST_NAMES } from '../../http/addresses/written.ts';
import { count, counted } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Frame, SkipTarget } from '../../http/views/layout.ts';
import {
  adultLine,
  damageNotice,
  type EmptyView,
  emptyEnd,
  emptyList,
  listHead,
  visitorEnd,
} from '../../http/views/record-parts.ts';
import { visible, wordsOf } from '../../http/views/record-text.ts';
import { type CommunityLinks, resultList, type ShownText } from '../../http/views/results.ts';
import { chips, SYNTAX_HINT, searchFormAlone, understoodAs } from '../../http/views/search-form.ts';
import { encodeValue } from '../../operation/query-string.ts';
import { writeQuery, writtenItems } from '../../search/edit-query.ts';
import type { Hint } from './repairs.ts';
import type { PageResult } from './service.ts';
import { holdingAll, rowLinks, sidePanels, timelineParts } from './side-panels.ts';

interface SearchView extends EmptyView {
  /** How many results of each list a visitor gets; null: the person is signed in. */
  readonly visitorResults: number | null;
  readonly hints: readonly Hint[];
  /** Of features, below the list. */
  readonly below: readonly Html[];
  /** Of features, beside the number of results. */
  readonly links: readonly Html[];
  /** What the shares of the timeline are of, in canonical form; null: it shows counts. */
  readonly shareOf: string | null;
  /** Of each record, by `resultTexts`. */
  readonly texts: readonly ShownText[];
  /** Milliseconds that the visitor has waited so far; called when everything else has been rendered. */
  readonly tookMs: () => number;
  /** Unix seconds. */
  readonly now: number;
}

export function searchPage(frame: Frame, view: SearchView): Html {
  const { state, result } = view;
  const fresh = firstPage(state);
  const address = searchAddresses(fresh);
  const list =
    result.records.length === 0
      ? html`${emptyList(view)}
${view.visitorResults === null ? null : emptyEnd(frame)}`
      : html`${adultLine(frame, state, result.records)}
${resultLines(view)}${listEnd(frame, view)}`;
  // The timeline stands above the list, but comes behind it: results are what is waited for.
  const timeline = timelineParts(view);
  const side = sidePanels(frame, view, timeline?.table ?? null);
  const above = [
    chips(result.interpretation, address),
    understoodAs(state.query, result.interpretation, address),
    sinceLine(state),
    ...view.hints.map((hint) => hintLine(hint, address)),
    damageNotice(result.damages),
  ].filter((part) => part !== null);
  // What nobody has to see before the list comes behind it: that begins within 4,000 bytes (contract 25.9).
  return html`${searchFormAlone(state)}
${above.map((part) => html`${part}\n`)}${listHead(state, result.totals, doings(frame, view))}
<div class="columns${timeline === null ? null : ' timed'}">
<section class="list" id="results" tabindex="-1" aria-labelledby="total">${list}
<p class="took">${(view.tookMs() / 1000).toFixed(3)} s · times in <a href="${settingsAddress(frame.here)}" data-zone>UTC</a></p>
${view.below}
</section>
${timeline?.across}
<aside class="side" id="breakdowns" tabindex="-1" aria-label="About these results">
${side}
</aside>
</div>
${onPaper(view)}
${SYNTAX_HINT}`;
}

/** Parts of the page that whoever has a keyboard alone skips to. */
export function partsOf({ state, result, below }: SearchView): SkipTarget[] {
  const isFound = (result.totals[state.kind] ?? 0) > 0;
  const hasTimeline = isFound && (result.timelines[state.kind]?.buckets.length ?? 0) > 0;
  const found: SkipTarget[] = isFound
    ? ['breakdowns', ...(below.length > 0 ? (['download'] as const) : [])]
    : [];
  return ['results', ...(hasTimeline ? (['timeline'] as const) : []), ...found];
}

/** What can be done with a search; null: nothing, for a visitor who searches for everything. */
function doings(frame: Frame, view: SearchView): Html | null {
  const links = [...view.links, ...toolLinks(frame, view), compareLink(view)];
  const there = links.filter((link) => link !== null);
  return there.length === 0 ? null : html`<p class="doings">${there}</p>`;
}

/** The echo: its window is what the page shows. */
function toolLinks({ tools }: Frame, { result }: SearchView): Html[] {
  const query = encodeValue(result.interpretation.echo);
  return tools.map(({ path, name }) => html`<a href="${path}?query=${query}" rel="nofollow">${name}</a>`);
}

/** null: everything is found, which is no search to compare. */
function compareLink({ state: { kind }, result: { interpretation, totals } }: SearchView): Html | null {
  const { echo } = interpretation;
  if (echo === '' || !totals[kind]) return null;
  return html`<a href="${compareAddress({ kind, query: echo })}">Compare</a>`;
}

/** That not all is searched, and how to lift it; arrivals of the two kinds are counted apart. */
function sinceLine(state: SearchState): Html | null {
  if (!state.since) return null;
  const all = searchAddress({ ...firstPage(state), since: null });
  return html`<p class="hintline">Only ${LIST_NAMES[state.kind]} that came in behind arrival ${count(state.since)}. <a href="${all}">Show all</a></p>`;
}

/** What was searched for; only on paper. */
function onPaper({ state, result }: SearchView): Html {
  const query = state.query === '' ? 'everything' : html`<b><bdi>${visible(state.query)}</bdi></b>`;
  const range = rangeWords(result, result.totals[state.kind] ?? 0);
  const order = state.order === 'top' ? 'highest score first' : `${state.order} first`;
  return html`<p class="paper">Search for ${query} in ${LIST_NAMES[state.kind]}, ${order}. ${range}.</p>`;
}

function hintLine({ words, query }: Hint, address: (query: string) => string): Html {
  return html`<p class="hintline">${visible(words)}. Did you mean <a href="${address(query)}"><code><bdi>${visible(query)}</bdi></code></a>?</p>`;
}

function resultLines({ state, result, texts, now }: SearchView): Html {
  const items = writtenItems(result.interpretation);
  const total = result.totals[state.kind] ?? 0;
  const there = searchAddresses(firstPage(state));
  const leavesNothing = holdingAll(result.communities[state.kind], total);
  const links = rowLinks('community', items, { include: there, exclude: there, leavesNothing });
  const here = there(writeQuery(items));
  const linksOf = (name: string) => {
    const only = links.include(name);
    return { only, isNarrower: only !== here, not: links.exclude(name) };
  };
  // Several results are of one community.
  const known = new Map<string, CommunityLinks>();
  return resultList(result.records, {
    words: wordsOf(result.interpretation.query),
    now,
    query: state.query,
    show: state.show,
    texts,
    threads: result.threads,
    threadTitles: result.threadTitles,
    community: (name) => known.getOrInsertComputed(name, linksOf),
  });
}

/** The link to the next page; for a visitor, how to get more. */
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

/** `Results 26–50 of 609`; without the numbers if the position is not known. */
export function rangeWords({ before, records }: PageResult, total: number): string {
  if (records.length === 0) return `No results of ${count(total)} here`;
  if (before === null) return `${counted(records.length, 'result')} of ${count(total)}`;
  return `Results ${count(before + 1)}–${count(before + records.length)} of ${count(total)}`;
}
