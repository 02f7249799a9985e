// The pages for searching: start page, results, and what may come next in the search box.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readSearchState, type SearchState, searchAddress } from '../../http/addresses/search.ts';
import { readFirst } from '../../http/addresses/written.ts';
import { REVALIDATED, sendRepresentation } from '../../http/answers/representation.ts';
import { Turns } from '../../http/requests/turns.ts';
import { addPageRead } from '../../http/site/page-paths.ts';
import {
  checkFirstPage,
  limitSearches,
  scopeOfSearch,
  sendSearchError,
  turnOf,
} from '../../http/site/page-turn.ts';
import { frameOf, holdPage, sendPage, sendRedirect } from '../../http/site/respond.ts';
import type { ResultsPart, Site } from '../../http/site/site.ts';
import { totalWords } from '../../http/views/format.ts';
import type { Frame, Page } from '../../http/views/layout.ts';
import { showsAdult, unfolded } from '../../http/views/record-parts.ts';
import { wordsOf } from '../../http/views/record-text.ts';
import { resultTexts, type ShownText } from '../../http/views/results.ts';
import { otherKind } from '../../model/record.ts';
import { homePage } from './home-page.ts';
import { aliasHint, operatorHint, repairsOf } from './repairs.ts';
import { partsOf, rangeWords, searchPage } from './results-page.ts';
import type { PageResult } from './service.ts';

export function addSearchPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, '/', (request, reply) => answerSearch(site, request, reply));
  addPageRead(server, '/search', (request, reply) => answerSearch(site, request, reply));
}

async function answerHome(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const frame = await frameOf(site, request);
  using _ = await turnOf(site, request, reply, frame);
  const stats = await site.service.stats();
  const main = homePage({ stats, archive: await site.service.archive.now() });
  const page: Page = {
    title: 'Search',
    main,
    canonical: '/',
    isListed: true,
    section: 'search',
    mainClass: 'home',
  };
  return await sendPage(site, request, reply, frame, page);
}

async function answerSearch(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const address = request.raw.url ?? '';
  const state = readSearchState(address);
  if (state === null) return answerHome(site, request, reply);
  if (request.routeOptions.url === '/') {
    return sendRedirect(site, reply, searchAddress(state));
  }
  const began = site.now();
  const frame = await frameOf(site, request);
  try {
    limitSearches(site, request, frame);
    using turn = await turnOf(site, request, reply, frame);
    await holdPage(site, request, reply, frame, turn.signal);
    const page = await pageOfSearch(site, frame, state, turn.signal, () => site.now() - began);
    return await sendPage(site, request, reply, frame, page);
  } catch (error) {
    return sendSearchError(site, request, reply, { frame, state, error });
  }
}

async function pageOfSearch(
  site: Site,
  frame: Frame,
  state: SearchState,
  signal: AbortSignal,
  tookMs: () => number,
): Promise<Page> {
  const isVisitor = frame.viewer === null;
  checkFirstPage(frame, state);
  const limit = isVisitor ? Math.min(site.visitorResults, state.limit) : state.limit;
  const cut = isVisitor ? limit : null;
  const scope = state.timeline === 'share' ? scopeOfSearch(site, state.query) : null;
  const of = scope === null ? {} : { of: scope.query };
  let texts: readonly ShownText[] = [];
  const result = await site.service.page(
    { ...state, limit, cut, ...of },
    signal,
    async (records, { query }) => {
      if (state.show === 'titles') return;
      const shown = showsAdult(frame, state) ? records.map(unfolded) : records;
      texts = await resultTexts(shown, wordsOf(query), state.query, new Turns());
    },
  );
  const repairs = await repairsFor(site, state, result, signal);
  const parts = await partsOfFeatures(site, frame, state, result);
  const view = {
    state,
    result,
    texts,
    repairs,
    below: parts.flatMap(({ below }) => below ?? []),
    links: parts.flatMap(({ link }) => link ?? []),
    shareOf: scope?.echo ?? null,
    hints: [operatorHint(state.query), aliasHint(state.query)].filter((hint) => hint !== null),
    visitorResults: isVisitor ? site.visitorResults : null,
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
    feeds: Object.assign({}, ...parts.map(({ feeds }) => feeds)),
    section: 'search',
    skips: partsOf(view),
    mainClass: 'wide',
  };
}

function partsOfFeatures(
  { features, archive }: Site,
  frame: Frame,
  { kind, order }: SearchState,
  { interpretation: { echo: query }, totals, records }: PageResult,
): Promise<readonly ResultsPart[]> {
  const found = { archive, frame, kind, order, query, total: totals[kind] ?? 0, records };
  return Promise.all(features.map(async ({ results }) => (await results?.())?.(found) ?? {}));
}

async function repairsFor(site: Site, { kind }: SearchState, result: PageResult, signal: AbortSignal) {
  if (result.totals[kind] !== 0) return [];
  const other = result.totals[otherKind(kind)];
  return repairsOf(site.service, kind, result.interpretation, other, signal);
}

const MAX_SUGGESTIONS = 8;

/**
 * `GET /suggest?item=/r/en`: a list of `{text, hint}`, see `Suggestions`: communities and domains in the index that
 * start with the text, never what others have searched for; empty for anything else.
 */
export function addSuggestRoute(server: FastifyInstance, site: Site): void {
  addPageRead(server, '/suggest', async (request, reply) => {
    const item = readFirst(request.raw.url ?? '').get('item') ?? '';
    using turn = await turnOf(site, request, reply, { viewer: await site.viewer(request) });
    const found = await site.service.suggest(item.slice(0, 200), MAX_SUGGESTIONS, turn.signal);
    return await sendRepresentation(request, reply, {
      body: JSON.stringify(found),
      type: 'application/json; charset=utf-8',
      caching: REVALIDATED,
    });
  });
}
