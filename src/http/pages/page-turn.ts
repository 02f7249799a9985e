// The turn of a page that asks the engine. Contract 12.1.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerSignal } from '../caller.ts';
import { callerName } from '../caller-name.ts';
import type { Site } from '../site/respond.ts';
import type { Viewer } from '../views/layout.ts';

export interface PageTurn extends Disposable {
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
