// Share over time: the matches as a share of everything in the query's scope.

import { bucketName, FEW, linePlot, OF_FEW, STEP_NAMES } from '../../../http/views/charts.ts';
import { count, counted, percent } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import { visible } from '../../../http/views/record-text.ts';
import type { Kind } from '../../../model/record.ts';
import { nextBucket } from '../../../model/timeline.ts';
import type { SeriesBucket, TimelineAnswer } from '../timeline.ts';
import { figure } from './figure.ts';

interface ShareContext {
  readonly kind: Kind;
  readonly file: string;
  readonly narrow: (from: number, to: number) => string;
}

/** Plots counts if the query is its own scope, since every share would be 1. */
export function shareFigure({ step, series, under }: TimelineAnswer, context: ShareContext): Html {
  const { kind, file, narrow } = context;
  const { buckets, query, of_query: scope = '', total_count: total } = series[0]!;
  const isWhole = query === scope;
  const values = buckets.map(({ count: found, share = null }) => (isWhole ? found : share));
  const highest = buckets.reduce<SeriesBucket | null>(
    (best, bucket) => (best === null || heightOf(bucket, isWhole) > heightOf(best, isWhole) ? bucket : best),
    null,
  );
  const title = isWhole ? `Over time, per ${step}` : `Share over time, per ${step}`;
  if (highest === null) return figure({ id: 'share', title, words: html`No matches.`, file });
  const all = buckets.reduce((sum, { of = 0 }) => sum + of, 0);
  const label = (value: number) => (isWhole ? count(value) : percent(value));
  const addressOf = ({ count: found, start }: SeriesBucket) =>
    found === 0 ? null : narrow(start, nextBucket(step, start));
  const slots = buckets.map((bucket) => ({
    words: `${bucketName(step, bucket.start)}: ${wordsOf(bucket, kind, isWhole)}`,
    address: addressOf(bucket),
    isFew: !isWhole && isFew(bucket.of),
  }));
  const few = slots.some((slot) => slot.isFew) ? ` Hatched: fewer than ${FEW} ${kind}s.` : '';
  return figure({
    ...{ id: 'share', title, file },
    words: isWhole
      ? html`${counted(total, kind)} in all. The search has no words, so its share would always be 100%.`
      : html`The share of all ${kind}s${scope === '' ? null : html` that match <bdi class="query">${visible(scope)}</bdi>`}${under === undefined ? null : html` on posts that match <bdi class="query">${visible(under)}</bdi>`}, per ${step}. Overall ${percent(all === 0 ? 0 : total / all)}: ${count(total)} of ${count(all)}.${few}`,
    value: slots[buckets.indexOf(highest)]!.words,
    drawing: linePlot({ step, starts: buckets.map(({ start }) => start), lines: [values], slots, label }),
    table: html`<table class="data figures"><thead><tr><th scope="col">${STEP_NAMES[step]}</th><th scope="col">Matches</th>${isWhole ? null : html`<th scope="col">Out of</th><th scope="col">Share</th>`}</tr></thead>
<tbody>${buckets.map((bucket) => html`<tr><th scope="row">${rowName(bucket, step, narrow)}</th><td>${count(bucket.count)}</td>${isWhole ? null : html`<td>${count(bucket.of ?? 0)}</td><td${isFew(bucket.of) ? html` class="few"` : null}>${percentOf(bucket.share)}</td>`}</tr>`)}</tbody></table>`,
  });
}

/** Whether a share of so few records means little; false for 0, which has no share. */
function isFew(of = 0): boolean {
  return of > 0 && of < FEW;
}

function heightOf({ count: found, share }: SeriesBucket, isWhole: boolean): number {
  return isWhole ? found : (share ?? 0);
}

function wordsOf({ count: found, of = 0, share }: SeriesBucket, kind: Kind, isWhole: boolean): string {
  if (isWhole) return counted(found, kind);
  return of === 0
    ? `no ${kind}s at all`
    : `${percentOf(share)} (${count(found)} of ${counted(of, kind)}${isFew(of) ? OF_FEW : ''})`;
}

function rowName(
  { start, count: found }: SeriesBucket,
  step: TimelineAnswer['step'],
  narrow: ShareContext['narrow'],
): Html {
  const name = bucketName(step, start);
  return found === 0 ? html`${name}` : html`<a href="${narrow(start, nextBucket(step, start))}">${name}</a>`;
}

/** Empty if there is no share. */
function percentOf(share: number | null | undefined): string {
  return share === null || share === undefined ? '' : percent(share);
}
