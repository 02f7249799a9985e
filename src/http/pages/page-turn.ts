// The turn of a page that asks the engine, and what people must not do: search too often, or, if they are not signed
// in, go beyond the first page. Contract 7.4, 8.1, 12.1 and 15.1.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { RECORD_PATHS } from '../addresses/reading.ts';
import {
  BREAKDOWN_FILE,
  COMPARE_FILE,
  COMPARE_PAGE,
  PICTURES_FILE,
  PICTURES_PAGE,
  TIMELINE_FILE,
} from '../addresses/tables.ts';
import { limitNetwork, tooManyRequests } from '../limits/request-limits.ts';
import { callerName, callerSignal } from '../requests/caller.ts';
import type { Site } from '../site/site.ts';
import type { Frame, Viewer } from '../views/layout.ts';

/** Each counts for the limit of visitors, and goes through the door. */
export const SEARCH_PATHS: readonly string[] = [
  ...['/search', '/breakdown', BREAKDOWN_FILE, TIMELINE_FILE, PICTURES_PAGE, PICTURES_FILE],
  ...[
    COMPARE_PAGE,
    COMPARE_FILE,
    '/thread/:post',
    ...Object.values(RECORD_PATHS).map((path) => `${path}/:id`),
  ],
];

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
