// The frame of a picture (heading, summary in words, drawing, table and CSV link), and three pictures: share and
// sentiment over time, and distinctive words.

import type { ServiceError } from '../../../errors.ts';
import {
  barsPath,
  bucketName,
  cellOf,
  hatchNote,
  hit,
  isFew,
  linePlot,
  nameCell,
  ofFew,
  percentOf,
  round,
  SLOT,
  STEP_NAMES,
  scale,
  shareWords,
  timeAxis,
} from '../../../http/views/charts.ts';
import { count, counted, percent, portion } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import { visible } from '../../../http/views/record-text.ts';
import { LEAST_SENTIMENT } from '../../../model/analyses.ts';
import type { Kind } from '../../../model/record.ts';
import { nextBucket, startsWithin } from '../../../model/timeline.ts';
import type { BreakdownAnswer } from '../breakdown.ts';
import type { TimelineAnswer } from '../timeline.ts';
import type { WordRow, WordsAnswer } from '../words.ts';

interface Figure {
  readonly id: string;
  readonly title: string;
  readonly words: Html;
  /** Absent if there is nothing to draw. */
  readonly drawing?: Html;
  /** The line above the drawing that describes one bucket; the page's script updates it under the pointer. */
  readonly value?: string;
  readonly table?: Html;
  readonly file: string;
}

export function figure({ id, title, words, drawing, value, table, file }: Figure): Html {
  return html`<section class="picture" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<p class="told">${words}</p>
${drawing === undefined ? null : html`<figure>${value === undefined ? null : html`<p class="value">${value}</p>`}${drawing}</figure>`}
${drawing === undefined && table === undefined ? null : html`<div class="more">${table === undefined ? null : html`<details class="inner"><summary>Show as table</summary><div class="scroll" tabindex="0" role="group" aria-labelledby="${id}">${table}</div></details>`}<a href="${file}" aria-describedby="${id}" download>CSV</a></div>`}
</section>`;
}

export function missingFigure(id: string, title: string, error: ServiceError): Html {
  return html`<section class="picture" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<p class="hintline" role="status">${WHY[error.code] ?? 'This cannot be counted here.'}</p>
</section>`;
}

const WHY: Readonly<Record<string, string>> = {
  query_timeout: 'Counting took too long. Narrow the search, for instance by date, and try again.',
  busy: 'The server is busy. Try again in a few seconds.',
  not_on_this_engine: 'This server’s search engine cannot count this.',
};

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
  const heights = values.map((value) => value ?? 0);
  const title = isWhole ? `Over time, per ${step}` : `Share over time, per ${step}`;
  if (buckets.length === 0) return figure({ id: 'share', title, words: html`No matches.`, file });
  const all = buckets.reduce((sum, { of = 0 }) => sum + of, 0);
  const label = (value: number) => (isWhole ? count(value) : percent(value));
  const slots = buckets.map((bucket) => ({
    words: `${bucketName(step, bucket.start)}: ${isWhole ? counted(bucket.count, kind) : shareWords(bucket.count, bucket.of ?? 0, kind)}`,
    address: bucket.count === 0 ? null : narrow(bucket.start, nextBucket(step, bucket.start)),
    isFew: !isWhole && isFew(bucket.of),
  }));
  return figure({
    ...{ id: 'share', title, file },
    words: isWhole
      ? html`${counted(total, kind)} in all. The search has no words, so its share would always be 100%.`
      : html`The share of all ${kind}s${scope === '' ? null : html` that match <bdi class="query">${visible(scope)}</bdi>`}${under === undefined ? null : html` on posts that match <bdi class="query">${visible(under)}</bdi>`}, per ${step}. Overall ${percent(all === 0 ? 0 : total / all)}: ${count(total)} of ${count(all)}.${hatchNote(slots, `${kind}s`)}`,
    value: slots[heights.indexOf(Math.max(...heights))]!.words,
    drawing: linePlot({ step, starts: buckets.map(({ start }) => start), lines: [values], slots, label }),
    table: html`<table class="data figures"><thead><tr><th scope="col">${STEP_NAMES[step]}</th><th scope="col">Matches</th>${isWhole ? null : html`<th scope="col">Out of</th><th scope="col">Share</th>`}</tr></thead>
<tbody>${buckets.map((bucket, at) => html`<tr>${nameCell(html`${bucketName(step, bucket.start)}`, slots[at]!.address, 0)}<td>${count(bucket.count)}</td>${isWhole ? null : html`<td>${count(bucket.of ?? 0)}</td>${cellOf(percentOf(bucket.share), bucket.of)}`}</tr>`)}</tbody></table>`,
  });
}

/** Pixels: the height of the share bars, of the bars of rated comments, and of the gap between them. */
const HEIGHT = 136;
const N_HEIGHT = 20;
const GAP = 8;

const RATED = ['negative', 'neutral', 'positive'] as const;

type RatedBucket = ReturnType<typeof bucketsOf>[number];

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
    words: `${bucketName(step, bucket.start)}: ${moodWords(bucket)}`,
    isFew: isFew(bucket.rated),
  }));
  return figure({
    ...{ id: 'sentiment', title, file },
    words: html`Of ${counted(rated, 'rated match', 'rated matches')}, ${part(totals[0]!)} are negative (−${LEAST_SENTIMENT} or less), ${part(totals[1]!)} neutral, ${part(totals[2]!)} positive (${LEAST_SENTIMENT} or more). ${unrated === 0 ? null : `${count(unrated)} more, ${portion(unrated / answer.total_count)} of all matches, ${unrated === 1 ? 'is' : 'are'} unrated.`} The lower bars show how many are rated.${hatchNote(slots, 'rated comments')}`,
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
  step,
  buckets.map(({ start }) => start),
)}</div>
<figcaption class="key">${RATED.toReversed().map((name) => html`<span><svg class="swatch moods" width="12" height="12" aria-hidden="true"><rect class="${name}" width="12" height="12" rx="2"/></svg> ${name} ${part(totals[RATED.indexOf(name)]!)}</span>`)}</figcaption>`,
    table: html`<table class="data figures"><thead><tr><th scope="col">${STEP_NAMES[step]}</th><th scope="col">Negative</th><th scope="col">Neutral</th><th scope="col">Positive</th><th scope="col">Rated (n)</th><th scope="col">Unrated</th><th scope="col">Unrated share</th></tr></thead>
<tbody>${buckets.map((bucket) => html`<tr><th scope="row">${bucketName(step, bucket.start)}</th>${bucket.counts.map((found) => html`<td>${count(found)}</td>`)}<td>${count(bucket.rated)}</td><td>${count(bucket.unrated)}</td><td>${bucket.rated + bucket.unrated === 0 ? '' : portion(bucket.unrated / (bucket.rated + bucket.unrated))}</td></tr>`)}</tbody></table>`,
  });
}

/** From the first bucket with a match to the last, including empty ones. `counts`: in the order of RATED. */
function bucketsOf({ step, rows }: BreakdownAnswer) {
  const counts = new Map(
    rows.map(({ name, buckets = [] }) => [
      name,
      new Map(buckets.map(({ start, count: found }) => [start, found])),
    ]),
  );
  const starts = rows.flatMap(({ buckets = [] }) => buckets.map(({ start }) => start));
  if (step === undefined || starts.length === 0) return [];
  const all = startsWithin(step, Math.min(...starts), Math.max(...starts), Infinity)!;
  return all.map((start) => {
    const found = RATED.map((name) => counts.get(name)?.get(start) ?? 0);
    const rated = found.reduce((sum, one) => sum + one, 0);
    return { start, counts: found, rated, unrated: counts.get('unrated')?.get(start) ?? 0 };
  });
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

function moodWords({ counts, rated, unrated }: RatedBucket): string {
  const parts = RATED.map((name, i) => `${rated === 0 ? '0%' : portion(counts[i]! / rated)} ${name}`);
  return `${parts.join(', ')}; ${count(rated)} rated${ofFew(rated)}; ${count(unrated)} unrated`;
}

const SHOWN = 15;

/** Words with a smaller |z| may differ by chance (two-sided, 5 %). */
const LEAST_Z = 1.96;

interface WordsContext {
  readonly kind: Kind;
  readonly file: string;
  readonly isOwn: (word: string) => boolean;
  readonly search: (word: string) => string;
}

export function wordsFigure(answer: WordsAnswer, { kind, file, isOwn, search }: WordsContext): Html {
  const { query, against, sampled, sampled_against: beside } = answer;
  const title = 'Distinctive words';
  const told = (words: Html) => figure({ id: 'words', title, words, file });
  if (query === against) return told(html`The search has no words, so there is nothing to compare.`);
  if (sampled.n === 0) return told(html`No matches.`);
  const listed = (rows: readonly WordRow[]) =>
    rows.filter(({ word, z }) => !isOwn(word) && Math.abs(z) >= LEAST_Z).slice(0, SHOWN);
  const [more, less] = [listed(answer.rows), listed(answer.rows_against)];
  const most = Math.max(...[...more, ...less].map(({ z }) => Math.abs(z)));
  const lists = { most, heads: ['In these', 'In all'], records: [sampled.n, beside.n] } as const;
  const scope =
    against === ''
      ? html`all ${kind}s`
      : html`all ${kind}s that match <bdi class="query">${visible(against)}</bdi>`;
  return figure({
    ...{ id: 'words', title, file },
    words: html`Words that the matching ${kind}s use more, or less, than ${scope}. Based on samples: ${count(sampled.n)} of ${count(sampled.of)} and ${count(beside.n)} of ${count(beside.of)}. The words of the search itself and English stop words are left out. Shares: how many ${kind}s in each sample use the word. Bars: z-scores of the log-odds.`,
    drawing: html`<div class="sides">${wordList({ ...lists, id: 'more', title: 'Used more', rows: more, search })}${wordList({ ...lists, id: 'less', title: 'Used less', rows: less })}</div>`,
  });
}

interface WordList {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly WordRow[];
  /** The largest |z| of all lists side by side. */
  readonly most: number;
  readonly heads: readonly [string, string];
  /** Sizes of the two samples, in records. */
  readonly records: readonly [number, number];
  /** The search link of a word; absent: words are not links. */
  readonly search?: WordsContext['search'];
}

export function wordList({ id, title, rows, most, heads, records, search }: WordList): Html {
  if (rows.length === 0)
    return html`<div><h3 id="${id}">${title}</h3><p class="hint">No word stands out.</p></div>`;
  return html`<div><h3 id="${id}">${title}</h3><table class="breakdown" aria-labelledby="${id}"><thead><tr><th scope="col"><span class="unseen">Word</span></th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(({ word, z, count: found, count_against: other }) => {
    const shown = html`<bdi>${visible(word)}</bdi>`;
    return html`<tr>${nameCell(shown, search?.(word) ?? null, Math.abs(z) / most, z < 0)}<td>${portion(found / records[0])}</td><td>${portion(other / records[1])}</td></tr>`;
  })}</tbody></table></div>`;
}
