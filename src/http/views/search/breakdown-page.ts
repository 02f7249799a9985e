// The page of one breakdown: every row, a hundred to a page, or those whose names start with some letters.

import { shareOf } from '../../../analysis/asking.ts';
import type { Buckets } from '../../../model/timeline.ts';
import type { Interpretation } from '../../../search/language/interpret.ts';
import { writtenItems } from '../../../search/page/edit-query.ts';
import type { CountedBreakdown } from '../../../search/page/page-service.ts';
import { type SearchState, searchAddress } from '../../addresses/search.ts';
import {
  type BreakdownState,
  breakdownAddress,
  breakdownFileAddress,
  FIELD_NAMES,
} from '../../addresses/tables.ts';
import { LIST_NAMES } from '../../addresses/written.ts';
import { count, KIND_NAMES, portion, totalWords } from '../format.ts';
import { type Html, html } from '../html.ts';
import { visible, visibleText } from '../record-text.ts';
import { chips, searchForm } from '../search-form.ts';
import { rangeWords, shownTimes, sparkline } from '../timeline.ts';
import { excludeCell, nameCell } from './breakdowns.ts';
import { holdingAll, rowLinks } from './side-panels.ts';

interface BreakdownView {
  readonly asked: BreakdownState;
  /** The search that is broken down. */
  readonly state: SearchState;
  readonly interpretation: Interpretation;
  readonly total: number;
  /** The rows of this page. */
  readonly breakdown: CountedBreakdown;
  /** What its rows are counted by time in; null: they are not. */
  readonly times: Buckets | null;
  /** How many rows come before this page. */
  readonly skip: number;
  /** `posts by source domain`. */
  readonly name: string;
  /** What shares are of, in canonical form. */
  readonly of: string;
}

export function breakdownPage(view: BreakdownView): Html {
  const { asked, state, interpretation, total, breakdown, skip, name } = view;
  const address = (query: string) => searchAddress({ ...state, query });
  const isDomain = asked.field === 'domain';
  const beginning = asked.prefix === '' ? null : html` beginning with <bdi>${visible(asked.prefix)}</bdi>`;
  const empty =
    skip > 0
      ? html`There are no rows on this page. <a href="${breakdownAddress({ ...asked, page: 1 })}">First page</a>`
      : asked.prefix === ''
        ? html`Nothing to count.`
        : html`None${beginning}. <a href="${breakdownAddress({ ...asked, prefix: '', page: 1 })}">All ${isDomain ? 'domains' : 'subreddits'}</a>`;
  return html`${searchForm(state)}
${chips(interpretation, (query) => breakdownAddress({ ...asked, query, page: 1 }))}
<h1 id="all" class="apart">${count(breakdown.distinct)} ${names(isDomain, breakdown.distinct)}${beginning}</h1>
<p class="lead">${totalWords(asked.kind, total)} by ${isDomain ? 'source domain' : 'subreddit'}. <a href="${address(state.query)}">Back to the ${KIND_NAMES[asked.kind]}s</a></p>
${filterForm(asked)}
${breakdown.rows.length === 0 ? html`<p class="empty">${empty}</p>` : html`${table(view, name)}${paging(view)}${notes(view)}`}`;
}

function names(isDomain: boolean, number: number): string {
  return `${isDomain ? 'domain' : 'subreddit'}${number === 1 ? '' : 's'}`;
}

function filterForm({ query, kind, field, prefix }: BreakdownState): Html {
  const what = field === 'domain' ? 'domains' : 'subreddits';
  return html`<form class="wanted" method="get" action="/breakdown">
<input type="hidden" name="query" value="${query}"><input type="hidden" name="by" value="${FIELD_NAMES[field]}">${kind === 'post' ? null : html`<input type="hidden" name="in" value="${LIST_NAMES[kind]}">`}
<label for="prefix">Only ${what} beginning with</label>
<input id="prefix" name="prefix" value="${prefix}" autocapitalize="none" autocomplete="off" spellcheck="false"><button class="button">Filter</button></form>`;
}

function table({ asked, state, interpretation, total, breakdown, times }: BreakdownView, name: string): Html {
  const address = (query: string) => searchAddress({ ...state, query });
  const { rows } = breakdown;
  const { include, exclude } = rowLinks(asked.field, writtenItems(interpretation), {
    include: address,
    exclude: address,
    leavesNothing: holdingAll(breakdown, total),
  });
  const most = Math.max(...rows.map((row) => row.count));
  const isDomain = asked.field === 'domain';
  const sign = isDomain ? '' : '/r/';
  const shown = times && shownTimes(rows, times);
  return html`<table class="breakdown all" aria-label="${name}">
<thead><tr><th scope="col">${isDomain ? 'Domain' : 'Subreddit'}</th><th scope="col"><span class="unseen">Exclude</span></th>${shown === null ? null : html`<th scope="col" class="trend">${rangeWords(shown)}</th>`}<th scope="col">Matches</th><th scope="col" class="part">Of all matches</th><th scope="col">Of its ${KIND_NAMES[asked.kind]}s</th></tr></thead>
<tbody>
${rows.map((row) => html`<tr>${nameCell(html`<bdi>${sign}${visible(row.name)}</bdi>`, include(row.name), row.count / most)}${excludeCell(sign + visibleText(row.name), exclude(row.name))}${shown === null ? null : html`<td class="trend">${sparkline(row, shown)}</td>`}<td>${count(row.count)}</td><td class="part">${portion(row.count / total)}</td><td>${percentOf(row.count, row.of)}</td></tr>`)}
</tbody></table>`;
}

/** What the columns mean, and the same as a file. */
function notes({ asked, of }: BreakdownView): Html {
  const whole =
    of === ''
      ? html`all ${KIND_NAMES[asked.kind]}s in the row`
      : html`all ${KIND_NAMES[asked.kind]}s in the row that match <bdi>${visible(of)}</bdi>`;
  return html`<p class="hint">“Of its ${KIND_NAMES[asked.kind]}s”: the share of ${whole}. <a href="${breakdownFileAddress(asked)}" download>CSV</a></p>`;
}

/** Empty where there is nothing to be a share of. */
function percentOf(value: number, of = 0): string {
  const part = shareOf(value, of);
  return part === null ? '' : portion(part);
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
