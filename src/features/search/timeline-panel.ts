// The timeline of a search: a drawing above the list, with the other kind below its own, and a table beside it.

import { shareOf } from '../../analysis/asking.ts';
import { barsPath, bucketName, SLOT, STEP_NAMES, timeAxis, timeTicks } from '../../http/views/charts.ts';
import { count, counted, KIND_TITLES, percent } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import { visible } from '../../http/views/record-text.ts';
import type { Timeline, TimelineBucket } from '../../model/engine.ts';
import { type Kind, otherKind } from '../../model/record.ts';

/** Heights of the bars of the list shown, of those of the other list, and of what is between them: pixels. */
const HEIGHT = 70;

const OTHER_HEIGHT = 24;

const GAP = 6;

export interface TimelineLinks {
  /** Addresses of the same search within each bucket. */
  readonly buckets: readonly string[];
  /** Address of the same search over a longer time; null if there is none. */
  readonly wider: string | null;
  readonly presets: readonly Preset[];
  /** What the bars are a share of, in canonical form; null: they show counts. */
  readonly shareOf: string | null;
  /** Address of the same page with shares in place of counts, or counts in place of shares. */
  readonly other: string;
  /** Address of the same as CSV. */
  readonly file: string;
  /** Address of more pictures of the same matches. */
  readonly pictures: string;
}

/** A range of dates to choose. */
export interface Preset {
  readonly name: string;
  /** What it means, in full. */
  readonly words: string;
  /** null: it is the range shown. */
  readonly address: string | null;
}

/** Of the same buckets; null of the other kind where it could not be counted. */
export type Timelines = Readonly<Record<Kind, Timeline | null>>;

/** Across the page, above the results; null if nothing matches. */
export function timelinePanel(kind: Kind, timelines: Timelines, links: TimelineLinks): Html | null {
  const { wider, presets, shareOf: scope } = links;
  const shown = timelines[kind];
  if (shown === null || shown.buckets.length === 0) return null;
  return html`<section class="times" aria-labelledby="timeline">
<div class="times-head"><h2 id="timeline" tabindex="-1">Over time</h2> <span class="tally">per ${shown.step}</span>
<p class="choose">${scope === null ? html`<b>Count</b> <a href="${links.other}">Share</a>` : html`<a href="${links.other}">Count</a> <b>Share</b>`}</p>
<p class="choose">${presets.map(({ name, words, address }) => (address === null ? html`<b title="${words}">${name}</b> ` : html`<a href="${address}" title="${words}">${name}</a> `))}${wider === null ? null : html`<a href="${wider}">Wider</a>`}</p>
<p class="choose end"><a href="#timeline-rows">Table</a> <a href="${links.file}" download>CSV</a> <a href="${links.pictures}">Pictures</a></p></div>
${drawing(kind, timelines, links)}
${scope === null ? null : html`<p class="hint">Share: of all ${kind}s in the ${shown.step}${scope === '' ? null : html` that match <bdi>${visible(scope)}</bdi>`}.</p>`}
</section>`;
}

/** The same in figures, folded away; null if nothing matches. */
export function timelineTable(kind: Kind, timelines: Timelines, links: TimelineLinks): Html | null {
  const shown = timelines[kind];
  if (shown === null || shown.buckets.length === 0) return null;
  const { shareOf: scope } = links;
  const other = timelines[otherKind(kind)];
  const [first, second] = KINDS_SHOWN.map((one) => timelines[one]?.buckets ?? null);
  const heads =
    scope === null
      ? [
          ...(kind === 'post' || other !== null ? ['Posts'] : []),
          ...(kind === 'comment' || other !== null ? ['Comments'] : []),
        ]
      : [KIND_TITLES[kind], 'Of', 'Share'];
  const cells = (at: number) => {
    if (scope === null)
      return [first, second].flatMap((buckets) => (buckets ? [count(buckets[at]!.count)] : []));
    const { count: found, of = 0 } = shown.buckets[at]!;
    return [count(found), count(of), percentOf(shareOf(found, of))];
  };
  return html`<details class="panel"><summary><h2 id="timeline-title">Over time, as a table</h2></summary>
<table class="breakdown" id="timeline-rows" aria-labelledby="timeline-title"><thead><tr><th scope="col">${STEP_NAMES[shown.step]}</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${shown.buckets.map(({ start, count: found }, at) => {
  const name = bucketName(shown.step, start);
  return html`<tr><th scope="row">${found === 0 ? name : html`<a href="${links.buckets[at]!}">${name}</a>`}</th>${cells(at).map((cell) => html`<td>${cell}</td>`)}</tr>`;
})}
</tbody></table></details>`;
}

const KINDS_SHOWN = ['post', 'comment'] as const;

/** Bars of the list shown, and below them those of the other list: each up to its own maximum. */
function drawing(kind: Kind, timelines: Timelines, links: TimelineLinks): Html {
  const { step, buckets } = timelines[kind]!;
  const beside = timelines[otherKind(kind)]?.buckets ?? null;
  const hasOther = beside?.some((bucket) => bucket.count > 0) ?? false;
  const isShare = links.shareOf !== null;
  const values = (all: readonly TimelineBucket[]) =>
    all.map(({ count: found, of = 0 }) => (isShare ? (shareOf(found, of) ?? 0) : found));
  const height = hasOther ? HEIGHT : HEIGHT + GAP + OTHER_HEIGHT;
  const whole = HEIGHT + GAP + OTHER_HEIGHT;
  const [own, others] = [values(buckets), hasOther ? values(beside!) : []];
  const [top, otherTop] = [Math.max(...own), Math.max(...others, 0)];
  const words = (one: Kind, { count: found, of = 0 }: TimelineBucket) =>
    isShare
      ? `${percentOf(shareOf(found, of))} (${count(found)} of ${counted(of, one)})`
      : counted(found, one);
  return html`<div class="plot" data-chart>
<div class="scale"><p><b>${KIND_TITLES[kind]}</b> <span>${scaleEnd(top, isShare)}</span></p>${hasOther ? html`<p><b>${KIND_TITLES[otherKind(kind)]}</b> <span>${scaleEnd(otherTop, isShare)}</span></p>` : null}</div>
<svg class="timeline" viewBox="0 0 ${SLOT * buckets.length} ${whole}" preserveAspectRatio="none" aria-hidden="true" focusable="false">
${buckets.map((bucket, at) => {
  if (bucket.count === 0) return null;
  const { start } = bucket;
  const also = hasOther ? `, ${words(otherKind(kind), beside![at]!)}` : '';
  return html`<a href="${links.buckets[at]!}" tabindex="-1"><title>${bucketName(step, start)}: ${words(kind, bucket)}${also}</title><rect class="hit" x="${at * SLOT}" width="${SLOT}" height="${whole}"/></a>`;
})}
<path class="ground" d="M0 ${height - 0.5}H${SLOT * buckets.length}"/><path class="fill" d="${barsPath(own, top, height)}"/>${hasOther ? html`<path class="ground" d="M0 ${whole - 0.5}H${SLOT * buckets.length}"/><path class="other" transform="translate(0 ${HEIGHT + GAP})" d="${barsPath(others, otherTop, OTHER_HEIGHT)}"/>` : null}
</svg>
${timeAxis(
  timeTicks(
    step,
    buckets.map(({ start }) => start),
    bucketName,
  ),
  buckets.length,
)}
</div>`;
}

function scaleEnd(top: number, isShare: boolean): string {
  return isShare ? percent(top) : count(top);
}

/** Empty where there is nothing to be a share of. */
function percentOf(share: number | null): string {
  return share === null ? '' : percent(share);
}
