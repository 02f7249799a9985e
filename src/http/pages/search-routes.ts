// The pages for searching: start page, results, one breakdown with all its rows, and what may come next in the
// search box.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { breakdownOf, breakdownTable, MAX_ROWS } from '../../analysis/breakdown.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import type { PageResult } from '../../search/page/page-service.ts';
import { aliasHint, operatorHint, repairsOf } from '../../search/page/repairs.ts';
import { type FeedForm, publicFeedAddress } from '../addresses/feeds.ts';
import { plainSearch, readSearchState, type SearchState, searchAddress } from '../addresses/search.ts';
import {
  BREAKDOWN_FILE,
  type BreakdownState,
  breakdownAddress,
  readBreakdownState,
} from '../addresses/tables.ts';
import { LIST_NAMES, readFirst } from '../addresses/written.ts';
import { REVALIDATED, sendRepresentation } from '../answers/representation.ts';
import { Turns } from '../requests/turns.ts';
import { addPageRead } from '../site/page-paths.ts';
import { frameOf, holdPage, sendPage, sendRedirect } from '../site/respond.ts';
import type { Site } from '../site/site.ts';
import { count, totalWords } from '../views/format.ts';
import type { Frame, Page } from '../views/layout.ts';
import { showsAdult, unfolded } from '../views/record-parts.ts';
import { wordsOf } from '../views/record-text.ts';
import { resultTexts, type ShownText } from '../views/results.ts';
import { breakdownPage } from '../views/search/breakdown-page.ts';
import { homePage } from '../views/search/home-page.ts';
import { partsOf, rangeWords, searchPage } from '../views/search/search-page.ts';
import {
  answerAbout,
  checkFirstPage,
  limitSearches,
  scopeOfSearch,
  sendSearchError,
  sendTable,
  turnOf,
} from './page-turn.ts';

/** Rows on one page of a breakdown. */
const BREAKDOWN_PAGE_ROWS = 100;

export function addSearchPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, '/', (request, reply) => answerSearch(site, request, reply));
  addPageRead(server, '/search', (request, reply) => answerSearch(site, request, reply));
  addPageRead(server, '/breakdown', (request, reply) => answerBreakdown(site, request, reply));
  addPageRead(server, BREAKDOWN_FILE, (request, reply) => answerBreakdown(site, request, reply));
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
  if (request.routeOptions.url === '/' || !readFirst(address).has('query')) {
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
  const view = {
    state,
    result,
    texts,
    repairs,
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
    ...(site.hasFeeds ? { feeds: feedsOf(state.kind, result) } : {}),
    section: 'search',
    skips: partsOf(view),
    mainClass: 'wide',
  };
}

/** With the window of the page written out, since a feed adds none. */
function feedsOf(kind: Kind, { interpretation: { echo: query } }: PageResult): Record<string, string> {
  const address = (form: FeedForm) => publicFeedAddress({ query, kind }, form);
  return { 'application/atom+xml': address('atom'), 'application/feed+json': address('json') };
}

async function repairsFor(site: Site, { kind }: SearchState, result: PageResult, signal: AbortSignal) {
  if (result.totals[kind] !== 0) return [];
  const other = result.totals[otherKind(kind)];
  return repairsOf(site.service, kind, result.interpretation, other, signal);
}

async function answerBreakdown(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = readBreakdownState(request.raw.url ?? '');
  const state = plainSearch(asked.query, asked.kind);
  return await answerAbout(site, request, reply, state, async (frame, signal) => {
    if (isFile(request)) return await sendBreakdownFile(site, request, reply, asked, signal);
    return await sendPage(site, request, reply, frame, await pageOfBreakdown(site, asked, state, signal));
  });
}

function isFile(request: FastifyRequest): boolean {
  return request.routeOptions.url === BREAKDOWN_FILE;
}

/** The table of the API, of as many rows as it gives at once. */
async function sendBreakdownFile(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, query, field, prefix }: BreakdownState,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const { answer } = await breakdownOf(
    site.analysis,
    {
      // The echo: its window is what the page shows.
      ...{ kind, query: site.service.interpret(query).echo, size: MAX_ROWS, after: null },
      ...{ field: field === 'domain' ? 'domain' : 'subreddit', by: 'none', normalise: 'scope' },
      ...(prefix === '' ? {} : { prefix: prefix.toLowerCase() }),
    },
    signal,
  );
  const name = `${LIST_NAMES[kind]}-by-${answer.field}.csv`;
  return await sendTable(request, reply, name, breakdownTable(answer));
}

async function pageOfBreakdown(
  site: Site,
  asked: BreakdownState,
  state: SearchState,
  signal: AbortSignal,
): Promise<Page> {
  const { kind, field } = asked;
  const skip = (asked.page - 1) * BREAKDOWN_PAGE_ROWS;
  const scope = scopeOfSearch(site, asked.query);
  const rows = {
    ...{ query: asked.query, kind, field, size: BREAKDOWN_PAGE_ROWS, skip, of: scope.query },
    ...(asked.prefix === '' ? {} : { prefix: asked.prefix.toLowerCase() }),
  };
  const found = await site.service.breakdown(rows, signal);
  const name = `${LIST_NAMES[kind]} by ${field === 'domain' ? 'source domain' : 'subreddit'}`;
  const main = breakdownPage({ ...found, asked, state, name, skip, of: scope.echo });
  const place = asked.page === 1 ? '' : ` – page ${count(asked.page)}`;
  const title = `${state.query === '' ? 'Everything' : state.query} – ${name}${place}`;
  return { title, main, canonical: breakdownAddress(asked), section: 'search', mainClass: 'wide' };
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
