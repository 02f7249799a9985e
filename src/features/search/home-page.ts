// The start page: the search box, the content of this archive, and help with the query language.

import { breakdownAddress, type SearchState, searchAddress, tableAddress } from '../../http/addresses.ts';
import { barPlot, bucketName, valueLine } from '../../http/views/charts.ts';
import { count, counted, KIND_TITLES } from '../../http/views/format.ts';
import { type Html, html, radios } from '../../http/views/html.ts';
import { visible } from '../../http/views/record-text.ts';
import { damageWords } from '../../http/views/records.ts';
import {
  exampleAddress,
  type FormName,
  queryForms,
  SYNTAX_HINT,
  searchBox,
} from '../../http/views/search-form.ts';
import type { KindStats, TimelineBucket } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import { ORDERS } from '../../model/pages.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { nextBucket, startsWithin } from '../../model/timeline.ts';
import { between, rowQuery } from '../../search/edit-query.ts';
import type { Archive, ArchivedCommunity } from './archive.ts';

/** `archive` null: not known yet. */
export function homePage(
  stats: Readonly<Record<Kind, KindStats | IndexDamage>>,
  archive: Archive | null,
): Html {
  return html`<h1>Search every post and comment</h1>
<p class="lead">Exact counts, every match, in order. Nothing is ranked, guessed or left out.</p>
${largeSearchForm({ query: '', kind: archive?.examples.kind ?? 'post', order: 'newest' })}
${archive === null ? null : tryLine(archive)}
<section aria-labelledby="holds"><h2 id="holds">In this archive</h2>
<p class="archive">${archiveWords(stats)}</p>
${
  archive === null
    ? null
    : html`${archivePicture(archive.kinds)}
${communityList(archive)}`
}
</section>
<section aria-labelledby="forms"><h2 id="forms">How to write a search</h2>
${queryForms(archive === null ? null : archive.examples)}
</section>
<p class="archive"><a href="/status">Status</a> · <a href="/about#removal">Request the removal of a record</a></p>`;
}

const TRIED: readonly FormName[] = ['word', 'phrase', 'several', 'site'];

function tryLine({ examples: { queries, kind } }: Archive): Html | null {
  const tried = TRIED.flatMap((name) => queries[name] ?? []);
  if (tried.length === 0) return null;
  return html`<p class="try">Try ${tried.map((query) => html` <a href="${exampleAddress(query, kind)}"><bdi>${visible(query)}</bdi></a>`)}</p>`;
}

function communityList({ communities, kinds }: Archive): Html | null {
  if (communities.length === 0) return null;
  const all = KINDS.flatMap((kind) => {
    const number = kinds[kind]?.communities ?? 0;
    return number === 0 ? [] : [{ kind, number }];
  });
  return html`<h3 id="communities">Largest communities</h3>
<ol class="largest" aria-labelledby="communities">${communities.map(communityLine)}</ol>
<p class="more">${all.map(({ kind, number }) => html`<a href="${breakdownAddress({ query: '', kind, field: 'community' })}">${number === 1 ? '' : 'All '}${counted(number, 'community', 'communities')} with ${KIND_NAMES[kind]}</a> `)}</p>`;
}

function communityLine({ name, nsfw, counts }: ArchivedCommunity): Html {
  const query = rowQuery('community', name);
  const shown = html`<bdi>/r/${visible(name)}</bdi>`;
  const kind: Kind = counts.post > 0 ? 'post' : 'comment';
  const link = query === null ? shown : html`<a href="${searchAddress({ query, kind })}">${shown}</a>`;
  const numbers = KINDS.filter((one) => counts[one] > 0).map((one) => counted(counts[one], one));
  return html`<li>${link}${nsfw ? html` <abbr class="nsfw" title="Adult content: not safe for work">NSFW</abbr>` : null} <span class="tally">${numbers.join(', ')}</span></li>`;
}

/** `41,203,118 posts, 310,889,002 comments, 2005-06-23 to 2026-09-30 UTC.` */
function archiveWords(stats: Readonly<Record<Kind, KindStats | IndexDamage>>): string {
  const counts: string[] = [];
  const times: number[] = [];
  const out: string[] = [];
  for (const kind of KINDS) {
    const found = stats[kind];
    if (found instanceof IndexDamage) out.push(damageWords(kind));
    else {
      counts.push(counted(found.records, kind));
      times.push(...[found.first, found.last].filter((time) => time !== null));
    }
  }
  if (counts.length > 0 && times.length === 0) out.unshift('Nothing yet.');
  else if (counts.length > 0)
    out.unshift(
      `${counts.join(', ')}, ${readableDay(Math.min(...times))} to ${readableDay(Math.max(...times))} UTC.`,
    );
  return out.join(' ');
}

/**
 * Records per year of both kinds, as bars and as a table; each year links to a search within it. null if there is
 * nothing to draw.
 */
function archivePicture(kinds: Archive['kinds']): Html | null {
  const drawn = KINDS.flatMap((kind) => {
    const years = kinds[kind]?.years ?? [];
    return years.length === 0 ? [] : [{ kind, years }];
  });
  if (drawn.length === 0) return null;
  const starts = drawn.flatMap(({ years }) => years.map(({ start }) => start));
  const all = startsWithin('year', Math.min(...starts), Math.max(...starts), Infinity)!;
  return html`<div class="years">${drawn.map(({ kind, years }) => chart(kind, years, all))}</div>
<details class="inner"><summary>Show as table</summary>
${table(drawn, all)}
<p class="more">${drawn.map(({ kind }) => html`<a href="${tableAddress('timeline', kind, [['query', '']])}" download>${KIND_TITLES[kind]} as CSV</a> `)}</p></details>`;
}

/** Both charts have the same years, so that they can be compared. Decorative: the table is the accessible form. */
function chart(kind: Kind, years: readonly TimelineBucket[], all: readonly number[]): Html {
  const counts = countsOf(years);
  const values = all.map((start) => counts.get(start) ?? 0);
  const slots = all.map((start, at) => ({
    words: `${yearName(start)}: ${counted(values[at]!, kind)}`,
    address: values[at] === 0 ? null : yearAddress(kind, start),
  }));
  return html`<figure><figcaption><b>${KIND_TITLES[kind]} per year</b> ${valueLine(slots, values)}</figcaption>
${barPlot({ step: 'year', starts: all, values, slots })}</figure>`;
}

function table(
  drawn: readonly { readonly kind: Kind; readonly years: readonly TimelineBucket[] }[],
  all: readonly number[],
): Html {
  const columns = drawn.map(({ kind, years }) => ({ kind, counts: countsOf(years) }));
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="holds"><table class="data figures"><thead><tr><th scope="col">Year</th>${columns.map(({ kind }) => html`<th scope="col">${KIND_TITLES[kind]}</th>`)}</tr></thead>
<tbody>${all.map(
    (start) =>
      html`<tr><th scope="row">${yearName(start)}</th>${columns.map(({ kind, counts }) => {
        const inYear = counts.get(start) ?? 0;
        return html`<td>${inYear === 0 ? '0' : html`<a href="${yearAddress(kind, start)}" aria-label="${counted(inYear, kind)} in ${yearName(start)}">${count(inYear)}</a>`}</td>`;
      })}</tr>`,
  )}</tbody></table></div>`;
}

function countsOf(years: readonly TimelineBucket[]): ReadonlyMap<number, number> {
  return new Map(years.map(({ start, count: inYear }) => [start, inYear]));
}

function yearAddress(kind: Kind, start: number): string {
  return searchAddress({ query: between([])(start, nextBucket('year', start)), kind });
}

function yearName(start: number): string {
  return bucketName('year', start);
}

function largeSearchForm(state: Pick<SearchState, 'query' | 'kind' | 'order'>): Html {
  return html`<search><form class="search large" action="/search" aria-label="Posts and comments">
<label for="query">Search posts and comments</label>
${searchBox(state.query)}
${SYNTAX_HINT}
<div class="choices">
${radios('Search in', 'kind', Object.values(KIND_NAMES), KIND_NAMES[state.kind])}
${radios('Sort by', 'order_by', ORDERS, state.order)}
</div>
</form></search>`;
}
