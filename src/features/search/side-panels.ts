// The panels around the list of results: above it, the timelines of both kinds; beside it, the breakdowns, the
// timeline's table, and texts to copy. Also the addresses of their links.

import {
  breakdownAddress,
  firstPage,
  listOf,
  ofKind,
  type SearchState,
  searchAddress,
  searchAddresses,
  tableAddress,
  underPair,
} from '../../http/addresses.ts';
import {
  barsPath,
  bucketName,
  excludeCell,
  hatchNote,
  hit,
  isFew,
  nameCell,
  percentOf,
  rangeWords,
  rowLinks,
  SLOT,
  STEP_NAMES,
  shareWords,
  shownTimes,
  sparkline,
  timeAxis,
  valueLine,
} from '../../http/views/charts.ts';
import { count, counted, KIND_TITLES, percent, portion } from '../../http/views/format.ts';
import { type Html, html, menu } from '../../http/views/html.ts';
import { visible, visibleText } from '../../http/views/record-text.ts';
import type { Breakdown, NameField, Timeline, TimelineBucket } from '../../model/engine.ts';
import { KINDS, type Kind, otherKind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { nextBucket } from '../../model/timeline.ts';
import { shareOf } from '../../search/asking.ts';
import { between, since, wider, withoutDates, writeQuery, writtenItems } from '../../search/edit-query.ts';
import { startOfLast } from '../../search/search-service.ts';
import type { PageResult } from './service.ts';

export interface BesideResults {
  readonly state: SearchState;
  readonly result: PageResult;
  readonly beside: readonly Html[];
  /** The query that the timeline's shares are of, in canonical form; null: it shows counts. */
  readonly shareOf: string | null;
}

/** The timeline, above the list, and its table, beside it; null if nothing of the shown kind matches. */
export function timelineParts(view: BesideResults): { readonly across: Html; readonly table: Html } | null {
  const { kind } = view.state;
  const { timelines, totals } = view.result;
  const shown = timelines[kind];
  if (totals[kind] === 0 || shown === null || shown.buckets.length === 0) return null;
  const over: Shown = { kind, shown, other: timelines[otherKind(kind)], links: timelineLinks(view, shown) };
  return { across: timelinePanel(over), table: timelineTable(over) };
}

/**
 * `wider`: address of the same search over a longer time; null: none. `shareOf`: the query that the bars are a share
 * of, in canonical form; null: they show counts. `other`: address of the same page with shares instead of counts, or
 * the reverse.
 */
function timelineLinks({ state, result, shareOf }: BesideResults, { step, buckets }: Timeline) {
  const items = writtenItems(result.interpretation);
  const address = searchAddresses(firstPage(state));
  const here = (edited: typeof items) => address(writeQuery(edited));
  const broader = wider(items);
  const narrowed = between(items);
  return {
    buckets: buckets.map(({ start }) => address(narrowed(start, nextBucket(step, start)))),
    wider: broader && here(broader),
    presets: presets(items, result.range, here),
    shareOf,
    other: searchAddress({ ...firstPage(state), timeline: shareOf === null ? 'share' : 'count' }),
    file: tableAddress('timeline', state.kind, [
      ['query', result.interpretation.echo],
      ...underPair(state.kind === 'post' ? null : result.under),
      ['step', step],
    ]),
  };
}

/** The last year and the last five of the index, if it has more, and all of it. Address null: the range shown. */
function presets(
  items: ReturnType<typeof writtenItems>,
  range: PageResult['range'],
  here: (edited: typeof items) => string,
) {
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
  return [...lasts, preset('All time', 'Any date', withoutDates(items))];
}

export function sidePanels(view: BesideResults, table: Html | null): Html {
  const rows = rowsOf(view.state.kind, view.result.communities);
  return html`${domainPanel(view, rows)}
${communityPanel(view, rows)}
${table}
${view.beside}`;
}

function allRows({ state }: BesideResults, kind: Kind, field: NameField): string {
  const { query, under } = state;
  const list = listOf({ ...ofKind(state, kind), under: null }, kind);
  return breakdownAddress({ query, kind, under, field, list });
}

function linksOf(
  { state, result }: BesideResults,
  kind: Kind,
  field: NameField,
  breakdown: Breakdown | null,
) {
  const [items, total] = [writtenItems(result.interpretation), result.totals[kind] ?? 0];
  return rowLinks(field, items, searchAddresses(ofKind(firstPage(state), kind)), breakdown, total);
}

const ROWS = 10;

/**
 * Folded by its heading; null if there is nothing to count. Domains of text posts are left out if their community has a
 * row in the other panel.
 */
function domainPanel(view: BesideResults, communities: readonly CommunityRow[]): Html | null {
  const { kind } = view.state;
  const { domains, totals } = view.result;
  const { distinct } = domains;
  const beside = new Set(communities.map(({ name }) => `self.${name.toLowerCase()}`));
  const rows = domains.rows.filter(({ name }) => !beside.has(name.toLowerCase())).slice(0, ROWS);
  const { include, exclude } = linksOf(view, kind, 'domain', domains);
  const total = totals[kind] ?? 0;
  if (rows.length === 0) return null;
  const most = rows[0]!.count;
  return html`<details class="panel" open><summary><h2 id="by-domain">By source domain</h2> <span class="tally">${count(distinct)}</span></summary>
<table class="breakdown" aria-labelledby="by-domain">
<thead class="unseen"><tr><th scope="col">Domain</th><th scope="col">Exclude</th><th scope="col">Count</th><th scope="col">Share of all matches</th></tr></thead>
<tbody>
${rows.map((row) => html`<tr>${nameCell(html`<bdi>${visible(row.name)}</bdi>`, include(row.name), tint(row.count, most))}${excludeCell(visibleText(row.name), exclude(row.name))}<td>${count(row.count)}</td><td class="part">${portion(row.count / total)}</td></tr>`)}
</tbody></table>
<p class="more"><a href="${allRows(view, kind, 'domain')}" aria-describedby="by-domain">${allWords(distinct, 'domain')}</a></p>
</details>`;
}

/** Shade of a row; 0, which draws none, if every row has one match. */
function tint(found: number, most: number): number {
  return most === 1 ? 0 : found / most;
}

/** Least matches of a row with a line over time, and least buckets of a line: with fewer, lines show nothing. */
const LEAST_DRAWN = { matches: 20, buckets: 6 };

/** Matches in each community and their share of all, next to those of the other kind; null if there are none. */
function communityPanel(view: BesideResults, rows: readonly CommunityRow[]): Html | null {
  const { state, result } = view;
  const { kind } = state;
  const other = otherKind(kind);
  const { communities: breakdowns, times } = result;
  const total = result.totals[kind] ?? 0;
  const own = linksOf(view, kind, 'community', breakdowns[kind]);
  const others = linksOf(view, other, 'community', null);
  const kinds = KINDS.filter((one) => breakdowns[one] === null || breakdowns[one].rows.length > 0);
  if (rows.length === 0) return null;
  const hasOwn = kinds.includes(kind);
  const most = Math.max(...rows.map(({ counts }) => counts[kind] ?? 0), 1);
  const drawn = breakdowns[kind]?.rows.filter(
    ({ name, count: found }) => found >= LEAST_DRAWN.matches && rows.some((row) => row.name === name),
  );
  const range = times && shownTimes(drawn ?? [], times);
  const shownBy = range !== null && range.starts.length >= LEAST_DRAWN.buckets ? range : null;
  const rowsBy = new Map(drawn?.map((row) => [row.name, row]));
  const cell = (found: number | undefined) => (found === undefined ? '–' : count(found));
  return html`<details class="panel" open><summary><h2 id="by-subreddit">By subreddit</h2></summary>
<table class="breakdown both" aria-labelledby="by-subreddit">
<thead><tr><th scope="col"><span class="unseen">Subreddit</span></th><th scope="col"><span class="unseen">Exclude</span></th>${shownBy && html`<th scope="col" class="trend"><span class="unseen">${KIND_TITLES[kind]}, ${rangeWords(shownBy)}</span></th>`}${hasOwn ? html`<th scope="col" id="by-${kind}s">${KIND_TITLES[kind]}</th><th scope="col" class="part">Share</th>` : null}${kinds.includes(other) ? html`<th scope="col" id="by-${other}s">${KIND_TITLES[other]}</th>` : null}</tr></thead>
<tbody>
${rows.map(({ name, counts }) => {
  const here = counts[kind] ?? 0;
  return html`<tr>${nameCell(html`<bdi>/r/${visible(name)}</bdi>`, (here > 0 ? own : others).include(name), tint(here, most))}${excludeCell(`/r/${visibleText(name)}`, own.exclude(name))}${shownBy && html`<td class="trend">${rowsBy.get(name)?.by && sparkline(rowsBy.get(name)!, shownBy)}</td>`}${hasOwn ? html`<td>${cell(counts[kind])}</td><td class="part">${here === 0 ? null : portion(here / total)}</td>` : null}${kinds.includes(other) ? html`<td class="part">${cell(counts[other])}</td>` : null}</tr>`;
})}
</tbody></table>
<p class="more">${kinds.map((one) => {
    const breakdown = breakdowns[one];
    if (breakdown === null) return html`<span>${KIND_TITLES[one]} could not be counted.</span> `;
    return html`<a href="${allRows(view, one, 'community')}" aria-describedby="by-subreddit">${allWords(breakdown.distinct, 'subreddit')} with ${one}s</a> `;
  })}</p>
</details>`;
}

interface CommunityRow {
  readonly name: string;
  /** undefined: not counted. */
  readonly counts: Readonly<Record<Kind, number | undefined>>;
}

/** The first rows of each kind: those of the shown kind, then those found only in the other. */
function rowsOf(kind: Kind, breakdowns: PageResult['communities']): CommunityRow[] {
  const firsts = [kind, ...KINDS].flatMap((one) => breakdowns[one]?.rows.slice(0, ROWS) ?? []);
  const names = [...new Set(firsts.map(({ name }) => name))];
  const countOf = (one: Kind, name: string) => {
    const { rows = [], distinct = Infinity } = breakdowns[one] ?? {};
    return rows.find((row) => row.name === name)?.count ?? (distinct <= rows.length ? 0 : undefined);
  };
  const rows = names.map((name) => ({
    ...{ name, counts: { post: countOf('post', name), comment: countOf('comment', name) } },
  }));
  return rows.filter(({ counts }) => KINDS.some((one) => (counts[one] ?? 0) > 0));
}

function allWords(distinct: number, name: string): string {
  return `${distinct === 1 ? '' : 'All '}${counted(distinct, name)}`;
}

/** Heights in pixels: bars of the shown list, bars of the other list, and the gap between them. */
const HEIGHT = 70;

const OTHER_HEIGHT = 24;

const GAP = 6;

type TimelineLinks = ReturnType<typeof timelineLinks>;

interface Shown {
  readonly kind: Kind;
  readonly shown: Timeline;
  /** Of the other kind, over the same buckets; null if it could not be counted. */
  readonly other: Timeline | null;
  readonly links: TimelineLinks;
}

function timelinePanel(over: Shown): Html {
  const { kind, shown, links } = over;
  const { wider, presets, shareOf: scope } = links;
  const here = presets.find(({ address }) => address === null);
  const dates = menu(
    'dates',
    here?.name ?? 'Dates',
    html`${presets.map(({ name, words, address }) => (address === null ? html`<b title="${words}">${name}</b>` : html`<a href="${address}" title="${words}">${name}</a>`))}${wider === null ? null : html`<a href="${wider}">Wider range</a>`}<a href="#timeline-rows">As a table</a>`,
  );
  const { picture, note } = drawing(over);
  return html`<section class="times" aria-labelledby="timeline">
<h2 id="timeline" class="unseen" tabindex="-1">Over time, per ${shown.step}</h2>
<p class="spans">${dates.button} <a href="${links.other}">${scope === null ? 'Share' : 'Count'}</a> <span class="tally">per ${shown.step}</span></p>
${picture}
${scope === null ? null : html`<p class="hint">Share of all ${kind}s in the ${shown.step}${scope === '' ? null : html` that match <bdi>${visible(scope)}</bdi>`}.${note}</p>\n`}${dates.sheet}</section>`;
}

function timelineTable({ kind, shown, other, links }: Shown): Html {
  const columns = KINDS.flatMap((one) => {
    const timeline = one === kind ? shown : other;
    return timeline === null ? [] : [{ one, timeline }];
  });
  const isShare = links.shareOf !== null;
  const heads = isShare ? [KIND_TITLES[kind], 'Out of', 'Share'] : columns.map(({ one }) => KIND_TITLES[one]);
  const cells = (at: number) => {
    if (!isShare) return columns.map(({ timeline }) => count(timeline.buckets[at]!.count));
    const { count: found, of = 0 } = shown.buckets[at]!;
    return [count(found), count(of), percentOf(shareOf(found, of))];
  };
  return html`<details class="panel"><summary><h2 id="timeline-title">Over time, as a table</h2></summary>
<table class="breakdown" id="timeline-rows" aria-labelledby="timeline-title"><thead><tr><th scope="col">${STEP_NAMES[shown.step]}</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${shown.buckets.map(({ start, count: found }, at) => {
  const name = bucketName(shown.step, start);
  return html`<tr><th scope="row">${found === 0 ? name : html`<a href="${links.buckets[at]!}">${name}</a>`}</th>${cells(at).map((cell) => html`<td>${cell}</td>`)}</tr>`;
})}
</tbody></table>
<p class="more"><a href="${links.file}" download>CSV</a></p></details>`;
}

/** Bars of the shown list, and below them those of the other list: each scaled to its own maximum. */
function drawing({ kind, shown: { step, buckets }, other, links }: Shown) {
  const beside = other?.buckets ?? null;
  const hasOther = beside?.some((bucket) => bucket.count > 0) ?? false;
  const isShare = links.shareOf !== null;
  const values = (all: readonly TimelineBucket[]) =>
    all.map(({ count: found, of = 0 }) => (isShare ? (shareOf(found, of) ?? 0) : found));
  const height = hasOther ? HEIGHT : HEIGHT + GAP + OTHER_HEIGHT;
  const whole = HEIGHT + GAP + OTHER_HEIGHT;
  const [own, others] = [values(buckets), hasOther ? values(beside!) : []];
  const [top, otherTop] = [Math.max(...own), Math.max(...others, 0)];
  const words = (one: Kind, { count: found, of = 0 }: TimelineBucket) =>
    isShare ? shareWords(found, of, one) : counted(found, one);
  const slots = buckets.map((bucket, at) => ({
    words: `${bucketName(step, bucket.start)}: ${words(kind, bucket)}${hasOther ? `, ${words(otherKind(kind), beside![at]!)}` : ''}`,
    address: bucket.count === 0 ? null : links.buckets[at]!,
    isFew: isShare && isFew(bucket.of),
  }));
  const picture = html`${valueLine(slots, own)}
<div class="plot">
<div class="scale"><p><b>${KIND_TITLES[kind]}</b> <span>${scaleEnd(top, isShare)}</span></p>${hasOther ? html`<p><b>${KIND_TITLES[otherKind(kind)]}</b> <span>${scaleEnd(otherTop, isShare)}</span></p>` : null}</div>
<svg class="timeline" viewBox="0 0 ${SLOT * buckets.length} ${whole}" preserveAspectRatio="none" aria-hidden="true" focusable="false">
${slots.map((slot, at) => hit(slot, at, whole))}
<path class="ground" d="M0 ${height - 0.5}H${SLOT * buckets.length}"/><path class="fill" d="${barsPath(own, top, height)}"/>${hasOther ? html`<path class="ground" d="M0 ${whole - 0.5}H${SLOT * buckets.length}"/><path class="other" transform="translate(0 ${HEIGHT + GAP})" d="${barsPath(others, otherTop, OTHER_HEIGHT)}"/>` : null}
</svg>
${timeAxis(
  step,
  buckets.map(({ start }) => start),
)}
</div>`;
  return { picture, note: hatchNote(slots, `${kind}s`) };
}

function scaleEnd(top: number, isShare: boolean): string {
  return isShare ? percent(top) : count(top);
}
