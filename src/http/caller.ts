// Whether the caller of a request is still there: what nobody waits for any more is not worked on.

import type { FastifyReply } from 'fastify';
import { ServiceError } from '../errors.ts';

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
