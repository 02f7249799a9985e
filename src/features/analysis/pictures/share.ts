// Share over time: what part the matches are of everything that could have matched.

import {
  bucketName,
  linePath,
  roundTop,
  SLOT,
  STEP_NAMES,
  timeAxis,
  timeTicks,
} from '../../../http/views/charts.ts';
import { count, counted, percent } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import { visible } from '../../../http/views/record-text.ts';
import type { Kind } from '../../../model/record.ts';
import { nextBucket } from '../../../model/timeline.ts';
import type { SeriesBucket, TimelineAnswer } from '../timeline.ts';
import { figure, scale } from './figure.ts';

const HEIGHT = 160;

interface ShareContext {
  readonly kind: Kind;
  readonly file: string;
  readonly narrow: (from: number, to: number) => string;
}

/** Counts where the query is its own scope: its share would be 1 throughout. */
export function shareFigure({ step, series }: TimelineAnswer, context: ShareContext): Html {
  const { kind, file, narrow } = context;
  const { buckets, query, of_query: scope = '', total_count: total } = series[0]!;
  const isWhole = query === scope;
  const values = buckets.map(({ count: found, share = null }) => (isWhole ? found : share));
  const highest = buckets.reduce<SeriesBucket | null>(
    (best, bucket) => (best === null || heightOf(bucket, isWhole) > heightOf(best, isWhole) ? bucket : best),
    null,
  );
  const title = isWhole ? `Over time, per ${step}` : `Share over time, per ${step}`;
  if (highest === null) return figure({ id: 'share', title, words: html`Nothing matches.`, file });
  const top = roundTop(Math.max(...values.map((value) => value ?? 0)));
  const all = buckets.reduce((sum, { of = 0 }) => sum + of, 0);
  const label = (value: number) => (isWhole ? count(value) : percent(value));
  const addressOf = ({ count: found, start }: SeriesBucket) =>
    found === 0 ? null : narrow(start, nextBucket(step, start));
  const slot = (bucket: SeriesBucket, at: number) =>
    hit(at, bucketName(step, bucket.start), wordsOf(bucket, kind, isWhole), addressOf(bucket));
  const middle = isWhole && !Number.isInteger(top / 2) ? '' : label(top / 2);
  return figure({
    ...{ id: 'share', title, file },
    words: isWhole
      ? html`${counted(total, kind)} in all; most in ${bucketName(step, highest.start)}, ${count(highest.count)}. The search has no words, so it matches all there is in its scope, and a share would say nothing.`
      : html`Of all ${scope === '' ? html`${kind}s` : html`${kind}s that match <bdi class="query">${visible(scope)}</bdi>`} in each ${step}, the part that matches. Over all of these ${step}s: ${percent(all === 0 ? 0 : total / all)}, ${count(total)} of ${count(all)}. Highest in ${bucketName(step, highest.start)}, ${percentOf(highest.share)}, ${count(highest.count)} of ${count(highest.of ?? 0)}.`,
    drawing: html`<div class="plot tall">${scale([label(top), middle, '0'])}
<svg class="timeline" viewBox="0 0 ${SLOT * buckets.length} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">
<path class="grid" d="M0 0.5H${SLOT * buckets.length}M0 ${HEIGHT / 2}H${SLOT * buckets.length}"/><path class="ground" d="M0 ${HEIGHT - 0.5}H${SLOT * buckets.length}"/>
${buckets.map(slot)}
<path class="line" d="${linePath(values, top, HEIGHT)}"/></svg>
${timeAxis(
  timeTicks(
    step,
    buckets.map(({ start }) => start),
    bucketName,
  ),
  buckets.length,
)}</div>`,
    table: html`<table class="data figures"><thead><tr><th scope="col">${STEP_NAMES[step]}</th><th scope="col">Matches</th>${isWhole ? null : html`<th scope="col">Of</th><th scope="col">Share</th>`}</tr></thead>
<tbody>${buckets.map((bucket) => html`<tr><th scope="row">${rowName(bucket, step, narrow)}</th><td>${count(bucket.count)}</td>${isWhole ? null : html`<td>${count(bucket.of ?? 0)}</td><td>${percentOf(bucket.share)}</td>`}</tr>`)}</tbody></table>`,
  });
}

function heightOf({ count: found, share }: SeriesBucket, isWhole: boolean): number {
  return isWhole ? found : (share ?? 0);
}

function wordsOf({ count: found, of = 0, share }: SeriesBucket, kind: Kind, isWhole: boolean): string {
  if (isWhole) return counted(found, kind);
  return of === 0 ? `no ${kind}s at all` : `${percentOf(share)} (${count(found)} of ${counted(of, kind)})`;
}

function rowName(
  { start, count: found }: SeriesBucket,
  step: TimelineAnswer['step'],
  narrow: ShareContext['narrow'],
): Html {
  const name = bucketName(step, start);
  return found === 0 ? html`${name}` : html`<a href="${narrow(start, nextBucket(step, start))}">${name}</a>`;
}

/** The slot of a bucket, which tells what is there and leads to it. `address`: null where nothing is. */
function hit(at: number, name: string, words: string, address: string | null): Html {
  const slot = html`<title>${name}: ${words}</title><rect class="hit" x="${at * SLOT}" width="${SLOT}" height="${HEIGHT}"/>`;
  return address === null ? html`<g>${slot}</g>` : html`<a href="${address}" tabindex="-1">${slot}</a>`;
}

/** Empty where there is nothing to be a share of. */
function percentOf(share: number | null | undefined): string {
  return share === null || share === undefined ? '' : percent(share);
}
