// What visitors who are not signed in must not do: search too often, or go beyond the first page. Contract
// 7.4 and 8.1.

import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Site } from '../site/respond.ts';
import type { Frame } from '../views/layout.ts';

/** Throws `too_many_requests`. */
export function limitVisitors(site: Site, request: FastifyRequest, frame: Frame): void {
  if (frame.viewer !== null) return;
  const { allowed, retryAfter } = site.visitorLimiter.take(site.visitors.of(request).network);
  if (allowed) return;
  throw new ServiceError(
    'too_many_requests',
    `expected fewer searches from one address, found one too many; try again in ${retryAfter} s`,
    { retryAfter },
  );
}

/** Throws `forbidden` if a visitor asks for a page by its cursor. */
export function checkFirstPage(frame: Frame, { after }: { readonly after: string | number | null }): void {
  if (frame.viewer !== null || after === null || after === 0) return;
  throw new ServiceError('forbidden', 'expected the first page, since nobody is signed in, found a cursor');
}
