// The timeline: bars that narrow the dates, and the same as a table.

import type { Timeline } from '../../model/engine.ts';
import type { TimelineStep } from '../../model/time.ts';
import { readableDay } from '../../model/time.ts';
import { nextBucket } from '../../model/timeline.ts';
import { count } from './format.ts';
import { type Html, html } from './html.ts';

/** Height of the tallest bar, and the width of all bars together if they are few, in units of the drawing. */
const HEIGHT = 72;
const MIN_WIDTH = 320;

export interface TimelineLinks {
  /** Address of the same search between two instants. */
  readonly narrow: (from: number, to: number) => string;
  /** Addresses of the same search over a longer time and over all time; null if there is none. */
  readonly wider: string | null;
  readonly allTime: string | null;
}

export function timelinePanel({ step, buckets }: Timeline, links: TimelineLinks): Html | null {
  const { narrow, wider, allTime } = links;
  if (buckets.length === 0) return null;
  const rows = buckets.map(({ start, count: inBucket }) => ({
    name: bucketName(step, start),
    count: inBucket,
    address: inBucket === 0 ? null : narrow(start, nextBucket(step, start)),
  }));
  const most = Math.max(...rows.map((row) => row.count));
  const busiest = rows.find((row) => row.count === most)!;
  return html`<details class="panel" open><summary><h2 id="timeline">Over time</h2> <span class="tally">per ${step}</span></summary>
<figure>${bars(rows, most)}
<figcaption><span>${rows[0]!.name}</span>${rows.length === 1 ? null : html` <span>${rows.at(-1)!.name}</span> <span class="busiest">busiest: ${busiest.name}</span>`}</figcaption></figure>
${wider === null && allTime === null ? null : html`<p class="more">${wider === null ? null : html`<a href="${wider}">Zoom out</a> `}${allTime === null ? null : html`<a href="${allTime}">All time</a>`}</p>`}
<details class="inner"><summary>Show as table</summary>
<table class="breakdown" aria-labelledby="timeline"><thead><tr><th scope="col">${STEP_NAMES[step]}</th><th scope="col">Count</th></tr></thead><tbody>
${rows.map((row) => html`<tr><th scope="row">${row.address === null ? row.name : html`<a href="${row.address}">${row.name}</a>`}</th><td>${count(row.count)}</td></tr>`)}
</tbody></table></details></details>`;
}

interface Bar {
  readonly name: string;
  readonly count: number;
  readonly address: string | null;
}

/** Only for the pointer: the table has the same links for everybody. */
function bars(rows: readonly Bar[], most: number): Html {
  const slot = Math.max(10, Math.floor(MIN_WIDTH / rows.length));
  const width = Math.min(slot - 1, 40);
  const inset = Math.floor((slot - width) / 2);
  return html`<svg class="timeline" viewBox="0 0 ${slot * rows.length} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">
${rows.map(({ name, count: inBar, address }, at) => {
  if (address === null) return null;
  const height = Math.max(2, Math.round((inBar / most) * HEIGHT));
  const left = at * slot;
  return html`<a href="${address}" tabindex="-1"><title>${name}: ${count(inBar)}</title><rect class="hit" x="${left}" width="${slot}" height="${HEIGHT}"/><rect class="fill" x="${left + inset}" y="${HEIGHT - height}" width="${width}" height="${height}"/></a>`;
})}
</svg>`;
}

const STEP_NAMES: Readonly<Record<TimelineStep, string>> = {
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
