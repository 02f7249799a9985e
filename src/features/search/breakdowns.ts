// Breakdowns as tables: each row narrows the search to its value, or leaves it out.

import { count, counted, KIND_TITLES, portion } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import { visible, visibleText } from '../../http/views/record-text.ts';
import { rangeWords, shownTimes, sparkline } from '../../http/views/timeline.ts';
import type { BreakdownRow } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import type { Buckets } from '../../model/timeline.ts';
import type { CountedBreakdown } from './service.ts';

/** Where the name of a row leads, and where its "not" does; null if there is nothing to lead to. */
export interface RowLinks {
  /** null if no query can contain the name. */
  readonly include: (name: string) => string | null;
  /** null also if nothing would be found. */
  readonly exclude: (name: string) => string | null;
}

interface DomainPanel extends RowLinks {
  readonly breakdown: CountedBreakdown;
  /** What rows are counted by time in; null: they are not. */
  readonly times: Buckets | null;
  /** How many records match. */
  readonly total: number;
  /** Address of the page of all rows. */
  readonly all: string;
}

/** Its heading folds it away; null if there is nothing to count. */
export function domainPanel({ breakdown, times, total, all, include, exclude }: DomainPanel): Html | null {
  const { rows, distinct } = breakdown;
  if (rows.length === 0) return null;
  const shown = times && shownTimes(rows, times);
  const most = rows[0]!.count;
  return html`<details class="panel" open><summary><h2 id="by-domain">By source domain</h2> <span class="tally">${count(distinct)}</span></summary>
<table class="breakdown" aria-labelledby="by-domain">
<thead class="unseen"><tr><th scope="col">Domain</th><th scope="col">Exclude</th>${timesHead(shown)}<th scope="col">Count</th><th scope="col">Share of all matches</th></tr></thead>
<tbody>
${rows.map((row) => html`<tr>${nameCell(html`<bdi>${visible(row.name)}</bdi>`, include(row.name), row.count / most)}${excludeCell(visibleText(row.name), exclude(row.name))}${timesCell(shown, row)}<td>${count(row.count)}</td><td class="part">${portion(row.count / total)}</td></tr>`)}
</tbody></table>
<p class="more"><a href="${all}" aria-describedby="by-domain">${allWords(distinct, 'domain')}</a></p>
</details>`;
}

interface CommunityPanel {
  /** The kind of the list beside it, by which the rows are sorted first. */
  readonly kind: Kind;
  /** null: it could not be counted. */
  readonly breakdowns: Readonly<Record<Kind, CountedBreakdown | null>>;
  /** What the rows of that kind are counted by time in; null: they are not. */
  readonly times: Buckets | null;
  /** Where a row leads among records of a kind; null if no query can contain its name. */
  readonly include: (kind: Kind, name: string) => string | null;
  readonly exclude: RowLinks['exclude'];
  /** Addresses of the pages of all rows. */
  readonly all: Readonly<Record<Kind, string>>;
}

/** How many rows of each kind are shown: the first ones of each. */
const ROWS = 10;

/** The communities of posts and of comments, side by side; null if there is nothing to count. */
export function communityPanel(panel: CommunityPanel): Html | null {
  const { kind, breakdowns, times, include, exclude, all } = panel;
  const kinds = KINDS_SHOWN.filter((one) => breakdowns[one] === null || breakdowns[one].rows.length > 0);
  const rows = rowsOf(panel);
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map(({ counts }) => counts[kind] ?? 0), 1);
  const names = new Set(rows.map(({ name }) => name));
  const timed = breakdowns[kind]?.rows.filter(({ name }) => names.has(name)) ?? [];
  const shownBy = times && shownTimes(timed, times);
  const rowsBy = new Map(timed.map((row) => [row.name, row]));
  return html`<details class="panel" open><summary><h2 id="by-subreddit">By subreddit</h2></summary>
<table class="breakdown both" aria-labelledby="by-subreddit">
<thead><tr><th scope="col"><span class="unseen">Subreddit</span></th><th scope="col"><span class="unseen">Exclude</span></th>${timesHead(shownBy, KIND_TITLES[kind])}${kinds.map((one) => html`<th scope="col" id="by-${one}s">${KIND_TITLES[one]}</th>`)}</tr></thead>
<tbody>
${rows.map(({ name, counts }) => {
  const cells = kinds.map((one) => {
    const found = counts[one];
    if (found === undefined) return html`<td>–</td>`;
    const address = found === 0 ? null : include(one, name);
    return html`<td>${address === null ? count(found) : html`<a href="${address}">${count(found)}</a>`}</td>`;
  });
  const isHere = (counts[kind] ?? 0) > 0;
  const shown = isHere ? kind : (kinds.find((one) => one !== kind) ?? kind);
  const part = isHere ? counts[kind]! / most : 0;
  return html`<tr>${nameCell(html`<bdi>/r/${visible(name)}</bdi>`, include(shown, name), part)}${excludeCell(`/r/${visibleText(name)}`, exclude(name))}${timesCell(shownBy, rowsBy.get(name))}${cells}</tr>`;
})}
</tbody></table>
<p class="more">${kinds.map((one) => {
    const breakdown = breakdowns[one];
    if (breakdown === null) return html`<span>${KIND_TITLES[one]} could not be counted.</span> `;
    return html`<a href="${all[one]}" aria-describedby="by-subreddit">${allWords(breakdown.distinct, 'subreddit')}, ${one}s</a> `;
  })}</p>
</details>`;
}

const KINDS_SHOWN = ['post', 'comment'] as const;

interface CommunityRow {
  readonly name: string;
  /** Absent where it could not be counted. */
  readonly counts: Readonly<Partial<Record<Kind, number>>>;
}

/** The first rows of each kind: those of the kind shown, then those that stand only in the other. */
function rowsOf({ kind, breakdowns }: CommunityPanel): CommunityRow[] {
  const firsts = [kind, ...KINDS_SHOWN].flatMap((one) => breakdowns[one]?.rows.slice(0, ROWS) ?? []);
  const names = [...new Set(firsts.map(({ name }) => name))];
  const known = KINDS_SHOWN.flatMap((one) => {
    const breakdown = breakdowns[one];
    if (breakdown === null) return [];
    const { rows, distinct } = breakdown;
    const counts = new Map(rows.map(({ name, count: found }) => [name, found]));
    const others = distinct <= rows.length ? 0 : undefined;
    return [[one, (name: string) => counts.get(name) ?? others] as const];
  });
  const of = (name: string) => Object.fromEntries(known.map(([one, found]) => [one, found(name)]));
  const rows: CommunityRow[] = names.map((name) => ({ name, counts: of(name) }));
  return rows.filter(({ counts }) => KINDS_SHOWN.some((one) => (counts[one] ?? 0) > 0));
}

function allWords(distinct: number, name: string): string {
  return distinct === 1 ? `The ${name}` : `All ${counted(distinct, name)}`;
}

/** `of`: what is drawn, where the table counts several things. */
function timesHead(shown: Buckets | null, of = ''): Html | null {
  if (shown === null) return null;
  const words = rangeWords(shown);
  return html`<th scope="col" class="trend"><span class="unseen">${of === '' ? words : `${of}, ${words}`}</span></th>`;
}

/** Empty for a row that is not counted by time. */
function timesCell(shown: Buckets | null, row: BreakdownRow | undefined): Html | null {
  if (shown === null) return null;
  return html`<td class="trend">${row?.by === undefined ? null : sparkline(row, shown)}</td>`;
}

/** With a tint behind the row. `part`: how wide it is, 0 to 1; 0: there is none. */
export function nameCell(shown: Html, address: string | null, part: number): Html {
  return html`<th scope="row">${part === 0 ? null : html`<svg class="tint" width="${width(part)}%" aria-hidden="true"><rect width="100%" height="100%"/></svg>`}${address === null ? shown : html`<a href="${address}">${shown}</a>`}</th>`;
}

/** `name`: what it leaves out, as text. */
export function excludeCell(name: string, address: string | null): Html {
  return html`<td class="not">${address === null ? null : html`<a class="exclude" href="${address}" title="Exclude ${name}"><span aria-hidden="true">not</span><span class="unseen">Exclude <bdi>${name}</bdi></span></a>`}</td>`;
}

/** In percent with one decimal, never invisible. */
function width(part: number): number {
  return Math.max(1, Math.round(part * 1000) / 10);
}
