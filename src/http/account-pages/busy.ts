// The answer where no password can be checked at the moment: one page, made once, sent before a request is read.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectRoomForHash } from '../../accounts/password.ts';
import { ServiceError } from '../../errors.ts';
import { SIGN_IN_PATH } from '../addresses.ts';
import { problemHeaders } from '../problems.ts';
import { type Site, setPageHeaders } from '../site/respond.ts';
import { html } from '../views/html.ts';
import { layout } from '../views/layout.ts';
import type { AccountContext } from './account-context.ts';
import { formPage } from './frame.ts';

/** The same for everybody: it names nobody, and its theme is that of the browser. */
export function busyPage(site: Site): Buffer {
  const body = html`<h1>Too many people are signing in</h1>
<p>The server checks one password after the other, and the line is full. Nothing was changed.</p>
<p>Wait 5 seconds, go back, and send the form again.</p>`;
  const frame = {
    viewer: null,
    theme: 'auto',
    here: SIGN_IN_PATH,
    publicAddress: '',
    isSample: false,
    hasDatasets: false,
    hasCoverage: site.hasCoverage,
    canRegister: site.canRegister(),
    assets: site.assets,
  } as const;
  return Buffer.from(layout(frame, formPage('Error: Too many people are signing in', body)).toString());
}

export function sendBusy(context: AccountContext, reply: FastifyReply, error: ServiceError): FastifyReply {
  setPageHeaders(context.site, reply);
  return reply
    .code(error.status)
    .headers({
      ...problemHeaders(error),
      'Cache-Control': 'no-store',
      'Content-Type': 'text/html; charset=utf-8',
    })
    .send(context.busyPage);
}

/** For forms with a password: refuses what would find the line full, before its body is read. */
export function refuseWhileBusy(
  context: AccountContext,
  isKnown: (request: FastifyRequest) => boolean,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined> {
  return async (request, reply) => {
    try {
      expectRoomForHash(isKnown(request) ? 'known' : 'strangers');
      return undefined;
    } catch (error) {
      if (!isBusy(error)) throw error;
      return sendBusy(context, reply, error);
    }
  };
}

export function isBusy(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'busy';
}
