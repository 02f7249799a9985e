// The pages for searching: start page, results, and completions of the search box.

import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  firstPage,
  listOf,
  ofKind,
  readFirst,
  readSearchState,
  type SearchState,
  searchAddress,
} from '../../http/addresses.ts';
import { REVALIDATED, sendRepresentation } from '../../http/answers/representation.ts';
import {
  addPageRead,
  answerAbout,
  checkFirstPage,
  isShown,
  scopeOfSearch,
  type Visit,
} from '../../http/site/respond.ts';
import type { ResultsFound, ResultsPart, Site } from '../../http/site/site.ts';
import { counted } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import { wordsOf } from '../../http/views/record-text.ts';
import { resultTexts, type ShownText } from '../../http/views/records.ts';
import { otherKind } from '../../model/record.ts';
import { Turns } from '../../model/waiting.ts';
import { encodeValue } from '../../operation/parameters.ts';
import { homePage } from './home-page.ts';
import { aliasHint, authorHint, operatorHint, repairsOf } from './repairs.ts';
import { partsOf, rangeWords, searchPage } from './results-page.ts';
import { type PageResult, type PageService, pagesOf } from './service.ts';

interface Search {
  readonly service: PageService;
  readonly parts: readonly ((found: ResultsFound) => ResultsPart)[];
}

export async function addPages(server: FastifyInstance, site: Site): Promise<void> {
  const service = pagesOf(site.archive);
  const parts = await Promise.all(site.features.flatMap(({ results }) => results?.() ?? []));
  const of: Search = { service, parts };
  for (const path of ['/', '/search']) addPageRead(server, site, path, (visit) => answerSearch(of, visit));
  addSuggestRoute(server, site, service);
  addDescription(server, site);
}

async function answerHome({ service }: Search, visit: Visit): Promise<FastifyReply> {
  using _ = await visit.turn();
  const stats = await visit.site.archive.search.stats();
  const main = homePage(stats, await service.archive.now());
  return await visit.send({
    ...{ title: 'Search', main, canonical: '/', isListed: true },
    ...{ section: 'search', mainClass: 'wide home' },
  });
}

async function answerSearch(of: Search, visit: Visit): Promise<FastifyReply> {
  const state = readSearchState(visit.here);
  if (state === null) return answerHome(of, visit);
  if (visit.request.routeOptions.url === '/') return visit.redirect(searchAddress(state));
  const began = performance.now();
  return answerAbout(visit, state, async () => {
    await visit.room();
    const page = await pageOfSearch(of, visit, state, () => performance.now() - began);
    return await (typeof page === 'string' ? visit.redirect(page) : visit.send(page));
  });
}

/** The address to redirect to if the record named is of the other kind. */
async function pageOfSearch(search: Search, visit: Visit, state: SearchState, tookMs: () => number) {
  const { service, parts } = search;
  const { site, frame, signal } = visit;
  const isVisitor = frame.viewer === null;
  const { visitorResults } = site.archive.config;
  checkFirstPage(visit, state.after);
  const limit = isVisitor ? Math.min(visitorResults, state.limit) : state.limit;
  const cut = isVisitor ? limit : null;
  const scope = state.timeline === 'share' ? scopeOfSearch(site, state.query) : null;
  const of = scope === null ? {} : { of: scope.query };
  let texts: readonly ShownText[] = [];
  const result = await service.page({ ...state, limit, cut, ...of }, signal, async (records, { query }) => {
    if (state.show === 'titles') return;
    const showsAdult = [state.adult, frame.settings.adult].includes('shown');
    const sought = { words: wordsOf(query), query: state.query, list: listOf(state, state.kind), showsAdult };
    texts = await resultTexts(records, sought, new Turns());
  });
  const other = otherKind(state.kind);
  const isNamed = result.interpretation.query.items.some((item) => item.kind === 'id' && !item.negated);
  if (isNamed && result.totals[state.kind] === 0 && result.totals[other])
    return searchAddress(ofKind(firstPage(state), other));
  const repairs = await repairsOf(service, site.archive.search, state.kind, result, signal);
  const shown = partsOfFeatures(visit, parts, state, result);
  const view = {
    state,
    result,
    texts,
    repairs,
    below: shown.flatMap(({ below }) => below ?? []),
    beside: shown.flatMap(({ beside }) => beside ?? []),
    links: shown.flatMap(({ link }) => link ?? []),
    tools: toolLinks(visit, result),
    shareOf: scope?.echo ?? null,
    hints: [operatorHint, aliasHint, authorHint]
      .map((hint) => hint(state.query))
      .filter((hint) => hint !== null),
    visitorResults: isVisitor ? visitorResults : null,
    tookMs,
    now: Date.now() / 1000,
  };
  const name = state.query === '' ? 'Everything' : state.query;
  const total = result.totals[state.kind] ?? 0;
  const place = state.after === null ? '' : ` – ${rangeWords(result, total)}`;
  return {
    title: `${name} – ${counted(total, state.kind)}${place}`,
    main: searchPage(frame, view),
    canonical: searchAddress({ ...state, trail: [] }),
    feeds: Object.assign({}, ...shown.map(({ feeds }) => feeds)),
    section: 'search',
    skips: partsOf(view),
    mainClass: 'wide',
  };
}

function partsOfFeatures(visit: Visit, parts: Search['parts'], state: SearchState, result: PageResult) {
  const { kind, order } = state;
  const { interpretation, under, totals, records } = result;
  const found = {
    ...{ archive: visit.site.archive, frame: visit.frame, kind, order, records },
    ...{ query: interpretation.echo, under, total: totals[kind] ?? 0 },
    address: searchAddress({ ...state, trail: [] }),
  };
  return parts.map((part) => part(found));
}

/** Pages for signed-in users that take the query of a search: the echo, because its window is the one shown. */
function toolLinks({ site, viewer }: Visit, { interpretation, under }: PageResult): Html[] {
  if (viewer === null || under !== null) return [];
  const query = encodeValue(interpretation.echo);
  return site.features.flatMap(({ slots }) => {
    const tool = slots?.['results.tools'];
    return isShown(site, tool)
      ? [html`<a href="${tool.path}?query=${query}" rel="nofollow">${tool.name}</a>`]
      : [];
  });
}

const MAX_SUGGESTIONS = 8;

/**
 * `GET /suggest?item=/r/en`: a list of `{text, hint}`, see `Suggestions`: communities and domains of the index that
 * start with the text, never queries of other users. Empty for other items.
 */
function addSuggestRoute(server: FastifyInstance, site: Site, service: PageService): void {
  addPageRead(server, site, '/suggest', async (visit) => {
    const item = readFirst(visit.here).get('item') ?? '';
    using _ = await visit.turn();
    const found = await service.suggestions.of(item.slice(0, 200), MAX_SUGGESTIONS, visit.signal);
    return await sendRepresentation(visit.request, visit.reply, {
      body: JSON.stringify(found),
      type: 'application/json; charset=utf-8',
      caching: REVALIDATED,
    });
  });
}

function addDescription(server: FastifyInstance, site: Site): void {
  addPageRead(server, site, '/opensearch.xml', ({ publicAddress: address, request, reply }) => {
    const body = html`<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Colloquy</ShortName>
<Description>Search posts and comments</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="16" height="16" type="image/svg+xml">${address}${site.assets.icon}</Image>
<Url type="text/html" method="get" template="${address}/search?query={searchTerms}"/>
</OpenSearchDescription>
`.toString();
    const type = 'application/opensearchdescription+xml; charset=utf-8';
    return sendRepresentation(request, reply, { body, type, caching: 'no-cache', vary: ['Host'] });
  });
}
