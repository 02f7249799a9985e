// The parts of a comparison beside its timeline, as tables: totals, what every two have in common, communities, words.

import { searchAddress } from '../../../http/addresses.ts';
import { count, percent, sentiment } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import { visible } from '../../../http/views/record-text.ts';
import type { WordRow } from '../words.ts';
import {
  COMPARED_COMMUNITIES,
  type CompareAnswer,
  type ComparedQuery,
  LETTERS,
  type Overlap,
  type Pair,
  pairsOf,
} from './compare.ts';
import { type CompareState, compareAddress } from './state.ts';
import { lineSample } from './timeline.ts';

/** A row a query: its line, its search, how many it finds and of how many, how they are rated. */
export function totalsTable({ series }: CompareAnswer, { kind, queries: written }: CompareState): Html {
  const hasSentiment = series.some((query) => query.sentiment != null);
  return across(
    'totals',
    html`<thead><tr><th scope="col">Search</th><th scope="col">Found</th><th scope="col">Share</th><th scope="col">Of</th>${
      hasSentiment
        ? html`<th scope="col">Mean sentiment</th><th scope="col">Rated</th><th scope="col">Unrated</th>`
        : null
    }</tr></thead><tbody>
${series.map((query, i) => html`<tr><th scope="row">${lineSample(i)} <b>${LETTERS[i]!}</b> <a href="${searchAddress({ query: written[i]!, kind })}"><bdi>${visible(written[i]!)}</bdi></a></th><td>${count(query.total_count)}</td><td>${share(query.share)}</td><td>${count(query.of)}</td>${hasSentiment ? rating(query) : null}</tr>`)}
</tbody>`,
  );
}

function rating({ sentiment: told }: ComparedQuery): Html {
  if (told == null) return html`<td>–</td><td>–</td><td>–</td>`;
  const mean = told.mean === null ? '–' : sentiment(told.mean);
  return html`<td>${mean}</td><td>${count(told.rated)}</td><td>${count(told.unrated)}</td>`;
}

export function overlapTable({ overlaps, series }: CompareAnswer): Html {
  return across(
    'overlap',
    html`<thead><tr><th scope="col">Searches</th><th scope="col">In both</th><th scope="col">Of the first</th><th scope="col">Of the second</th><td></td></tr></thead><tbody>
${overlaps.map((overlap) => {
  const [one, other] = overlap.pair;
  return html`<tr><th scope="row"><b>${LETTERS[one]!}</b> and <b>${LETTERS[other]!}</b></th><td>${count(overlap.both)}</td><td>${share(overlap.shares[0])}</td><td>${share(overlap.shares[1])}</td><td>${overlapPicture(overlap, series)}</td></tr>`;
})}
</tbody>`,
  );
}

const BAR_WIDTH = 120;

/** Of what either finds: the first alone, both, the second alone. */
function overlapPicture({ pair: [one, other], both }: Overlap, series: CompareAnswer['series']): Html | null {
  const [first, second] = [series[one]!.total_count, series[other]!.total_count];
  const all = first + second - both;
  if (all === 0) return null;
  const at = (number: number) => Math.round((number / all) * BAR_WIDTH * 10) / 10;
  const [from, to] = [at(first - both), at(first)];
  return html`<svg class="overlap" width="${BAR_WIDTH}" height="14" aria-hidden="true" focusable="false"><rect class="alone" width="${to}" y="0" height="9"/><rect class="alone" x="${from}" width="${BAR_WIDTH - from}" y="5" height="9"/><rect class="both" x="${from}" width="${to - from}" height="14"/></svg>`;
}

/** `addressOf`: of a query's search in a community; null: no query can contain its name. */
export function communityTable(
  { communities, series }: CompareAnswer,
  addressOf: (query: number, community: string) => string | null,
): Html {
  if (communities.length === 0) return html`<p class="empty">Nothing is found.</p>`;
  const head = series.map(
    (_, i) =>
      html`<th scope="col">${LETTERS[i]!}</th><th scope="col">Share<span class="unseen"> of ${LETTERS[i]!}</span></th>`,
  );
  return html`<p class="hint">The ${COMPARED_COMMUNITIES} with the most matches of each search. Share: of all that the search finds.</p>
${across(
  'communities',
  html`<thead><tr><th scope="col">Subreddit</th>${head}</tr></thead><tbody>
${communities.map(
  ({ name, cells }) =>
    html`<tr><th scope="row"><bdi>/r/${visible(name)}</bdi></th>${cells.map((cell, i) => {
      const address = cell.count === 0 ? null : addressOf(i, name);
      return html`<td>${address === null ? count(cell.count) : html`<a href="${address}">${count(cell.count)}</a>`}</td><td>${share(cell.share)}</td>`;
    })}</tr>`,
)}
</tbody>`,
)}`;
}

/** Two lists; above them, of more than two searches, the other pairs. */
export function wordLists({ words, series }: CompareAnswer, state: CompareState): Html {
  const choice = series.length === 2 ? null : pairChoice(series.length, state);
  if (words === null) {
    return html`${choice}<p class="hint">The search engine of this server cannot tell the words of so many matches.</p>`;
  }
  const [first, second] = words.pair.map((number) => LETTERS[number]!) as [string, string];
  return html`${choice}<p class="hint">From samples: ${first} has ${count(words.sampled[0])} records, ${second} ${count(words.sampled[1])}; the same each time. How often each uses a word, per 10,000 words.</p>
<div class="word-lists">${words.lists.map((list, side) => wordList(list, side === 0 ? first : second, [first, second]))}</div>`;
}

function wordList(list: readonly WordRow[], more: string, [first, second]: readonly [string, string]): Html {
  const id = `more-in-${more}`;
  return html`<section><h3 id="${id}">More in ${more}</h3>
${
  list.length === 0
    ? html`<p class="hint">No word stands out.</p>`
    : html`<table class="breakdown" aria-labelledby="${id}"><thead><tr><th scope="col">Word</th><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead><tbody>
${list.map((row) => html`<tr><th scope="row"><bdi>${visible(row.word)}</bdi></th><td>${often(row.rate)}</td><td>${often(row.rate_against)}</td></tr>`)}
</tbody></table>`
}</section>`;
}

function pairChoice(queries: number, state: CompareState): Html {
  const isShown = ([one, other]: Pair) => one === state.words[0] && other === state.words[1];
  return html`<nav class="pairs" aria-label="Words of which two">${pairsOf(queries).map((pair) => {
    const name = `${LETTERS[pair[0]]}–${LETTERS[pair[1]]}`;
    return isShown(pair)
      ? html`<b>${name}</b> `
      : html`<a href="${compareAddress({ ...state, words: pair })}#words">${name}</a> `;
  })}</nav>`;
}

const OFTEN = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, minimumFractionDigits: 1 });

/** Of 10,000 words. */
function often(rate: number | null): string {
  return rate === null ? '–' : OFTEN.format(rate * 10_000);
}

function share(of: number | null): string {
  return of === null ? '–' : percent(of);
}

/** A table that may be wider than its place; `id` of its heading. */
function across(id: string, content: Html): Html {
  return html`<div class="across" tabindex="0" role="region" aria-labelledby="${id}"><table class="breakdown" aria-labelledby="${id}">${content}</table></div>`;
}
