// The pages for searching: start page, results, and completions of the search box.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
  frameOf,
  holdPage,
  isShown,
  scopeOfSearch,
  sendPage,
  sendRedirect,
  turnOf,
} from '../../http/site/respond.ts';
import type { ResultsFound, ResultsPart, Site } from '../../http/site/site.ts';
import { totalWords } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Frame, Page } from '../../http/views/layout.ts';
import { wordsOf } from '../../http/views/record-text.ts';
import { resultTexts, type ShownText, showsAdult, unfolded } from '../../http/views/records.ts';
import { otherKind } from '../../model/record.ts';
import { Turns } from '../../model/waiting.ts';
import { encodeValue } from '../../operation/parameters.ts';
import { homePage } from './home-page.ts';
import { aliasHint, authorHint, operatorHint, repairsOf } from './repairs.ts';
import { partsOf, rangeWords, searchPage } from './results-page.ts';
import { type PageResult, type PageService, pagesOf } from './service.ts';

interface Search {
  readonly site: Site;
  readonly service: PageService;
  readonly parts: readonly ((found: ResultsFound) => ResultsPart)[];
}

export async function addPages(server: FastifyInstance, site: Site): Promise<void> {
  const service = pagesOf(site.archive);
  const parts = await Promise.all(site.features.flatMap(({ results }) => results?.() ?? []));
  const of: Search = { site, service, parts };
  for (const path of ['/', '/search'])
    addPageRead(server, path, (request, reply) => answerSearch(of, request, reply));
  addSuggestRoute(server, of);
  addDescription(server, site);
}

async function answerHome(
  { site, service }: Search,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const frame = frameOf(site, request);
  using _ = await turnOf(site, request, reply, frame);
  const stats = await site.archive.search.stats();
  const main = homePage({ stats, archive: await service.archive.now() });
  const page: Page = {
    title: 'Search',
    main,
    canonical: '/',
    isListed: true,
    section: 'search',
    mainClass: 'wide home',
  };
  return await sendPage(site, request, reply, frame, page);
}

async function answerSearch(of: Search, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { site } = of;
  const address = request.raw.url ?? '';
  const state = readSearchState(address);
  if (state === null) return answerHome(of, request, reply);
  if (request.routeOptions.url === '/') {
    return sendRedirect(site, reply, searchAddress(state));
  }
  const began = performance.now();
  return answerAbout(site, request, reply, state, async (frame, signal) => {
    await holdPage(site, request, reply, frame, signal);
    const page = await pageOfSearch(of, frame, state, signal, () => performance.now() - began);
    return typeof page === 'string'
      ? sendRedirect(site, reply, page)
      : sendPage(site, request, reply, frame, page);
  });
}

/** The address to redirect to if the record named is of the other kind. */
async function pageOfSearch(
  { site, service, parts }: Search,
  frame: Frame,
  state: SearchState,
  signal: AbortSignal,
  tookMs: () => number,
): Promise<Page | string> {
  const isVisitor = frame.viewer === null;
  const { visitorResults } = site.archive.config;
  checkFirstPage(frame, state);
  const limit = isVisitor ? Math.min(visitorResults, state.limit) : state.limit;
  const cut = isVisitor ? limit : null;
  const scope = state.timeline === 'share' ? scopeOfSearch(site, state.query) : null;
  const of = scope === null ? {} : { of: scope.query };
  let texts: readonly ShownText[] = [];
  const result = await service.page({ ...state, limit, cut, ...of }, signal, async (records, { query }) => {
    if (state.show === 'titles') return;
    const shown = showsAdult(frame, state) ? records.map(unfolded) : records;
    const from = { query: state.query, list: listOf(state, state.kind) };
    texts = await resultTexts(shown, wordsOf(query), from, new Turns());
  });
  const other = otherKind(state.kind);
  const isNamed = result.interpretation.query.items.some((item) => item.kind === 'id' && !item.negated);
  if (isNamed && result.totals[state.kind] === 0 && result.totals[other])
    return searchAddress(ofKind(firstPage(state), other));
  const repairs = await repairsFor(service, site, state, result, signal);
  const shown = partsOfFeatures(site, parts, frame, state, result);
  const view = {
    state,
    result,
    texts,
    repairs,
    below: shown.flatMap(({ below }) => below ?? []),
    beside: shown.flatMap(({ beside }) => beside ?? []),
    links: shown.flatMap(({ link }) => link ?? []),
    tools: toolLinks(site, frame, result),
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
    title: `${name} – ${totalWords(state.kind, total)}${place}`,
    main: searchPage(frame, view),
    canonical: searchAddress({ ...state, trail: [] }),
    feeds: Object.assign({}, ...shown.map(({ feeds }) => feeds)),
    section: 'search',
    skips: partsOf(view),
    mainClass: 'wide',
  };
}

function partsOfFeatures(
  { archive }: Site,
  parts: Search['parts'],
  frame: Frame,
  state: SearchState,
  { interpretation: { echo: query }, under, totals, records }: PageResult,
): readonly ResultsPart[] {
  const { kind, order } = state;
  const address = searchAddress({ ...state, trail: [] });
  const found = { archive, frame, kind, order, address, query, under, total: totals[kind] ?? 0, records };
  return parts.map((part) => part(found));
}

/** Pages for signed-in users that take the query of a search: the echo, because its window is the one shown. */
function toolLinks(site: Site, { viewer }: Frame, { interpretation, under }: PageResult): Html[] {
  if (viewer === null || under !== null) return [];
  const query = encodeValue(interpretation.echo);
  return site.features.flatMap(({ slots }) => {
    const tool = slots?.['results.tools'];
    return isShown(site, tool)
      ? [html`<a href="${tool.path}?query=${query}" rel="nofollow">${tool.name}</a>`]
      : [];
  });
}

async function repairsFor(
  service: PageService,
  { archive }: Site,
  { kind }: SearchState,
  { totals, interpretation, under }: PageResult,
  signal: AbortSignal,
) {
  if (totals[kind] !== 0 || under !== null) return [];
  return repairsOf(service, archive.search, kind, interpretation, totals[otherKind(kind)], signal);
}

const MAX_SUGGESTIONS = 8;

/**
 * `GET /suggest?item=/r/en`: a list of `{text, hint}`, see `Suggestions`: communities and domains of the index that
 * start with the text, never queries of other users. Empty for other items.
 */
function addSuggestRoute(server: FastifyInstance, { site, service }: Search): void {
  addPageRead(server, '/suggest', async (request, reply) => {
    const item = readFirst(request.raw.url ?? '').get('item') ?? '';
    using turn = await turnOf(site, request, reply, { viewer: site.sessions.signedIn(request) });
    const found = await service.suggest(item.slice(0, 200), MAX_SUGGESTIONS, turn.signal);
    return await sendRepresentation(request, reply, {
      body: JSON.stringify(found),
      type: 'application/json; charset=utf-8',
      caching: REVALIDATED,
    });
  });
}

function addDescription(server: FastifyInstance, site: Site): void {
  addPageRead(server, '/opensearch.xml', (request, reply) => {
    const address = site.visitors.of(request).ownAddress;
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
