// Records a year, of both kinds, as bars and as a table; each year leads to a search within it.

import type { TimelineBucket } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import { KINDS } from '../../model/record.ts';
import { nextBucket } from '../../model/timeline.ts';
import type { Archive } from '../../search/page/archive.ts';
import { between, writeQuery } from '../../search/page/edit-query.ts';
import { searchAddress } from '../addresses/search.ts';
import { timelineFileAddress } from '../addresses/tables.ts';
import { count, counted, KIND_NAMES } from './format.ts';
import { type Html, html } from './html.ts';
import { SLOT, timeAxis, timeTicks } from './svg.ts';
import { bucketName } from './timeline.ts';

/** Of the drawing. */
const HEIGHT = 96;

const TITLES: Readonly<Record<Kind, string>> = { post: 'Posts', comment: 'Comments' };

/** null where there is nothing to draw. */
export function archivePicture(kinds: Archive['kinds']): Html | null {
  const drawn = KINDS.flatMap((kind) => {
    const years = kinds[kind]?.years ?? [];
    return years.length === 0 ? [] : [{ kind, years }];
  });
  if (drawn.length === 0) return null;
  const starts = drawn.flatMap(({ years }) => years.map(({ start }) => start));
  const all = yearsBetween(Math.min(...starts), Math.max(...starts));
  return html`<div class="years">${drawn.map(({ kind, years }) => chart(kind, years, all))}</div>
<details class="inner"><summary>Show as table</summary>
${table(drawn, all)}
<p class="more">${drawn.map(({ kind }) => html`<a href="${timelineFileAddress({ query: '', kind })}" download>${TITLES[kind]} as CSV</a> `)}</p></details>`;
}

interface Drawn {
  readonly kind: Kind;
  readonly years: readonly TimelineBucket[];
}

/** Both charts have the same years, so that one can be read below the other. Only to be seen: the table is for all. */
function chart(kind: Kind, years: readonly TimelineBucket[], all: readonly number[]): Html {
  const counts = countsOf(years);
  const most = years.reduce((one, other) => (other.count > one.count ? other : one));
  const bars = all.map((start, at) => {
    const inYear = counts.get(start) ?? 0;
    if (inYear === 0) return null;
    const height = Math.max(2, Math.round((inYear / most.count) * HEIGHT));
    return html`<a href="${yearAddress(kind, start)}" tabindex="-1"><title>${yearName(start)}: ${counted(inYear, KIND_NAMES[kind])}</title><rect class="hit" x="${at * SLOT}" width="${SLOT}" height="${HEIGHT}"/><rect class="fill" x="${at * SLOT + 1}" y="${HEIGHT - height}" width="${SLOT - 2}" height="${height}"/></a>`;
  });
  return html`<figure><figcaption><b>${TITLES[kind]} a year</b> <span>most: ${count(most.count)} in ${yearName(most.start)}</span></figcaption>
<svg class="timeline" viewBox="0 0 ${all.length * SLOT} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">${bars}</svg>
${timeAxis(timeTicks('year', all, bucketName), all.length)}</figure>`;
}

function table(drawn: readonly Drawn[], all: readonly number[]): Html {
  const columns = drawn.map(({ kind, years }) => ({ kind, counts: countsOf(years) }));
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="holds"><table class="data figures"><thead><tr><th scope="col">Year</th>${columns.map(({ kind }) => html`<th scope="col">${TITLES[kind]}</th>`)}</tr></thead>
<tbody>${all.map(
    (start) =>
      html`<tr><th scope="row">${yearName(start)}</th>${columns.map(({ kind, counts }) => {
        const inYear = counts.get(start) ?? 0;
        return html`<td>${inYear === 0 ? '0' : html`<a href="${yearAddress(kind, start)}" aria-label="${counted(inYear, KIND_NAMES[kind])} in ${yearName(start)}">${count(inYear)}</a>`}</td>`;
      })}</tr>`,
  )}</tbody></table></div>`;
}

function countsOf(years: readonly TimelineBucket[]): ReadonlyMap<number, number> {
  return new Map(years.map(({ start, count: inYear }) => [start, inYear]));
}

function yearAddress(kind: Kind, start: number): string {
  return searchAddress({ query: writeQuery(between([], start, nextBucket('year', start))), kind });
}

function yearName(start: number): string {
  return bucketName('year', start);
}

function yearsBetween(first: number, last: number): number[] {
  const starts: number[] = [];
  for (let start = first; start <= last; start = nextBucket('year', start)) starts.push(start);
  return starts;
}
