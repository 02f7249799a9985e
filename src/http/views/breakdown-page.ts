// The page of one breakdown: every row, a hundred to a page.

import type { Interpretation } from '../../search/language/interpret.ts';
import { writtenItems } from '../../search/page/edit-query.ts';
import type { CountedBreakdown } from '../../search/page/page-service.ts';
import {
  type BreakdownState,
  breakdownAddress,
  breakdownFileAddress,
  type SearchState,
  searchAddress,
} from '../addresses.ts';
import { breakdownTable } from './breakdowns.ts';
import { chips } from './chips.ts';
import { count } from './format.ts';
import { type Html, html } from './html.ts';
import { KIND_NAMES, totalWords } from './list-head.ts';
import { visible } from './record-text.ts';
import { searchForm } from './search-form.ts';
import { rowLinks } from './search-page.ts';

export interface BreakdownView {
  readonly asked: BreakdownState;
  /** The search that is broken down. */
  readonly state: SearchState;
  readonly interpretation: Interpretation;
  readonly total: number;
  /** The rows of this page. */
  readonly breakdown: CountedBreakdown;
  /** How many rows come before this page. */
  readonly skip: number;
  /** `posts by source domain`. */
  readonly name: string;
  /** What shares are of, in canonical form. */
  readonly of: string;
}

export function breakdownPage(view: BreakdownView): Html {
  const { asked, state, interpretation, total, breakdown, skip, name, of } = view;
  const address = (query: string) => searchAddress({ ...state, query });
  const alone = breakdown.rows.filter((row) => row.count === total).map((row) => row.name);
  const links = rowLinks(asked.field, writtenItems(interpretation), {
    include: address,
    exclude: address,
    leavesNothing: (row) => alone.includes(row),
  });
  const isDomain = asked.field === 'domain';
  return html`${searchForm(state)}
${chips(interpretation, (query) => breakdownAddress({ ...asked, query, page: 1 }))}
<h1 id="all" class="apart">${count(breakdown.distinct)} ${names(isDomain, breakdown.distinct)}</h1>
<p class="lead">${totalWords(asked.kind, total)} by ${isDomain ? 'source domain' : 'subreddit'}. <a href="${address(state.query)}">Back to the ${KIND_NAMES[asked.kind]}s</a></p>
<p class="hint">Share: of all ${KIND_NAMES[asked.kind]}s in the row${of === '' ? null : html` that match <bdi>${visible(of)}</bdi>`}. <a href="${breakdownFileAddress(asked)}" download>CSV</a></p>
${
  breakdown.rows.length === 0 && skip > 0
    ? html`<p class="empty">There are no rows on this page. <a href="${breakdownAddress({ ...asked, page: 1 })}">First page</a></p>`
    : html`<div class="panel narrow">${breakdownTable({ id: 'all', title: name, breakdown, all: null, hasShares: true, ...links })}</div>
${paging(view)}`
}`;
}

function names(isDomain: boolean, number: number): string {
  return `${isDomain ? 'domain' : 'subreddit'}${number === 1 ? '' : 's'}`;
}

/** null if all rows fit on one page. */
function paging({ asked, breakdown, skip }: BreakdownView): Html | null {
  const { rows, distinct } = breakdown;
  const end = skip + rows.length;
  if (rows.length === distinct) return null;
  const to = (page: number) => breakdownAddress({ ...asked, page });
  return html`<nav class="paging narrow" aria-label="Pages">
<p>Rows ${count(skip + 1)}–${count(end)} of ${count(distinct)}</p>
<p class="moves">${asked.page === 1 ? null : html`<a class="button" rel="prev" href="${to(asked.page - 1)}">Previous</a>`}
${end >= distinct ? html`<span class="end">End of the list</span>` : html`<a class="button primary" rel="next" href="${to(asked.page + 1)}">Next</a>`}</p>
</nav>`;
}
