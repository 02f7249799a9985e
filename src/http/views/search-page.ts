// The page of a search: box, parts, list with its end, and beside it timeline, breakdowns and what to copy.

import type { Breakdown, NameField } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import {
  between,
  excluding,
  including,
  rowItem,
  wider,
  withoutDates,
  writeQuery,
  writtenItems,
} from '../../search/page/edit-query.ts';
import type { PageResult } from '../../search/page/page-service.ts';
import type { Hint } from '../../search/page/repairs.ts';
import {
  breakdownAddress,
  breakdownFileAddress,
  firstPage,
  LIST_NAMES,
  nextPage,
  PAGE_SIZES,
  previousPage,
  searchAddress,
  settingsAddress,
  timelineFileAddress,
} from '../addresses.ts';
import { compareAddress } from '../compare-address.ts';
import { copyPanel } from './api-examples.ts';
import { type BreakdownTable, breakdownPanel } from './breakdowns.ts';
import { chips, understoodAs } from './chips.ts';
import { damageNotice } from './damage.ts';
import { downloadForm } from './download-form.ts';
import { count, counted, totalWords } from './format.ts';
import { type Html, html } from './html.ts';
import type { Frame } from './layout.ts';
import { type EmptyView, emptyList, visitorEnd } from './list-ends.ts';
import { visible, wordsOf } from './record-text.ts';
import { resultList, type ShownText } from './results.ts';
import { searchForm } from './search-form.ts';
import { timelinePanel } from './timeline.ts';

export interface SearchView extends EmptyView {
  /** How many results of each list a visitor gets; null: the person is signed in. */
  readonly visitorResults: number | null;
  readonly hints: readonly Hint[];
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
  const address = (query: string) => searchAddress({ ...fresh, query });
  const total = result.totals[state.kind] ?? 0;
  const list =
    result.records.length === 0 ? emptyList(view) : html`${resultLines(view)}${listEnd(frame, view)}`;
  const side = sidePanels(frame, view);
  return html`${searchForm(state)}
${onPaper(view)}
${chips(result.interpretation, address)}
${understoodAs(state.query, result.interpretation, address)}
${view.hints.map((hint) => hintLine(hint, address))}
${damageNotice(result.damages)}
<div class="columns">
<section class="list" id="results" tabindex="-1" aria-labelledby="total">
${listHead(frame, view)}
${list}
${total === 0 ? null : compareLink(view)}
${total === 0 ? null : downloadForm(frame, { state, total, records: result.records })}
</section>
<aside class="side" aria-label="About these results">
${side}
</aside>
</div>`;
}

/** null: everything is found, which is no search to compare. */
function compareLink({ state: { kind }, result: { interpretation } }: SearchView): Html | null {
  const { echo } = interpretation;
  if (echo === '') return null;
  return html`<p class="more"><a href="${compareAddress({ kind, queries: [echo] })}">Compare with…</a></p>`;
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

function listHead(frame: Frame, { state, result, tookMs }: SearchView): Html {
  const { totals } = result;
  const fresh = firstPage(state);
  const total = totals[state.kind] ?? 0;
  return html`<div class="head"><h1 id="total">${totalWords(state.kind, total)}</h1><p class="took">${(tookMs() / 1000).toFixed(3)} s · times in <a href="${settingsAddress(frame.here)}" data-zone>UTC</a></p></div>
<div class="bars"><nav class="tabs" aria-label="Posts or comments"><ul>${(['post', 'comment'] as const).map(
    (kind) => {
      const number = totals[kind];
      return html`<li><a href="${searchAddress({ ...fresh, kind })}"${kind === state.kind ? html` aria-current="page"` : null} data-kind="${LIST_NAMES[kind]}">${kind === 'post' ? 'Posts' : 'Comments'} <span class="tally">${number === null ? '–' : count(number)}</span></a></li>`;
    },
  )}</ul></nav>
<nav class="orders" aria-label="Sort by"><span aria-hidden="true">Sort by</span><ul>${(
    ['newest', 'oldest', 'top'] as const
  ).map(
    (order) =>
      html`<li><a href="${searchAddress({ ...fresh, order })}"${order === state.order ? html` aria-current="true"` : null}>${order}</a></li>`,
  )}</ul></nav></div>`;
}

function resultLines({ state, result, texts, now }: SearchView): Html {
  const items = writtenItems(result.interpretation);
  return resultList(result.records, {
    words: wordsOf(result.interpretation.query),
    now,
    query: state.query,
    texts,
    threads: result.threads,
    communityAddress: (name) => {
      const item = rowItem('community', name);
      if (item === null) return null;
      return searchAddress({ ...firstPage(state), query: writeQuery(including(items, item)) });
    },
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

function sidePanels(frame: Frame, { state, result, shareOf }: SearchView): Html {
  const items = writtenItems(result.interpretation);
  const narrowed = (kind: Kind, query: string) => searchAddress({ ...firstPage(state), kind, query });
  const here = (edited: typeof items | null) =>
    edited === null ? null : narrowed(state.kind, writeQuery(edited));
  const total = result.totals[state.kind] ?? 0;
  const panel = (id: string, title: string, kind: Kind, field: NameField) => {
    const shown = field === 'domain' ? result.domains : result.communities[state.kind];
    const rows = { query: state.query, kind, field, page: 1 };
    return breakdownPanel({
      id,
      title,
      breakdown: field === 'domain' ? result.domains : result.communities[kind],
      all: { page: breakdownAddress(rows), file: breakdownFileAddress(rows) },
      ...rowLinks(field, items, {
        include: (query) => narrowed(kind, query),
        exclude: (query) => narrowed(state.kind, query),
        leavesNothing: (name) => total === countIn(shown, name),
      }),
    });
  };
  const hasDates = withoutDates(items).length < items.length;
  return html`${timelinePanel(result.timeline, {
    narrow: (from, to) => narrowed(state.kind, writeQuery(between(items, from, to))),
    wider: here(wider(items)),
    allTime: hasDates ? here(withoutDates(items)) : null,
    shareOf,
    other: searchAddress({ ...firstPage(state), timeline: shareOf === null ? 'share' : 'count' }),
    file: timelineFileAddress(state),
  })}
${panel('by-domain', 'By source domain', state.kind, 'domain')}
${panel('by-comments', 'By subreddit, comments', 'comment', 'community')}
${panel('by-posts', 'By subreddit, posts', 'post', 'community')}
${copyPanel({
  publicAddress: frame.publicAddress,
  address: searchAddress({ ...state, trail: [] }),
  query: result.interpretation.echo,
  order: state.order,
})}`;
}

/** 0 if there is no such row. */
function countIn(breakdown: Breakdown | null, name: string): number {
  return breakdown?.rows.find((row) => row.name === name)?.count ?? 0;
}

export interface RowAddresses {
  /** Address of the same search, with the query that a row narrows to. */
  readonly include: (query: string) => string;
  /** Address of the same search, with the query that excludes a row. */
  readonly exclude: (query: string) => string;
  /** Whether nothing would be found without the row. */
  readonly leavesNothing: (name: string) => boolean;
}

/** Where the rows of a breakdown lead. */
export function rowLinks(
  field: NameField,
  items: Parameters<typeof including>[0],
  { include, exclude, leavesNothing }: RowAddresses,
): Pick<BreakdownTable, 'include' | 'exclude'> {
  const link = (edit: typeof excluding, address: (query: string) => string) => (name: string) => {
    const item = rowItem(field, name);
    const edited = item === null ? null : edit(items, item);
    return edited === null ? null : address(writeQuery(edited));
  };
  const without = link(excluding, exclude);
  return {
    include: link(including, include),
    exclude: (name) => (leavesNothing(name) ? null : without(name)),
  };
}
