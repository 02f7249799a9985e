// Breakdowns as tables: each row narrows the search to its value, or leaves it out.

import { shareOf } from '../../analysis/normalise.ts';
import type { CountedBreakdown } from '../../search/page/page-service.ts';
import { count, percent } from './format.ts';
import { type Html, html } from './html.ts';
import { visible, visibleText } from './record-text.ts';

export interface BreakdownTable {
  /** Id of its heading. */
  readonly id: string;
  readonly title: string;
  /** null: it could not be counted. */
  readonly breakdown: CountedBreakdown | null;
  /** Where a row leads; null if no query can contain its name. */
  readonly include: (name: string) => string | null;
  /** Where its `−` leads; null also if nothing would be found. */
  readonly exclude: (name: string) => string | null;
  /** Addresses of every row with its share, as a page and as CSV; null: this is that page. */
  readonly all: { readonly page: string; readonly file: string } | null;
  /** Whether each row tells its share, of what the question asked for (`of`). Absent: false. */
  readonly hasShares?: boolean;
}

/** Its heading folds it away; null if there is nothing to count. */
export function breakdownPanel(table: BreakdownTable): Html | null {
  const { id, title, breakdown, all } = table;
  if (breakdown?.rows.length === 0) return null;
  const distinct = breakdown === null ? '' : count(breakdown.distinct);
  return html`<details class="panel" open><summary><h2 id="${id}">${title}</h2> <span class="tally">${distinct}</span></summary>
${breakdownTable(table)}
${breakdown === null || all === null ? null : html`<p class="more"><a href="${all.page}" aria-describedby="${id}">${breakdown.distinct > breakdown.rows.length ? `Show all ${distinct}` : 'Shares'}</a> <a href="${all.file}" aria-describedby="${id}" download>CSV</a></p>`}
</details>`;
}

export function breakdownTable(table: BreakdownTable): Html {
  const { id, breakdown, include, exclude, hasShares = false } = table;
  if (breakdown === null) return html`<p class="hint">Could not be counted.</p>`;
  if (breakdown.rows.length === 0) return html`<p class="hint">Nothing to count.</p>`;
  const most = breakdown.rows[0]!.count;
  const isCommunity = breakdown.field === 'community';
  return html`<table class="breakdown" aria-labelledby="${id}">
<thead class="unseen"><tr><th scope="col">${isCommunity ? 'Subreddit' : 'Domain'}</th><th scope="col">Count</th>${hasShares ? html`<th scope="col">Share</th>` : null}<th scope="col">Exclude</th></tr></thead>
<tbody>
${breakdown.rows.map(({ name, count: rowCount, of }) => {
  const narrower = include(name);
  const without = exclude(name);
  const shown = html`<bdi>${isCommunity ? '/r/' : ''}${visible(name)}</bdi>`;
  return html`<tr><th scope="row">${narrower === null ? shown : html`<a href="${narrower}">${shown}</a>`}<svg class="bar" width="${share(rowCount, most)}%" height="3" aria-hidden="true"><rect width="100%" height="3" rx="1.5"/></svg></th><td>${count(rowCount)}</td>${hasShares ? html`<td>${percentOf(rowCount, of)}</td>` : null}<td>${without === null ? null : html`<a class="exclude" href="${without}" title="Exclude ${isCommunity ? '/r/' : ''}${visibleText(name)}"><span class="unseen">Exclude ${shown}</span><span aria-hidden="true">−</span></a>`}</td></tr>`;
})}
</tbody></table>`;
}

/** Empty where there is nothing to be a share of. */
function percentOf(value: number, of = 0): string {
  const part = shareOf(value, of);
  return part === null ? '' : percent(part);
}

/** In percent with one decimal, never invisible. */
function share(value: number, most: number): number {
  return Math.max(1, Math.round((value / most) * 1000) / 10);
}
