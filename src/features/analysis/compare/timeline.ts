// The timeline of a comparison: a line a query, told apart by its pattern and by its letter at the line's end, and the
// same as a table.

import type { TimelineBars } from '../../../http/addresses.ts';
import { bucketName, STEP_NAMES } from '../../../http/views/charts.ts';
import { count, percent } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import { type CompareAnswer, LETTERS, type Part } from './compare.ts';

/** Dashes and gaps of each line, in pixels; the first has none. */
const PATTERNS = ['none', '8 4', '2 4', '12 4 2 4'] as const;

/** Pixels: of the lines, above and below them, and what two letters at the ends of lines need. */
const HEIGHT = 160;
const ABOVE = 20;
const BELOW = 8;
const LETTER_HEIGHT = 15;

/** Units of the drawing of the lines, which is stretched to its place: this part of the whole width. */
const WIDTH = 1000;
const LINES_PERCENT = 94;

export function lineSample(number: number): Html {
  return html`<svg class="sample" width="40" height="12" aria-hidden="true" focusable="false"><line class="line-${number}" x1="0" y1="6" x2="40" y2="6" stroke-dasharray="${PATTERNS[number]!}"/></svg>`;
}

/** null: there are no buckets. */
export function compareTimeline({ step, series }: CompareAnswer, bars: TimelineBars): Html | null {
  const { buckets } = series[0]!;
  if (buckets.length === 0) return null;
  const value = (part: Part) => (bars === 'count' ? part.count : part.share);
  const lines = series.map((one) => one.buckets.map(value));
  const most = Math.max(...lines.flat().map((one) => one ?? 0));
  const words = (one: number | null) => (one === null ? '–' : bars === 'count' ? count(one) : percent(one));
  const [first, last] = [bucketName(step, buckets[0]!.start), bucketName(step, buckets.at(-1)!.start)];
  const letters = LETTERS.slice(0, series.length);
  return html`<figure class="lines">${picture(lines, most, words(most))}
<figcaption><span>${first}</span>${buckets.length === 1 ? null : html` <span>${last}</span>`}</figcaption></figure>
<details class="inner"><summary>Show as table</summary><div class="across" tabindex="0" role="region" aria-labelledby="timeline">
<table class="breakdown" aria-labelledby="timeline"><thead><tr><th scope="col">${STEP_NAMES[step]}</th>${letters.map((letter) => html`<th scope="col">${letter}</th>`)}</tr></thead><tbody>
${buckets.map(({ start }, at) => html`<tr><th scope="row">${bucketName(step, start)}</th>${lines.map((line) => html`<td>${words(line[at]!)}</td>`)}</tr>`)}
</tbody></table></div></details>`;
}

/** By query; null where there is nothing to be a share of. */
type Lines = readonly (readonly (number | null)[])[];

function picture(lines: Lines, most: number, mostWords: string): Html {
  const heights = lines.map((line) => line.map((one) => (one === null ? null : heightOf(one, most))));
  const letters = LETTERS.slice(0, lines.length).join(', ');
  return html`<svg class="compared" width="100%" height="${ABOVE + HEIGHT + BELOW}" role="img" aria-label="Lines of ${letters} over time; the table below has their numbers">
<line class="grid" x1="0" x2="${LINES_PERCENT}%" y1="${ABOVE}" y2="${ABOVE}"/><line class="grid" x1="0" x2="${LINES_PERCENT}%" y1="${ABOVE + HEIGHT}" y2="${ABOVE + HEIGHT}"/>
<text class="scale" x="0" y="${ABOVE - 6}">${mostWords}</text>
<svg x="0" y="${ABOVE}" width="${LINES_PERCENT}%" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" overflow="visible">
${heights.map((line, i) => html`<path class="line-${i}" d="${pathOf(line)}" fill="none" stroke-dasharray="${PATTERNS[i]!}" vector-effect="non-scaling-stroke"/>`)}
</svg>
${spread(heights.map(endOf)).map((y, i) => html`<text class="end line-${i}" x="${LINES_PERCENT + 1}%" y="${ABOVE + y + 5}">${LETTERS[i]!}</text>`)}
</svg>`;
}

/** From the top, in pixels. */
function heightOf(value: number, most: number): number {
  return most === 0 ? HEIGHT : Math.round((1 - value / most) * HEIGHT * 10) / 10;
}

/** A line through the buckets, broken where one has no value; a single value is a line across its bucket. */
export function pathOf(line: readonly (number | null)[]): string {
  const slot = WIDTH / line.length;
  return line
    .map((y, i) => {
      if (y === null) return '';
      const isAlone = (line[i - 1] ?? null) === null && (line[i + 1] ?? null) === null;
      if (isAlone) return `M${Math.round(i * slot)} ${y}H${Math.round((i + 1) * slot)}`;
      return `${(line[i - 1] ?? null) === null ? 'M' : 'L'}${Math.round((i + 0.5) * slot)} ${y}`;
    })
    .join('');
}

function endOf(line: readonly (number | null)[]): number {
  return line.findLast((y) => y !== null) ?? HEIGHT;
}

/** Where letters stand whose lines end there: none on top of another, all within the picture. */
export function spread(ends: readonly number[]): number[] {
  const placed: number[] = new Array(ends.length);
  const order = ends.map((_, i) => i).sort((a, b) => ends[a]! - ends[b]! || a - b);
  let least = 0;
  for (const [place, i] of order.entries()) {
    const below = (order.length - 1 - place) * LETTER_HEIGHT;
    placed[i] = Math.max(least, Math.min(ends[i]!, HEIGHT - below));
    least = placed[i]! + LETTER_HEIGHT;
  }
  return placed;
}
