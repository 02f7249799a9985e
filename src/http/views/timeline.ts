// The timeline: bars that narrow the dates, and the same as a table.

import { shareOf } from '../../analysis/normalise.ts';
import type { Timeline } from '../../model/engine.ts';
import type { TimelineStep } from '../../model/time.ts';
import { readableDay } from '../../model/time.ts';
import { nextBucket } from '../../model/timeline.ts';
import { count, percent } from './format.ts';
import { type Html, html } from './html.ts';
import { visible } from './record-text.ts';

/** Height of the tallest bar, and the width of all bars together if they are few, in units of the drawing. */
const HEIGHT = 72;
const MIN_WIDTH = 320;

export interface TimelineLinks {
  /** Address of the same search between two instants. */
  readonly narrow: (from: number, to: number) => string;
  /** Addresses of the same search over a longer time and over all time; null if there is none. */
  readonly wider: string | null;
  readonly allTime: string | null;
  /** What the bars are a share of, in canonical form; null: they show counts. */
  readonly shareOf: string | null;
  /** Address of the same page with shares in place of counts, or counts in place of shares. */
  readonly other: string;
  /** Address of the same as CSV. */
  readonly file: string;
}

export function timelinePanel({ step, buckets }: Timeline, links: TimelineLinks): Html | null {
  const { narrow, wider, allTime, shareOf: scope } = links;
  if (buckets.length === 0) return null;
  const rows = buckets.map(({ start, count: inBucket, of = 0 }): Bar => {
    const share = shareOf(inBucket, of);
    return {
      ...{ name: bucketName(step, start), count: inBucket, of, share },
      height: scope === null ? inBucket : (share ?? 0),
      words: scope === null ? count(inBucket) : `${percentOf(share)} (${count(inBucket)} of ${count(of)})`,
      address: inBucket === 0 ? null : narrow(start, nextBucket(step, start)),
    };
  });
  const most = Math.max(...rows.map((row) => row.height));
  const highest = rows.find((row) => row.height === most)!;
  return html`<details class="panel" open><summary><h2 id="timeline">Over time</h2> <span class="tally">per ${step}</span></summary>
<p class="choose">${scope === null ? html`<b>Count</b> <a href="${links.other}">Share</a>` : html`<a href="${links.other}">Count</a> <b>Share</b>`} <a href="${links.file}" download>CSV</a></p>
${scope === null ? null : html`<p class="hint">Share: of all in the ${step}${scope === '' ? null : html` that match <bdi>${visible(scope)}</bdi>`}.</p>`}
<figure>${bars(rows, most)}
<figcaption><span>${rows[0]!.name}</span>${rows.length === 1 ? null : html` <span>${rows.at(-1)!.name}</span> <span class="busiest">${scope === null ? html`busiest: ${highest.name}` : html`highest: ${highest.name}, ${percentOf(highest.share)}`}</span>`}</figcaption></figure>
${wider === null && allTime === null ? null : html`<p class="more">${wider === null ? null : html`<a href="${wider}">Zoom out</a> `}${allTime === null ? null : html`<a href="${allTime}">All time</a>`}</p>`}
<details class="inner"><summary>Show as table</summary>
<table class="breakdown" aria-labelledby="timeline"><thead><tr><th scope="col">${STEP_NAMES[step]}</th><th scope="col">Count</th>${scope === null ? null : html`<th scope="col">Of</th><th scope="col">Share</th>`}</tr></thead><tbody>
${rows.map((row) => html`<tr><th scope="row">${row.address === null ? row.name : html`<a href="${row.address}">${row.name}</a>`}</th><td>${count(row.count)}</td>${scope === null ? null : html`<td>${count(row.of)}</td><td>${percentOf(row.share)}</td>`}</tr>`)}
</tbody></table></details></details>`;
}

interface Bar {
  readonly name: string;
  readonly count: number;
  /** 0 where no shares were asked for. */
  readonly of: number;
  readonly share: number | null;
  /** In what the bars show. */
  readonly height: number;
  /** What its height means. */
  readonly words: string;
  readonly address: string | null;
}

/** Empty where there is nothing to be a share of. */
function percentOf(share: number | null): string {
  return share === null ? '' : percent(share);
}

/** Only for the pointer: the table has the same links for everybody. */
function bars(rows: readonly Bar[], most: number): Html {
  const slot = Math.max(10, Math.floor(MIN_WIDTH / rows.length));
  const width = Math.min(slot - 1, 40);
  const inset = Math.floor((slot - width) / 2);
  return html`<svg class="timeline" viewBox="0 0 ${slot * rows.length} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">
${rows.map(({ name, height: value, words, address }, at) => {
  if (address === null) return null;
  const height = Math.max(2, Math.round((value / most) * HEIGHT));
  const left = at * slot;
  return html`<a href="${address}" tabindex="-1"><title>${name}: ${words}</title><rect class="hit" x="${left}" width="${slot}" height="${HEIGHT}"/><rect class="fill" x="${left + inset}" y="${HEIGHT - height}" width="${width}" height="${height}"/></a>`;
})}
</svg>`;
}

/** Heads of columns. */
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
