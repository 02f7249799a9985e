// Sentiment over time: the shares of negative, neutral and positive among the rated comments of each bucket.

import {
  barsPath,
  bucketName,
  FEW,
  hit,
  OF_FEW,
  round,
  SLOT,
  STEP_NAMES,
  scale,
  timeAxis,
  timeTicks,
} from '../../../http/views/charts.ts';
import { count, counted, portion } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import { LEAST_SENTIMENT } from '../../../model/analyses.ts';
import { bucketStart, nextBucket } from '../../../model/timeline.ts';
import type { BreakdownAnswer } from '../breakdown.ts';
import { figure } from './figure.ts';

/** Pixels: the height of the share bars, of the bars of rated comments, and of the gap between them. */
const HEIGHT = 136;
const N_HEIGHT = 20;
const GAP = 8;

const RATED = ['negative', 'neutral', 'positive'] as const;

interface RatedBucket {
  readonly start: number;
  /** In the order of RATED. */
  readonly counts: readonly number[];
  readonly rated: number;
  readonly unrated: number;
}

export function sentimentFigure(answer: BreakdownAnswer, file: string): Html {
  const title = `Sentiment over time, per ${answer.step}`;
  const buckets = bucketsOf(answer);
  const totals = RATED.map((name) => answer.rows.find((row) => row.name === name)?.count ?? 0);
  const rated = totals.reduce((sum, one) => sum + one, 0);
  const unrated = answer.total_count - rated;
  if (rated === 0) {
    const words = html`None of ${counted(answer.total_count, 'comment')} is rated.`;
    return figure({ id: 'sentiment', title, words, file });
  }
  const step = answer.step!;
  const part = (value: number) => portion(value / rated);
  const most = Math.max(...buckets.map((bucket) => bucket.rated));
  const slots = buckets.map((bucket) => ({
    words: `${bucketName(step, bucket.start)}: ${wordsOf(bucket)}`,
    isFew: bucket.rated > 0 && bucket.rated < FEW,
  }));
  const few = slots.some((slot) => slot.isFew) ? ` Hatched: fewer than ${FEW} rated comments.` : '';
  return figure({
    ...{ id: 'sentiment', title, file },
    words: html`Of ${counted(rated, 'rated match', 'rated matches')}, ${part(totals[0]!)} are negative (−${LEAST_SENTIMENT} or less), ${part(totals[1]!)} neutral, ${part(totals[2]!)} positive (${LEAST_SENTIMENT} or more). ${unrated === 0 ? null : `${count(unrated)} more, ${portion(unrated / answer.total_count)} of all matches, ${unrated === 1 ? 'is' : 'are'} unrated.`} The lower bars show how many are rated.${few}`,
    value: slots[buckets.findIndex((bucket) => bucket.rated === most)]!.words,
    drawing: html`<div class="plot tall">${scale(['100%', '50%', '0', `to ${count(most)}`], 'moods')}
<svg class="timeline moods" viewBox="0 0 ${SLOT * buckets.length} ${HEIGHT + GAP + N_HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">
${RATED.map((name, mood) => html`<path class="${name}" d="${partsPath(buckets, mood)}"/>`)}
<path class="ground" d="M0 ${HEIGHT - 0.5}H${SLOT * buckets.length}M0 ${HEIGHT + GAP + N_HEIGHT - 0.5}H${SLOT * buckets.length}"/><path class="other" transform="translate(0 ${HEIGHT + GAP})" d="${barsPath(
      buckets.map((bucket) => bucket.rated),
      most,
      N_HEIGHT,
    )}"/>
${slots.map((slot, at) => hit(slot, at, HEIGHT + GAP + N_HEIGHT))}
</svg>
${timeAxis(
  timeTicks(
    step,
    buckets.map(({ start }) => start),
    bucketName,
  ),
  buckets.length,
)}</div>
<figcaption class="key">${RATED.toReversed().map((name) => html`<span><svg class="swatch moods" width="12" height="12" aria-hidden="true"><rect class="${name}" width="12" height="12" rx="2"/></svg> ${name} ${part(totals[RATED.indexOf(name)]!)}</span>`)}</figcaption>`,
    table: html`<table class="data figures"><thead><tr><th scope="col">${STEP_NAMES[step]}</th><th scope="col">Negative</th><th scope="col">Neutral</th><th scope="col">Positive</th><th scope="col">Rated (n)</th><th scope="col">Unrated</th><th scope="col">Unrated share</th></tr></thead>
<tbody>${buckets.map((bucket) => html`<tr><th scope="row">${bucketName(step, bucket.start)}</th>${bucket.counts.map((found) => html`<td>${count(found)}</td>`)}<td>${count(bucket.rated)}</td><td>${count(bucket.unrated)}</td><td>${bucket.rated + bucket.unrated === 0 ? '' : portion(bucket.unrated / (bucket.rated + bucket.unrated))}</td></tr>`)}</tbody></table>`,
  });
}

/** From the first bucket with a match to the last, including empty ones. */
function bucketsOf({ step, rows }: BreakdownAnswer): RatedBucket[] {
  const counts = new Map(
    rows.map(({ name, buckets = [] }) => [
      name,
      new Map(buckets.map(({ start, count: found }) => [start, found])),
    ]),
  );
  const starts = rows.flatMap(({ buckets = [] }) => buckets.map(({ start }) => start));
  if (step === undefined || starts.length === 0) return [];
  const last = Math.max(...starts);
  const buckets: RatedBucket[] = [];
  for (let start = bucketStart(step, Math.min(...starts)); start <= last; start = nextBucket(step, start)) {
    const found = RATED.map((name) => counts.get(name)?.get(start) ?? 0);
    const rated = found.reduce((sum, one) => sum + one, 0);
    buckets.push({ start, counts: found, rated, unrated: counts.get('unrated')?.get(start) ?? 0 });
  }
  return buckets;
}

/** The SVG path of one mood's segments, stacked on the moods before it. */
function partsPath(buckets: readonly RatedBucket[], mood: number): string {
  const width = Math.min(SLOT * 0.9, buckets.length / 3);
  return buckets
    .map(({ counts, rated }, at) => {
      if (counts[mood] === 0) return '';
      const below = counts.slice(0, mood).reduce((sum, one) => sum + one, 0);
      const from = round(HEIGHT - (below / rated) * HEIGHT);
      const to = round(HEIGHT - ((below + counts[mood]!) / rated) * HEIGHT);
      return `M${round(at * SLOT + (SLOT - width) / 2)} ${from}V${to}h${round(width)}V${from}z`;
    })
    .join('');
}

function wordsOf({ counts, rated, unrated }: RatedBucket): string {
  const parts = RATED.map((name, i) => `${rated === 0 ? '0%' : portion(counts[i]! / rated)} ${name}`);
  const few = rated > 0 && rated < FEW ? OF_FEW : '';
  return `${parts.join(', ')}; ${count(rated)} rated${few}; ${count(unrated)} unrated`;
}
