// What stands around the list of results: the timeline above it; breakdowns, the timeline's table and what to copy
// beside it. Where all of that leads.

import { startOfLast } from '../../analysis/time-range.ts';
import {
  firstPage,
  ofKind,
  type SearchState,
  searchAddress,
  searchAddresses,
} from '../../http/addresses/search.ts';
import { breakdownAddress, picturesAddress, timelineFileAddress } from '../../http/addresses/tables.ts';
import { copyPanel } from '../../http/views/api-examples.ts';
import { rangeWords, shownTimes, sparkline } from '../../http/views/charts.ts';
import { count, counted, KIND_TITLES, portion } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Frame } from '../../http/views/layout.ts';
import { visible, visibleText } from '../../http/views/record-text.ts';
import { excludeCell, holdingAll, nameCell, type RowLinks, rowLinks } from '../../http/views/rows.ts';
import type { Breakdown, BreakdownRow, NameField } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { type Buckets, nextBucket } from '../../model/timeline.ts';
import {
  rowItem,
  rowQueries,
  since,
  wider,
  withoutDates,
  writeQuery,
  writtenBetween,
  writtenItems,
} from '../../search/edit-query.ts';
import type { CountedBreakdown, PageResult } from './service.ts';
import { type Preset, type TimelineLinks, timelinePanel, timelineTable } from './timeline-panel.ts';

interface BesideResults {
  readonly state: SearchState;
  readonly result: PageResult;
  /** What the shares of the timeline are of, in canonical form; null: it shows counts. */
  readonly shareOf: string | null;
}

/** The timeline, above the list, and its table, beside it; null if nothing of the kind shown matches. */
export function timelineParts(view: BesideResults): { readonly across: Html; readonly table: Html } | null {
  const { kind } = view.state;
  if (view.result.totals[kind] === 0) return null;
  const { timelines } = view.result;
  const links = timelineLinks(view);
  const across = timelinePanel(kind, timelines, links);
  const table = timelineTable(kind, timelines, links);
  return across && table && { across, table };
}

/** Where the timeline leads. */
function timelineLinks({ state, result, shareOf }: BesideResults): TimelineLinks {
  const items = writtenItems(result.interpretation);
  const address = searchAddresses(firstPage(state));
  const here = (edited: typeof items) => address(writeQuery(edited));
  const broader = wider(items);
  const { step, buckets } = result.timelines[state.kind] ?? { step: 'year', buckets: [] };
  const narrowed = writtenBetween(items);
  return {
    buckets: buckets.map(({ start }) => address(narrowed(start, nextBucket(step, start)))),
    wider: broader && here(broader),
    presets: presets(items, result.range, here),
    shareOf,
    other: searchAddress({ ...firstPage(state), timeline: shareOf === null ? 'share' : 'count' }),
    file: timelineFileAddress(state),
    pictures: picturesAddress(state),
  };
}

/** The last year and the last five years that the index has records of, where it has more, and all of it. */
function presets(
  items: ReturnType<typeof writtenItems>,
  range: PageResult['range'],
  here: (edited: typeof items) => string,
): readonly Preset[] {
  const now = here(items);
  const preset = (name: string, words: string, edited: typeof items) => {
    const address = here(edited);
    return { name, words, address: address === now ? null : address };
  };
  const lasts = ([1, 5] as const).flatMap((years) => {
    const start = range === null ? null : startOfLast(years, range);
    if (start === null) return [];
    const name = years === 1 ? 'Last year' : `${years} years`;
    return [
      preset(
        name,
        `The last ${years === 1 ? 'year' : `${years} years`} of the archive, from ${readableDay(start)}`,
        since(items, start),
      ),
    ];
  });
  return [...lasts, preset('All time', 'Whatever the date', withoutDates(items))];
}

/** `table`: that of the timeline. */
export function sidePanels(frame: Frame, view: BesideResults, table: Html | null): Html {
  const { state, result } = view;
  const items = writtenItems(result.interpretation);
  const narrowed = {
    post: searchAddresses(ofKind(firstPage(state), 'post')),
    comment: searchAddresses(ofKind(firstPage(state), 'comment')),
  };
  const total = result.totals[state.kind] ?? 0;
  const rows = (kind: Kind, field: NameField) =>
    breakdownAddress({ query: state.query, kind, field, prefix: '', page: 1 });
  const links = (field: NameField, breakdown: Breakdown | null) =>
    rowLinks(field, items, {
      include: narrowed[state.kind],
      exclude: narrowed[state.kind],
      leavesNothing: holdingAll(breakdown, total),
    });
  const queries = rowQueries(items, 'community');
  const inCommunity = (kind: Kind, name: string) => {
    const item = rowItem('community', name);
    return item === null ? null : narrowed[kind](queries.including(item));
  };
  return html`${domainPanel({
    breakdown: result.domains,
    times: result.times,
    total,
    all: rows(state.kind, 'domain'),
    ...links('domain', result.domains),
  })}
${communityPanel({
  kind: state.kind,
  breakdowns: result.communities,
  times: result.times,
  include: inCommunity,
  exclude: links('community', result.communities[state.kind]).exclude,
  all: { post: rows('post', 'community'), comment: rows('comment', 'community') },
})}
${table}
${copyPanel({
  publicAddress: frame.publicAddress,
  address: searchAddress({ ...state, trail: [] }),
  query: result.interpretation.echo,
  order: state.order,
})}`;
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
