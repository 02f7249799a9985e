// The pages of searching: start page, results, one breakdown with all its rows.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEMS, ServiceError } from '../../errors.ts';
import { writtenItems } from '../../search/edit-query.ts';
import type { PageResult } from '../../search/page-service.ts';
import { aliasHint, mendedQuery, operatorHint, repairsOf } from '../../search/repairs.ts';
import { addressGroup, clientAddress } from '../client-address.ts';
import { serviceErrorOf } from '../problems.ts';
import { breakdownTable } from '../views/breakdowns.ts';
import { chips } from '../views/chips.ts';
import { errorPage, queryErrorPage } from '../views/error-page.ts';
import { count } from '../views/format.ts';
import { homePage } from '../views/home-page.ts';
import { html } from '../views/html.ts';
import type { Frame, Page } from '../views/layout.ts';
import { searchForm } from '../views/search-form.ts';
import { KIND_NAMES, rowLinks, searchPage, totalWords } from '../views/search-page.ts';
import { addPageRead } from './page-read.ts';
import {
  type BreakdownState,
  breakdownAddress,
  LIST_NAMES,
  readBreakdownState,
  readSearchState,
  type SearchState,
  searchAddress,
} from './page-state.ts';
import { frameOf, type Site, sendPage } from './respond.ts';

/** Rows of the page of one breakdown. */
export const MAX_BREAKDOWN_ROWS = 1000;

export function addSearchPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, '/', (request, reply) => answerHome(site, request, reply));
  addPageRead(server, '/search', (request, reply) => answerSearch(site, request, reply));
  addPageRead(server, '/breakdown', (request, reply) => answerBreakdown(site, request, reply));
}

async function answerHome(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const main = homePage(await site.service.stats());
  const page: Page = {
    title: 'Search',
    main,
    canonical: '/',
    isListed: true,
    section: 'search',
    mainClass: 'home',
  };
  return sendPage(site, request, reply, await frameOf(site, request), page);
}

async function answerSearch(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const state = readSearchState(request.raw.url ?? '');
  if (state === null) return answerHome(site, request, reply);
  const frame = await frameOf(site, request);
  try {
    limitVisitors(site, request, frame);
    const page = await pageOfSearch(site, frame, state);
    return await sendPage(site, request, reply, frame, page);
  } catch (error) {
    return sendSearchError(site, request, reply, { frame, state, error });
  }
}

async function pageOfSearch(site: Site, frame: Frame, state: SearchState): Promise<Page> {
  const isVisitor = frame.viewer === null;
  if (isVisitor && state.after !== null) {
    throw new ServiceError('forbidden', 'expected the first page, since nobody is signed in, found a cursor');
  }
  const began = performance.now();
  const limit = isVisitor ? Math.min(site.visitorResults, state.limit) : state.limit;
  const result = await site.service.page({ ...state, limit, cut: isVisitor ? limit : null });
  const tookMs = performance.now() - began;
  const repairs = await repairsFor(site, state, result);
  const view = {
    state,
    result,
    repairs,
    hints: [operatorHint(state.query), aliasHint(state.query)].filter((hint) => hint !== null),
    visitorResults: isVisitor ? site.visitorResults : null,
    tookMs,
    now: Date.now() / 1000,
  };
  const name = state.query === '' ? 'Everything' : state.query;
  const page = state.after === null ? '' : ' – further page';
  const total = totalWords(state.kind, result.totals[state.kind] ?? 0);
  return {
    title: `${name} – ${total}${page}`,
    main: searchPage(frame, view),
    canonical: searchAddress(state),
    section: 'search',
    mainClass: 'wide',
  };
}

async function repairsFor(site: Site, { kind }: SearchState, result: PageResult) {
  if (result.totals[kind] !== 0) return [];
  const other = result.totals[kind === 'post' ? 'comment' : 'post'];
  return repairsOf(site.service, kind, result.interpretation, other);
}

interface FailedSearch {
  readonly frame: Frame;
  readonly state: SearchState;
  readonly error: unknown;
}

/** Errors that a searcher can act on; all others are thrown on. */
function sendSearchError(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { frame, state, error }: FailedSearch,
): Promise<FastifyReply> {
  const known = serviceErrorOf(error);
  if (known.code === 'internal_error') throw error;
  if (known.retryAfter !== undefined) reply.header('Retry-After', String(Math.ceil(known.retryAfter)));
  else if (known.status === 503) reply.header('Retry-After', '5');
  const { position } = known;
  const main =
    position === undefined
      ? errorPage(frame, { error: known, requestId: request.id, state, timeoutMs: site.service.timeoutMs })
      : queryErrorPage(state, known, mendedQuery(state.query, known.code, position));
  const title = `Error: ${PROBLEMS[known.code].title.replaceAll('`', '')}`;
  const page: Page = { title, main, section: 'search', mainClass: 'wide' };
  return sendPage(site, request, reply, frame, page, { status: known.status });
}

/** Rule 4 of "Authentication, errors, limits" in the decisions. */
function limitVisitors(site: Site, request: FastifyRequest, frame: Frame): void {
  if (frame.viewer !== null) return;
  const { allowed, retryAfter } = site.visitorLimiter.take(
    addressGroup(clientAddress(request, site.proxies)),
  );
  if (allowed) return;
  throw new ServiceError(
    'too_many_requests',
    `expected fewer searches from one address, found one more; try again in ${retryAfter} s`,
    { retryAfter },
  );
}

async function answerBreakdown(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = readBreakdownState(request.raw.url ?? '');
  const frame = await frameOf(site, request);
  const state: SearchState = { ...asked, order: 'newest', after: null, limit: 25 };
  try {
    limitVisitors(site, request, frame);
    const page = await pageOfBreakdown(site, asked, state);
    return await sendPage(site, request, reply, frame, page);
  } catch (error) {
    return sendSearchError(site, request, reply, { frame, state, error });
  }
}

async function pageOfBreakdown(site: Site, asked: BreakdownState, state: SearchState): Promise<Page> {
  const { kind, field } = asked;
  const { interpretation, total, breakdown } = await site.service.breakdown({
    ...asked,
    size: MAX_BREAKDOWN_ROWS,
  });
  const address = (query: string) => searchAddress({ ...state, query });
  const name = `${LIST_NAMES[kind]} by ${field === 'domain' ? 'source domain' : 'subreddit'}`;
  const links = rowLinks(field, writtenItems(interpretation), address);
  const shown = breakdown.rows.length;
  const main = html`${searchForm(state)}
${chips(interpretation, (query) => breakdownAddress({ ...asked, query }))}
<h1 id="all" class="apart">${count(breakdown.distinct)} ${field === 'domain' ? 'domains' : 'subreddits'}</h1>
<p class="lead">${totalWords(kind, total)} by ${field === 'domain' ? 'source domain' : 'subreddit'}. <a href="${address(state.query)}">Back to the ${KIND_NAMES[kind]}s</a></p>
${shown < breakdown.distinct ? html`<p class="hint">The first ${count(shown)} of them.</p>` : null}
<div class="panel narrow">${breakdownTable({ id: 'all', title: name, breakdown, all: null, ...links })}</div>`;
  const title = `${state.query === '' ? 'Everything' : state.query} – ${name}`;
  return { title, main, canonical: breakdownAddress(asked), section: 'search', mainClass: 'wide' };
}
