// What drawings on a time axis share. A drawing is stretched to the width of its place: its units say nothing of
// pixels, so text never stands in it, but beside it or in an axis whose places are percentages. Rows of a breakdown,
// with a tint for their share, a sparkline, and links that narrow the search to a row or leave it out.

import type { Breakdown, BreakdownRow, NameField } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import { readableDay, type TimelineStep } from '../../model/time.ts';
import type { Buckets } from '../../model/timeline.ts';
import { shareOf } from '../../search/asking.ts';
import { rowItem, rowQueries } from '../../search/edit-query.ts';
import { count, counted, percent } from './format.ts';
import { type Html, html } from './html.ts';

/** Width of one bucket, in units of a drawing. */
export const SLOT = 10;

/** Where axes end: whatever the values are, little of the height is left empty. */
const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** The next round number that is at least `most`: the end of an axis. 1 for 0; whole where `most` is. */
export function roundTop(most: number): number {
  if (!(most > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  const isWhole = Number.isInteger(most);
  const found = ROUND.map((factor) => Number((factor * unit).toPrecision(3))).find(
    (top) => top >= most && (!isWhole || Number.isInteger(top)),
  );
  return found ?? most;
}

/** Bars from the ground up, one for each value; none for 0 and null. A value above `top` is cut there. */
export function barsPath(values: readonly (number | null)[], top: number, height: number): string {
  // A few of them would be as wide as tables.
  const width = Math.min(SLOT * 0.8, values.length / 3);
  const left = (SLOT - width) / 2;
  return values
    .map((value, at) => {
      if (value === null || value <= 0) return '';
      const tall = Math.max(1, round(Math.min(1, value / top) * height));
      return `M${round(at * SLOT + left)} ${height}v-${tall}h${round(width)}v${tall}z`;
    })
    .join('');
}

/** A line through the middles of the buckets; null leaves a gap, and a value alone is a short stroke. */
export function linePath(values: readonly (number | null)[], top: number, height: number): string {
  let path = '';
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const y = round(height - Math.min(1, value / top) * height);
    const x = at * SLOT + SLOT / 2;
    const isJoined = at > 0 && values[at - 1] !== null;
    const isAlone = !isJoined && (values[at + 1] ?? null) === null;
    path += isAlone ? `M${x - 2} ${y}h4` : `${isJoined ? 'L' : 'M'}${x} ${y}`;
  }
  return path;
}

interface Tick {
  /** Place of its bucket, from 0. */
  readonly at: number;
  readonly label: string;
}

const MOST_TICKS = 4;

/**
 * Up to four years where the buckets begin three or more, else up to four months, else the first, middle and last
 * bucket by its name.
 */
export function timeTicks(step: TimelineStep, starts: readonly number[]): readonly Tick[] {
  for (const { length } of ['YYYY', 'YYYY-MM']) {
    const begun = starts.flatMap((start, at) => {
      const label = readableDay(start).slice(0, length);
      const isFirst = at > 0 && readableDay(starts[at - 1]!).slice(0, length) !== label;
      return isFirst || (at === 0 && readableDay(start) === `${label}-01-01`.slice(0, 10))
        ? [{ at, label }]
        : [];
    });
    const stride = Math.ceil(begun.length / MOST_TICKS);
    if (begun.length >= 3) return begun.filter((_, i) => i % stride === 0);
  }
  const places = new Set([0, Math.floor((starts.length - 1) / 2), starts.length - 1]);
  return [...places].filter((at) => at >= 0).map((at) => ({ at, label: bucketName(step, starts[at]!) }));
}

/** The labels of buckets that begin there, as a strip of their own, as wide as the drawing above it. */
export function timeAxis(step: TimelineStep, starts: readonly number[]): Html {
  return html`<svg class="axis" aria-hidden="true" focusable="false">${timeTicks(step, starts).map(
    ({ at, label }) => {
      const place = (at + 0.5) / starts.length;
      // A label at either end stays inside.
      const [x, anchor] = place < 0.04 ? [0, 'start'] : place > 0.96 ? [1, 'end'] : [place, 'middle'];
      return html`<text x="${round(x * 100)}%" y="12" text-anchor="${anchor}">${label}</text>`;
    },
  )}</svg>`;
}

/** Of fewer records than these, a share or a mean says little: it is hatched, and said to be of few. */
export const FEW = 30;
const OF_FEW = `, fewer than ${FEW}`;

/** False for 0, which has no share. */
export function isFew(of = 0): boolean {
  return of > 0 && of < FEW;
}

/** Behind a number of so many, where they are few. */
export function ofFew(of: number): string {
  return isFew(of) ? OF_FEW : '';
}

/** What the hatches mean, where there are some. `what`: what there are few of, as a plural. */
export function hatchNote(slots: readonly Pick<Slot, 'isFew'>[], what: string): string {
  return slots.some((slot) => slot.isFew) ? ` Hatched: fewer than ${FEW} ${what}.` : '';
}

/** Hatched where it is of few. */
export function cellOf(words: string, of: number | undefined): Html {
  return html`<td${isFew(of) ? html` class="few"` : null}>${words}</td>`;
}

/** `4.2% (21 of 500 posts, fewer than 30)`. */
export function shareWords(found: number, of: number, kind: Kind): string {
  if (of === 0) return `no ${kind}s at all`;
  return `${percentOf(shareOf(found, of))} (${count(found)} of ${counted(of, kind)}${ofFew(of)})`;
}

/** Empty where there is no share. */
export function percentOf(share: number | null | undefined): string {
  return share == null ? '' : percent(share);
}

/** What a drawing says of a bucket, and where that leads. */
export interface Slot {
  readonly words: string;
  /** Absent or null: nowhere. */
  readonly address?: string | null;
  readonly isFew?: boolean;
  readonly isGap?: boolean;
}

interface BarPlot {
  readonly step: TimelineStep;
  readonly starts: readonly number[];
  readonly values: readonly number[];
  readonly slots: readonly Slot[];
}

const BARS_HEIGHT = 96;

/** Bars up to the greatest, above the axis of their times; the line above says what one of them means. */
export function barPlot({ step, starts, values, slots }: BarPlot): Html {
  const width = SLOT * starts.length;
  return html`<svg class="timeline" viewBox="0 0 ${width} ${BARS_HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">${slots.map((slot, at) => hit(slot, at, BARS_HEIGHT))}<path class="fill" d="${barsPath(values, Math.max(...values, 1), BARS_HEIGHT)}"/></svg>
${timeAxis(step, starts)}`;
}

/** The line above a chart: its highest bucket. The page's script follows pointer, finger and keys from there. */
export function valueLine(slots: readonly Slot[], values: readonly number[]): Html {
  return html`<p class="value">${slots[values.indexOf(Math.max(...values))]!.words}</p>`;
}

interface LinePlot {
  readonly step: TimelineStep;
  readonly starts: readonly number[];
  /** Each with a value a bucket; null: there is none. */
  readonly lines: readonly (readonly (number | null)[])[];
  readonly slots: readonly Slot[];
  readonly label: (value: number) => string;
  /** At the right ends of the lines; absent: nothing. */
  readonly names?: readonly string[];
}

const LINE_HEIGHT = 160;
const NAME_HEIGHT = 15;
const NAME_LENGTH = 18;

/** Lines with the scale of their values and the axis of their times; up to a round number. */
export function linePlot({ step, starts, lines, slots, label, names }: LinePlot): Html {
  const top = roundTop(Math.max(0, ...lines.flat().map((value) => value ?? 0)));
  const isWhole = lines.every((line) => line.every((value) => Number.isInteger(value ?? 0)));
  const middle = isWhole && !Number.isInteger(top / 2) ? '' : label(top / 2);
  const ends = lines.map((line) => (1 - (line.findLast((value) => value !== null) ?? 0) / top) * LINE_HEIGHT);
  return html`<div class="plot tall">${scale([label(top), middle, label(0)])}
<svg class="timeline" viewBox="0 0 ${SLOT * starts.length} ${LINE_HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">
<path class="grid" d="M0 0.5H${SLOT * starts.length}M0 ${LINE_HEIGHT / 2}H${SLOT * starts.length}"/><path class="ground" d="M0 ${LINE_HEIGHT - 0.5}H${SLOT * starts.length}"/>
${slots.map((slot, at) => hit(slot, at, LINE_HEIGHT))}
${lines.map((line, i) => html`<path class="line line-${i}" d="${linePath(line, top, LINE_HEIGHT)}"/>`)}</svg>
${names === undefined ? null : html`<svg class="ends" aria-hidden="true">${spread(ends).map((y, i) => html`<text class="line-${i}" y="${y + 4}">${cut(names[i]!)}</text>`)}</svg>`}${timeAxis(step, starts)}</div>`;
}

function cut(name: string): string {
  return name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name;
}

/** The place of a bucket in a drawing, from the ground up. */
export function hit({ words, address, isFew, isGap }: Slot, at: number, height: number): Html {
  const shown = html`<title>${words}</title><rect class="${isGap ? 'hit gap' : 'hit'}" x="${at * SLOT}" width="${SLOT}" height="${height}"/>${isFew ? hatch(at, height) : null}`;
  return address == null ? html`<g>${shown}</g>` : html`<a href="${address}" tabindex="-1">${shown}</a>`;
}

function hatch(at: number, height: number): Html {
  const lines = Array.from(
    { length: Math.floor(height / 20) },
    (_, i) => `M${at * SLOT} ${i * 20 + 20}l${SLOT}-20`,
  );
  return html`<path class="hatch" d="${lines.join('')}"/>`;
}

/** Where names stand whose lines end there: none on top of another, all within the picture. */
export function spread(ends: readonly number[]): number[] {
  const placed: number[] = new Array(ends.length);
  const order = ends.map((_, i) => i).sort((a, b) => ends[a]! - ends[b]! || a - b);
  let least = 0;
  for (const [place, i] of order.entries()) {
    const below = (order.length - 1 - place) * NAME_HEIGHT;
    placed[i] = round(Math.max(least, Math.min(ends[i]!, LINE_HEIGHT - below)));
    least = placed[i]! + NAME_HEIGHT;
  }
  return placed;
}

/** What the ends of the axis and its middle mean, from above, for the place beside a drawing.
 * `name`: its class, where they do not stand at equal distances. */
export function scale(labels: readonly string[], name = ''): Html {
  return html`<div class="scale ${name}">${labels.map((label) => html`<span>${label}</span>`)}</div>`;
}

/** With one decimal. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export const STEP_NAMES: Readonly<Record<TimelineStep, string>> = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week from',
  month: 'Month',
  quarter: 'Quarter',
  year: 'Year',
};

/** `2023-03-14`, `2023-03`, `2023 Q1`, `2023`; a week is named by its Monday. */
export function bucketName(step: TimelineStep, start: number): string {
  const first = readableDay(start);
  if (step === 'hour') return `${first} ${new Date(start * 1000).toISOString().slice(11, 16)}`;
  if (step === 'year') return first.slice(0, 4);
  if (step === 'month') return first.slice(0, 7);
  if (step === 'quarter') return `${first.slice(0, 4)} Q${Math.floor(Number(first.slice(5, 7)) / 3) + 1}`;
  return first;
}

/** Pixels, as in styles/side.css. */
const SPARK_HEIGHT = 16;

/** From the first bucket in which one of the rows has something to the last. */
export function shownTimes(rows: readonly BreakdownRow[], { step, starts }: Buckets): Buckets {
  const filled = new Set(rows.flatMap(({ by = [] }) => by.map(({ start }) => start)));
  const [from, to] = [
    starts.findIndex((start) => filled.has(start)),
    starts.findLastIndex((start) => filled.has(start)),
  ];
  return { step, starts: from === -1 ? [] : starts.slice(from, to + 1) };
}

/** `2012 to 2024`. */
export function rangeWords({ step, starts }: Buckets): string {
  if (starts.length < 2) return `Per ${step}`;
  return `${bucketName(step, starts[0]!)} to ${bucketName(step, starts.at(-1)!)}`;
}

/** The row over time, up to its own maximum, which is its name. */
export function sparkline({ by = [] }: Pick<BreakdownRow, 'by'>, { step, starts }: Buckets): Html {
  const counts = new Map(by.map(({ start, count: found }) => [start, found]));
  const values = starts.map((start) => counts.get(start) ?? 0);
  const most = Math.max(...values, 1);
  const at = values.indexOf(most);
  const busiest = at === -1 ? '' : `busiest ${step}: ${bucketName(step, starts[at]!)}, ${count(most)}`;
  return html`<svg class="sparkline" viewBox="0 -1 ${Math.max(1, starts.length) * SLOT} ${SPARK_HEIGHT}" preserveAspectRatio="none" role="img"><title>${busiest}</title><path d="${linePath(values, most, SPARK_HEIGHT - 2)}"/></svg>`;
}

/** Where the name of a row leads, and where its "not" does; null if there is nothing to lead to. */
export interface RowLinks {
  /** null if no query can contain the name. */
  readonly include: (name: string) => string | null;
  /** null also if nothing would be found. */
  readonly exclude: (name: string) => string | null;
}

/** With a tint behind the row. `part`: how wide it is, 0 to 1; 0: there is none. `isLess`: of another colour. */
export function nameCell(shown: Html, address: string | null, part: number, isLess = false): Html {
  return html`<th scope="row">${part === 0 ? null : html`<svg class="${isLess ? 'tint less' : 'tint'}" width="${width(part)}%" aria-hidden="true"><rect width="100%" height="100%"/></svg>`}${address === null ? shown : html`<a href="${address}">${shown}</a>`}</th>`;
}

/** `name`: what it leaves out, as text. */
export function excludeCell(name: string, address: string | null): Html {
  return html`<td class="not">${address === null ? null : html`<a class="exclude" href="${address}" title="Exclude ${name}"><span aria-hidden="true">not</span><span class="unseen">Exclude <bdi>${name}</bdi></span></a>`}</td>`;
}

/** In percent with one decimal, never invisible. */
function width(part: number): number {
  return Math.max(1, Math.round(part * 1000) / 10);
}

/** Where the rows of a breakdown lead: `address` gives the same search with another query. `total`: all matches. */
export function rowLinks(
  field: NameField,
  items: Parameters<typeof rowQueries>[0],
  address: (query: string) => string,
  breakdown: Breakdown | null,
  total: number,
): RowLinks {
  const queries = rowQueries(items, field === 'community' ? 'community' : 'site');
  // Without a row that holds all matches, nothing would be found.
  const whole = breakdown?.rows.filter(({ count }) => count === total) ?? [];
  const needed = new Set(whole.map(({ name }) => name));
  return {
    include: (name) => {
      const item = rowItem(field, name);
      return item === null ? null : address(queries.including(item));
    },
    exclude: (name) => {
      const item = total === 0 || needed.has(name) ? null : rowItem(field, name);
      const query = item === null ? null : queries.excluding(item);
      return query === null ? null : address(query);
    },
  };
}
