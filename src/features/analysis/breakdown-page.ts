// The page of one breakdown: all rows, or those whose names start with a prefix, 100 per page.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { parameterFault } from '../../errors.ts';
import {
  type BreakdownState,
  breakdownAddress,
  FIELD_NAMES,
  firstPage,
  kindAndUnder,
  pageAddress,
  readAbout,
  readFirst,
  readList,
  readName,
  type SearchState,
  searchAddress,
  searchAddresses,
  tableAddress,
  underPair,
} from '../../http/addresses.ts';
import { addPageRead, answerAbout, scopeOfSearch, type Visit } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import {
  excludeCell,
  nameCell,
  rangeWords,
  rowLinks,
  shownTimes,
  sparkline,
} from '../../http/views/charts.ts';
import { count, counted, portion } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Page } from '../../http/views/layout.ts';
import { visible, visibleText } from '../../http/views/record-text.ts';
import { chips, searchForm } from '../../http/views/search-form.ts';
import type { Query } from '../../model/query.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { ofArchive } from '../../operation/operation.ts';
import { shareOf, tellingLimits, underQuery } from '../../search/asking.ts';
import { writtenItems } from '../../search/edit-query.ts';
import { fewBuckets, TimeRanges } from '../../search/search-service.ts';
import { quoted } from '../../text/quoted.ts';
import { MAX_ROWS } from './breakdown.ts';

const PAGE = '/breakdown';

const PAGE_ROWS = 100;

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, site, PAGE, answer);
}

async function answer(visit: Visit): Promise<FastifyReply> {
  const { here } = visit;
  const given = readFirst(here);
  const by = given.get('by');
  if (by !== undefined && !given.has('field')) {
    const rest = [...given].filter(([name]) => name !== 'by');
    return visit.redirect(pageAddress(PAGE, [...rest, ['field', by.replace(/s$/, '')]]));
  }
  const asked = readBreakdownState(here);
  const state = { ...readList(asked.query, asked.list, asked.kind), under: asked.under };
  return await answerAbout(visit, state, async () => await visit.send(await pageOf(visit, asked, state)));
}

/** The same rows as CSV, up to MAX_ROWS. `echo`: the canonical query, with the implied window that the page shows. */
function fileAddress({ kind, under, field, prefix }: BreakdownState, echo: string): string {
  return tableAddress('breakdown', kind, [
    ['query', echo],
    ...underPair(under),
    ['field', FIELD_NAMES[field]],
    ['limit', String(MAX_ROWS)],
    ...(prefix === '' ? [] : [['prefix', prefix] as const]),
  ]);
}

async function pageOf({ site, signal }: Visit, asked: BreakdownState, state: SearchState): Promise<Page> {
  const { kind, field } = asked;
  const skip = (asked.page - 1) * PAGE_ROWS;
  const scope = scopeOfSearch(site, asked.query);
  const found = await countedRows(site, asked, { size: PAGE_ROWS, skip, of: scope.query }, signal);
  const name = `${KIND_NAMES[kind]} by ${BY[field]}`;
  const main = breakdownPage({ ...found, asked, state, name, skip, of: scope.echo });
  const place = asked.page === 1 ? '' : ` – page ${count(asked.page)}`;
  const title = `${state.query === '' ? 'Everything' : state.query} – ${name}${place}`;
  return {
    title,
    main,
    canonical: breakdownAddress({ ...asked, list: '' }),
    section: 'search',
    mainClass: 'wide',
  };
}

async function countedRows(
  { archive }: Site,
  { query: text, kind, under, field, prefix }: BreakdownState,
  { of, ...rows }: { readonly size: number; readonly skip: number; readonly of: Query },
  signal: AbortSignal,
) {
  const { engine, search, config } = archive;
  const interpretation = search.interpret(text);
  const { query } = interpretation;
  await engine.refresh();
  const range = await rangesOf(archive).current();
  const times = range && fewBuckets(query, range);
  const named = prefix === '' ? {} : { prefix: prefix.toLowerCase() };
  const wanted = { field, ...rows, ...named, distinct: true, ...(times && { by: times.step }) };
  const limits = { timeoutMs: config.queryTimeoutMs };
  const question = { kind, query, of, ...underQuery(under), breakdowns: [wanted], ...limits };
  const ask = () => engine.ask(question, signal);
  const { total, breakdowns } = await tellingLimits(text, ask, under ?? '');
  const [found] = breakdowns!;
  return { interpretation, total, breakdown: { ...found!, distinct: found!.distinct! }, times };
}

const rangesOf = ofArchive(({ engine }) => new TimeRanges(engine));

/** Throws the errors of `readSearchState`, and `missing_query`. */
export function readBreakdownState(address: string): BreakdownState {
  const about = readAbout(address);
  const given = readFirst(address);
  return {
    ...about,
    field: readName('field', given.get('field') ?? '', FIELD_NAMES),
    list: given.get('list') ?? '',
    prefix: (given.get('prefix') ?? '').trim(),
    page: readPageNumber(given.get('page') ?? ''),
  };
}

function readPageNumber(text: string): number {
  if (text === '') return 1;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw parameterFault('malformed_request', 'page', 'a whole number from 1 to 9,999,999', quoted(text));
}

const BY = { domain: 'source domain', community: 'subreddit' } as const;

interface BreakdownView extends Awaited<ReturnType<typeof countedRows>> {
  readonly asked: BreakdownState;
  readonly state: SearchState;
  readonly skip: number;
  /** `posts by source domain`. */
  readonly name: string;
  readonly of: string;
}

function breakdownPage(view: BreakdownView): Html {
  const { asked, state, interpretation, total, breakdown, skip, name } = view;
  const below = { under: asked.under, address: breakdownAddress({ ...asked, under: null, page: 1 }) };
  const noun = FIELD_NAMES[asked.field];
  const beginning = asked.prefix === '' ? null : html` beginning with <bdi>${visible(asked.prefix)}</bdi>`;
  const empty =
    skip > 0
      ? html`There are no rows on this page. <a href="${breakdownAddress({ ...asked, page: 1 })}">First page</a>`
      : asked.prefix === ''
        ? html`Nothing to count.`
        : html`No ${noun}s${beginning}. <a href="${breakdownAddress({ ...asked, prefix: '', page: 1 })}">Show all</a>`;
  return html`${searchForm(state)}
${chips(interpretation, (query) => breakdownAddress({ ...asked, query, page: 1 }), below)}
<h1 id="all" class="apart">${counted(breakdown.distinct, noun)}${beginning}</h1>
<p class="lead">${counted(total, asked.kind)} by ${BY[asked.field]}. <a href="${searchAddress(state)}">Back to the ${asked.kind}s</a></p>
${filterForm(asked)}
${breakdown.rows.length === 0 ? html`<p class="empty">${empty}</p>` : html`${table(view, name)}${paging(view)}${notes(view)}`}`;
}

function filterForm({ query, kind, under, field, prefix, list }: BreakdownState): Html {
  return html`<form class="wanted" method="get" action="${PAGE}">
<input type="hidden" name="query" value="${query}"><input type="hidden" name="field" value="${FIELD_NAMES[field]}">${kindAndUnder(kind, under).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}${list === '' ? null : html`<input type="hidden" name="list" value="${list}">`}
<label for="prefix">Only ${FIELD_NAMES[field]}s beginning with</label>
<input id="prefix" name="prefix" value="${prefix}" autocapitalize="none" autocomplete="off" spellcheck="false"><button class="button">Filter</button></form>`;
}

function table({ asked, state, interpretation, total, breakdown, times }: BreakdownView, name: string): Html {
  const address = searchAddresses(firstPage(state));
  const { rows } = breakdown;
  const items = writtenItems(interpretation);
  const { include, exclude } = rowLinks(asked.field, items, address, breakdown, total);
  const most = Math.max(...rows.map((row) => row.count));
  const isDomain = asked.field === 'domain';
  const sign = isDomain ? '' : '/r/';
  const shown = times && shownTimes(rows, times);
  return html`<table class="breakdown all" aria-label="${name}">
<thead><tr><th scope="col">${isDomain ? 'Domain' : 'Subreddit'}</th><th scope="col"><span class="unseen">Exclude</span></th>${shown === null ? null : html`<th scope="col" class="trend">${rangeWords(shown)}</th>`}<th scope="col">Matches</th><th scope="col" class="part">Of all matches</th><th scope="col">Of its ${asked.kind}s</th></tr></thead>
<tbody>
${rows.map((row) => html`<tr>${nameCell(html`<bdi>${sign}${visible(row.name)}</bdi>`, include(row.name), row.count / most)}${excludeCell(sign + visibleText(row.name), exclude(row.name))}${shown === null ? null : html`<td class="trend">${sparkline(row, shown)}</td>`}<td>${count(row.count)}</td><td class="part">${portion(row.count / total)}</td><td>${percentOf(row.count, row.of)}</td></tr>`)}
</tbody></table>`;
}

function notes({ asked, of, interpretation }: BreakdownView): Html {
  const whole = html`all ${asked.kind}s of that ${FIELD_NAMES[asked.field]}${of === '' ? null : html` that match <bdi>${visible(of)}</bdi>`}`;
  return html`<p class="hint">“Of its ${asked.kind}s” is the share of ${whole}. <a href="${fileAddress(asked, interpretation.echo)}" download>CSV</a></p>`;
}

function percentOf(value: number, of = 0): string {
  const part = shareOf(value, of);
  return part === null ? '' : portion(part);
}

/** null if all rows fit on one page. */
function paging({ asked, breakdown, skip }: BreakdownView): Html | null {
  const { rows, distinct } = breakdown;
  const end = skip + rows.length;
  if (rows.length === distinct) return null;
  const to = (page: number) => breakdownAddress({ ...asked, page });
  return html`<nav class="paging column" aria-label="Pages">
<p>Rows ${count(skip + 1)}–${count(end)} of ${count(distinct)}</p>
<p class="moves">${asked.page === 1 ? null : html`<a class="button" rel="prev" href="${to(asked.page - 1)}">Previous</a>`}
${end >= distinct ? html`<span class="end">End of the list</span>` : html`<a class="button primary" rel="next" href="${to(asked.page + 1)}">Next</a>`}</p>
</nav>`;
}
