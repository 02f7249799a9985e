// Whether the caller of a request is still there, and may still ask: what nobody waits for any more is not worked on.

import type { FastifyReply } from 'fastify';
import { ServiceError } from '../errors.ts';

/** Milliseconds. */
const ASKED_AGAIN_EVERY = 1000;

/**
 * For answers that take long: breaks the connection within seconds once the caller may not ask any more, or nobody can
 * tell. `mayAsk`: whether the key or session of the request is still valid.
 */
export function breakOffUnless(mayAsk: () => boolean | Promise<boolean>, { raw }: FastifyReply): void {
  const timer = setInterval(async () => {
    try {
      if (await mayAsk()) return;
    } catch {}
    raw.destroy();
  }, ASKED_AGAIN_EVERY).unref();
  raw.once('close', () => clearInterval(timer));
}

/** Aborted when the connection closes before the answer has been made. Nobody reads the reason. */
export function callerSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.writableEnded) return;
    const words = 'expected a caller that waits for the answer, found the connection closed';
    controller.abort(new ServiceError('malformed_request', words));
  });
  return controller.signal;
}
