// What people must not do: search too often, or, if they are not signed in, go beyond the first page.
// Contract 7.4, 8.1 and 15.1.

import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { callerName } from '../caller-name.ts';
import { seconds } from '../limit.ts';
import { tooManyRequests } from '../rate-limit.ts';
import type { Site } from '../site/respond.ts';
import type { Frame } from '../views/layout.ts';

/** Counts one search of this account or network. Throws `too_many_requests`. */
export function limitSearches(site: Site, request: FastifyRequest, { viewer }: Pick<Frame, 'viewer'>): void {
  if (viewer !== null) {
    const allowance = site.accountLimiter?.take(callerName(viewer));
    if (allowance !== undefined && !allowance.allowed) throw tooManyRequests(allowance);
    return;
  }
  const waitMs = site.visitorLimit.take(site.visitors.of(request).network);
  if (waitMs === 0) return;
  const retryAfter = seconds(waitMs);
  throw new ServiceError(
    'too_many_requests',
    `expected fewer searches from one network, found one too many; try again in ${retryAfter} s`,
    { retryAfter },
  );
}

/** Throws `forbidden` if a visitor asks for a page by its cursor. */
export function checkFirstPage(frame: Frame, { after }: { readonly after: string | number | null }): void {
  if (frame.viewer !== null || after === null || after === 0) return;
  throw new ServiceError('forbidden', 'expected the first page, since nobody is signed in, found a cursor');
}
