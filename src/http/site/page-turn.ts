// The turn of a page that asks the engine, what it answers besides pages, and what people must not do: search too
// often, or, if they are not signed in, go beyond the first page. Contract 7.4, 8.1, 12.1 and 15.1.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CsvTable, csvLines, type Scope, scopeOf } from '../../analysis/asking.ts';
import { ServiceError } from '../../errors.ts';
import { mendedQuery } from '../../search/mended-query.ts';
import type { SearchState } from '../addresses/search.ts';
import { inPieces } from '../answers/json-pieces.ts';
import { noteRefusal, problemHeaders, serviceErrorOf } from '../answers/problems.ts';
import { CSV_TYPE, REVALIDATED, sendRepresentation } from '../answers/representation.ts';
import { limitNetwork, tooManyRequests } from '../limits/request-limits.ts';
import { callerName, callerSignal } from '../requests/caller.ts';
import { errorPage, pageOfError, queryErrorPage } from '../views/error-page.ts';
import type { Frame, Page, Viewer } from '../views/layout.ts';
import { frameOf, sendPage } from './respond.ts';
import type { Site } from './site.ts';

interface PageTurn extends Disposable {
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

/** A place at work until it is disposed of. `viewer`: who is signed in. Throws `busy`. */
export async function turnOf(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { viewer }: { readonly viewer: Viewer | null },
): Promise<PageTurn> {
  const signal = callerSignal(reply);
  const caller = callerName(viewer ?? site.visitors.of(request));
  const place = await site.admission.enter({ caller, sort: request.routeOptions.url ?? '', signal });
  return { signal, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

/** Counts one search of this account or network. Throws `too_many_requests`. */
export function limitSearches(site: Site, request: FastifyRequest, { viewer }: Pick<Frame, 'viewer'>): void {
  if (viewer !== null) {
    const allowance = site.accountLimiter?.take(callerName(viewer));
    if (allowance !== undefined && !allowance.allowed) throw tooManyRequests(allowance);
    return;
  }
  limitNetwork(site.visitorLimit, site.visitors.of(request).network, 'searches');
}

/** Throws `forbidden` if a visitor asks for a page by its cursor. */
export function checkFirstPage(frame: Frame, { after }: { readonly after: string | number | null }): void {
  if (frame.viewer !== null || after === null || after === 0) return;
  throw new ServiceError('forbidden', 'expected the first page, since nobody is signed in, found a cursor');
}

/** Answers what is asked about a search, in its turn; errors that a searcher can act on are shown beside it. */
export async function answerAbout(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  state: SearchState,
  answer: (frame: Frame, signal: AbortSignal) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const frame = await frameOf(site, request);
  try {
    limitSearches(site, request, frame);
    using turn = await turnOf(site, request, reply, frame);
    return await answer(frame, turn.signal);
  } catch (error) {
    return sendSearchError(site, request, reply, { frame, state, error });
  }
}

interface FailedSearch {
  readonly frame: Frame;
  readonly state: SearchState;
  readonly error: unknown;
}

/** Errors that a searcher can act on; all others, and `busy`, are rethrown. */
export function sendSearchError(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { frame, state, error }: FailedSearch,
): Promise<FastifyReply> {
  const known = serviceErrorOf(error);
  if (known.code === 'internal_error' || known.code === 'busy') throw error;
  noteRefusal(request, known);
  reply.headers(problemHeaders(known));
  const { position } = known;
  const main =
    position === undefined
      ? errorPage(frame, {
          ...{ error: known, requestId: request.id, isSent: false, state },
          timeoutMs: site.analysis.queryTimeoutMs,
        })
      : queryErrorPage(state, known, mendedQuery(state.query, known.code, position));
  const page: Page = { ...pageOfError(known, main), section: 'search' };
  return sendPage(site, request, reply, frame, page, { status: known.status });
}

/** What shares are of on pages. */
export function scopeOfSearch(site: Site, query: string): Scope {
  return scopeOf(site.archive.search.interpret(query).query, 'scope')!;
}

export async function sendTable(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  table: CsvTable,
): Promise<FastifyReply> {
  reply.header('Content-Disposition', `attachment; filename="${name}"`);
  return await sendRepresentation(request, reply, {
    ...{ body: await inPieces(csvLines(table, 'csv-excel')), type: CSV_TYPE },
    ...{ caching: REVALIDATED, vary: ['Cookie'] },
  });
}
