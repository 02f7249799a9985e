// The coverage page: bars by month, days without records, communities, imported files and removals.

import type { FastifyInstance } from 'fastify';
import { readFirst } from '../../http/addresses.ts';
import { addPageRead } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import { barPlot, bucketName, valueLine } from '../../http/views/charts.ts';
import { count, counted, dayElement, fileSize, KIND_TITLES } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import { visibleText } from '../../http/views/record-text.ts';
import { damageWords } from '../../http/views/records.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { DAY, readableDay } from '../../model/time.ts';
import { startsWithin } from '../../model/timeline.ts';
import {
  type CoveredKind,
  coveredKinds,
  type Month,
  provenanceOf,
  readCommunityNames,
  type Source,
  type Untold,
} from './coverage.ts';

const PATH = '/coverage';

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, site, PATH, async (visit) => {
    visit.limitSearches();
    using _ = await visit.turn();
    const asked = readFirst(visit.here).get('subreddit')?.trim() ?? '';
    const subreddits = asked === '' ? [] : readCommunityNames(asked, 'parameter `subreddit`');
    const kinds = await coveredKinds(site.archive, { step: 'month', subreddits }, visit.signal);
    const main = coveragePage(kinds, provenanceOf(site.archive), asked);
    const page = { title: 'Coverage', main, canonical: PATH, mainClass: 'wide', section: 'coverage' };
    return await visit.send(page);
  });
}

type Kinds = Awaited<ReturnType<typeof coveredKinds>>;
type Provenance = ReturnType<typeof provenanceOf>;

function coveragePage(kinds: Kinds, { sources, removals }: Provenance, asked: string): Html {
  return html`<div class="prose"><h1>Coverage</h1>
<p>What this archive holds, so that you can tell “nobody said it” from “it was never imported”. Days and months are
in UTC. <a href="/docs/coverage">The same from the API</a></p></div>
${KINDS.map((kind) => kindPart(kind, kinds[kind]))}
${communitiesPart(kinds, asked)}
${sourcesPart(sources)}
${removalsPart(removals)}`;
}

/** Their starts, from the month of `first` to that of `last`. */
function monthsFrom(first: number, last: number): number[] {
  return startsWithin('month', first, last, Infinity)!;
}

function kindPart(kind: Kind, found: CoveredKind | Untold): Html {
  const heading = html`<h2 id="${kind}s" class="apart">${KIND_TITLES[kind]}</h2>`;
  if (found instanceof Error) {
    const words =
      found instanceof IndexDamage
        ? damageWords(kind)
        : 'This server’s search engine cannot report coverage.';
    return html`${heading}<p class="hintline" role="status">${words}</p>`;
  }
  const { records, first, last, months } = found;
  if (first === null || last === null) return html`${heading}<p class="empty">There are none.</p>`;
  const all = monthsFrom(first, last).length;
  const some =
    months.length === all
      ? 'every month has some'
      : `${count(months.length)} of ${count(all)} months have some`;
  return html`${heading}
<p class="told">${counted(records, kind)} from ${dayElement(first)} to ${dayElement(last)}: ${some}.</p>
${emptyRunList(kind, found)}
${bars(kind, found)}
${gapsPart(found)}
<details class="inner"><summary>Show ${KIND_TITLES[kind].toLowerCase()} as table</summary>
${monthTable(kind, months)}</details>`;
}

const RUNS_NAMED = 5;

/** Runs of months without records, even where their neighbours have few. */
function emptyRunList(kind: Kind, { months, first, last }: CoveredKind): Html | null {
  const has = new Set(months.map(({ start }) => start));
  const runs: number[][] = [];
  let isRun = false;
  for (const start of monthsFrom(first!, last!)) {
    if (has.has(start)) isRun = false;
    else if (isRun) runs.at(-1)!.push(start);
    else isRun = runs.push([start]) > 0;
  }
  if (runs.length === 0) return null;
  const longest = runs.toSorted((a, b) => b.length - a.length).slice(0, RUNS_NAMED);
  const items = longest.map((run) => {
    const [from, to] = [monthName(run[0]!), monthName(run.at(-1)!)];
    return html`<li>No ${kind}s ${run.length === 1 ? `in ${from}` : `from ${from} to ${to}`}</li>`;
  });
  const rest = runs.length - longest.length;
  return html`<ul class="runs">${items}${rest === 0 ? null : html`<li>${counted(rest, 'shorter gap', 'shorter gaps')} of whole months</li>`}</ul>`;
}

function monthName(start: number): string {
  return new Date(start * 1000).toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** Whether over half of the months have missing days: the data is then a sample, and gaps mean nothing. */
function isSample({ gaps, months, first, last }: CoveredKind): boolean {
  const withGap = new Set(gaps.flatMap(({ from, to }) => monthsFrom(from, to - 1)));
  const all = monthsFrom(first!, last!).length;
  return withGap.size + (all - months.length) > all / 2;
}

function gapsPart(found: CoveredKind): Html | null {
  const { gaps } = found;
  if (isSample(found))
    return html`<p class="told">Days are missing in over half of the months: this is a sample of what was written.</p>`;
  if (gaps.length === 0) return null;
  const days = gaps.reduce((sum, { from, to }) => sum + (to - from) / DAY, 0);
  return html`<p class="told">${counted(days, 'day')} between busy weeks ${days === 1 ? 'has' : 'have'} no records:</p>
${gapList(found)}`;
}

const GAPS_SHOWN = 12;

function gapList({ gaps }: CoveredKind): Html {
  const items = gaps.map(({ from, to }) => {
    const last = to - DAY;
    return html`<li>${from === last ? dayElement(from) : html`${dayElement(from)} to ${dayElement(last)}`}</li>`;
  });
  const more = items.slice(GAPS_SHOWN);
  return html`<ul class="gaps">${items.slice(0, GAPS_SHOWN)}</ul>
${more.length === 0 ? null : html`<details class="inner"><summary>${counted(more.length, 'more gap')}</summary><ul class="gaps">${more}</ul></details>`}`;
}

/** The plot is hidden from screen readers; the table has the same figures. */
function bars(kind: Kind, found: CoveredKind): Html {
  const { months, first, last } = found;
  const gaps = isSample(found) ? [] : found.gaps;
  const counts = new Map(months.map(({ start, records }) => [start, records]));
  const withGap = new Set(gaps.flatMap(({ from, to }) => monthsFrom(from, to - 1)));
  const all = monthsFrom(first!, last!);
  const values = all.map((start) => counts.get(start) ?? 0);
  const slots = all.map((start, at) => {
    const isGap = withGap.has(start);
    const words = `${bucketName('month', start)}: ${counted(values[at]!, kind)}${isGap ? ', none on some days' : ''}`;
    return { words, isGap };
  });
  return html`<figure class="months">${valueLine(slots, values)}
${barPlot({ step: 'month', starts: all, values, slots })}
${withGap.size === 0 ? null : html`<figcaption><span><span class="swatch" aria-hidden="true"></span> months with a gap</span></figcaption>`}</figure>`;
}

function monthTable(kind: Kind, months: readonly Month[]): Html {
  const isRated = kind === 'comment';
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="${kind}s"><table class="data figures"><thead><tr><th scope="col">Month</th><th scope="col">Records</th><th scope="col">Communities</th><th scope="col">Withdrawn</th>${isRated ? html`<th scope="col">Unrated</th>` : null}<th scope="col">Score at capture</th></tr></thead>
<tbody>${months.map((month) => html`<tr><th scope="row">${bucketName('month', month.start)}</th><td>${count(month.records)}</td><td>${count(month.communities)}</td><td>${count(month.withdrawn)}</td>${isRated ? html`<td>${count(month.unrated ?? 0)}</td>` : null}<td>${month.score_at_capture === null ? '–' : percent(month.score_at_capture)}</td></tr>`)}</tbody></table></div>
<p class="note">Withdrawn: the text was deleted or removed on the site. Score at capture: the share of records
copied within a day of being written; their scores are not final. Records without a known time of copying are not counted.</p>`;
}

/** `12.5 %`; shows 0 and 100 only if they are exact. */
function percent(share: number): string {
  if (share > 0 && share < 0.001) return 'under 0.1 %';
  if (share < 1 && share > 0.999) return 'over 99.9 %';
  return `${Math.round(share * 1000) / 10} %`;
}

function communitiesPart(kinds: Kinds, asked: string): Html {
  const found = KINDS.flatMap((kind) => {
    const one = kinds[kind];
    return one instanceof Error ? [] : (one.subreddits ?? []).map((subreddit) => ({ kind, ...subreddit }));
  });
  return html`<h2 id="communities" class="apart">Communities</h2>
<form class="wanted" method="get" action="${PATH}"><label for="subreddit">Names, separated by commas</label>
<input id="subreddit" name="subreddit" value="${asked}" autocapitalize="none" autocomplete="off" spellcheck="false" placeholder="cats, dogs"><button class="button">Show</button></form>
${found.length === 0 ? null : communityTable(found)}`;
}

type Community = NonNullable<CoveredKind['subreddits']>[number] & { readonly kind: Kind };

function communityTable(found: readonly Community[]): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="communities"><table class="data figures"><thead><tr><th scope="col">Community</th><th scope="col" class="word">Kind</th><th scope="col">Records</th><th scope="col">First</th><th scope="col">Last</th><th scope="col">Months with records</th></tr></thead>
<tbody>${found.map(({ kind, name, records, first, last, months }) => html`<tr><th scope="row">/r/${visibleText(name)}</th><td class="word">${kind}s</td><td>${count(records)}</td><td>${first === null ? '–' : dayElement(first)}</td><td>${last === null ? '–' : dayElement(last)}</td><td>${first === null ? '–' : `${count(months.length)} of ${count(monthsFrom(first, last!).length)}`}</td></tr>`)}</tbody></table></div>`;
}

function sourcesPart(sources: readonly Source[]): Html {
  const heading = html`<h2 id="sources" class="apart">Sources</h2>`;
  if (sources.length === 0) return html`${heading}<p class="empty">Nothing has been imported yet.</p>`;
  return html`${heading}
<p class="told">The files that were imported, each with the checksum of the published file.</p>
<div class="scroll" tabindex="0" role="group" aria-labelledby="sources"><table class="data figures"><thead><tr><th scope="col">File</th><th scope="col" class="word">Kind</th><th scope="col">Read</th><th scope="col">From</th><th scope="col">To</th><th scope="col">Imported</th><th scope="col">Size</th><th scope="col" class="word">SHA-256</th></tr></thead>
<tbody>${sources.map(sourceRow)}</tbody></table></div>`;
}

function sourceRow(source: Source): Html {
  const { name, sha256, bytes, format, kind, first, last, where, counts, finished, started } = source;
  const day = (time: number | null) => (time === null ? '–' : dayElement(time));
  return html`<tr><th scope="row">${visibleText(name)}${format === null || name.endsWith(`.${format}`) ? null : html` <span class="note">${format}</span>`}${where === null ? null : html`<br><span class="note">in part: <code>${visibleText(where)}</code></span>`}</th>
<td class="word">${kind ?? '–'}</td><td>${typeof counts.read === 'number' ? count(counts.read) : '–'}</td><td>${day(first)}</td><td>${day(last)}</td><td>${dayElement(finished ?? started)}${finished === null ? html` <span class="note">interrupted</span>` : null}</td>
<td>${bytes === null ? '–' : fileSize(bytes)}</td><td class="word">${sha256 === null ? '–' : html`<code class="digest">${sha256}</code>`}</td></tr>`;
}

function removalsPart({ number, dates }: Provenance['removals']): Html {
  const heading = html`<h2 id="removals" class="apart">Removals</h2>`;
  if (number === 0) return html`${heading}<p class="told">Nothing has been removed.</p>`;
  const [first, last] = [dates[0]!, dates.at(-1)!];
  const isOneDay = readableDay(first) === readableDay(last);
  return html`${heading}
<p class="told">${counted(number, 'removal')} took records out, ${isOneDay ? html`on ${dayElement(first)}` : html`between ${dayElement(first)} and ${dayElement(last)}`}.
What was removed is not shown.</p>`;
}
