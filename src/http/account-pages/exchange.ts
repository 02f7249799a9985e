// The way of every request to an account page: origin, session, token, handler, sending the answer.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SecurityEvent } from '../../accounts/security-log.ts';
import { ServiceError } from '../../errors.ts';
import { KEYS_PATH, signInAddress } from '../addresses/pages.ts';
import { noteRefusal } from '../answers/problems.ts';
import { checkOrigin } from '../request-checks.ts';
import { callerSignal } from '../requests/caller.ts';
import { formField, type Handler } from '../site/page-paths.ts';
import {
  frameOf,
  readPlainCookie,
  sendPage,
  sendRedirect,
  setPageHeaders,
  setPlainCookie,
} from '../site/respond.ts';
import { messageWords } from '../views/error-page.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import { type Answer, NOTICE_AGE, NOTICE_COOKIE, noticeOf, type PrivateVisit, type Visit } from './answer.ts';
import { READ_ONLY } from './forms.ts';
import { formPage, TOKEN_FIELD } from './frame.ts';

/** null: nothing has this address, or not for this person. */
type Result = Answer | null | Promise<Answer | null>;

export type VisitorHandler = (context: AccountContext, visit: Visit) => Result;
export type PrivateHandler = (context: AccountContext, visit: PrivateVisit) => Result;

/** A page for everybody. */
export function visitorShow(context: AccountContext, show: VisitorHandler): Handler {
  return async (request, reply) => {
    const formToken = context.sessions.visitorToken(request, reply);
    return send(context, request, reply, await show(context, visitOf(context, request, reply, formToken)));
  };
}

/** A form of a page for everybody. */
export function visitorChange(context: AccountContext, change: VisitorHandler): Handler {
  return (request, reply) =>
    refusing(context, request, reply, async () => {
      checkOrigin(request, context.site.visitors.of(request).ownAddress);
      context.sessions.checkVisitorToken(request, formField(request, TOKEN_FIELD) ?? '');
      const visit = visitOf(context, request, reply, context.sessions.visitorToken(request, reply));
      return send(context, request, reply, await change(context, visit));
    });
}

/** A page for people who are signed in; others are asked to sign in, and return to it. */
export function privateShow(context: AccountContext, show: PrivateHandler): Handler {
  return async (request, reply) => {
    const viewer = context.sessions.signedIn(request);
    if (viewer === null) return send(context, request, reply, signInFirst(request.raw.url ?? KEYS_PATH));
    const visit = { ...visitOf(context, request, reply, viewer.formToken), viewer };
    return send(context, request, reply, await show(context, visit));
  };
}

/** A form for people who are signed in. `hasPage`: the path also has a page to return to. */
export function privateChange(context: AccountContext, change: PrivateHandler, hasPage: boolean): Handler {
  return (request, reply) =>
    refusing(context, request, reply, async () => {
      checkOrigin(request, context.site.visitors.of(request).ownAddress);
      const viewer = context.sessions.signedIn(request);
      if (viewer === null) {
        return send(context, request, reply, signInFirst((hasPage && request.raw.url) || KEYS_PATH));
      }
      const visit = { ...visitOf(context, request, reply, viewer.formToken), viewer };
      context.sessions.checkToken(viewer, visit.field(TOKEN_FIELD));
      return send(context, request, reply, await change(context, visit));
    });
}

/** Sends the answer; null: 404. */
export async function send(
  context: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer | null,
): Promise<FastifyReply> {
  if (answer === null) {
    throw new ServiceError('not_found', 'expected something in this account, found nothing at this address');
  }
  for (const event of eventsOf(answer)) {
    const { address } = context.site.visitors.of(request);
    context.security({ ...event, id: request.id, address, route: request.routeOptions.url ?? '' });
  }
  switch (answer.kind) {
    case 'page':
      return sendAccountPage(context, request, reply, answer);
    case 'redirect':
      followUp(context, request, reply, answer);
      return sendRedirect(context.site, reply, answer.to);
    case 'file':
      setPageHeaders(context.site, reply);
      return reply
        .headers({
          'Cache-Control': 'no-store',
          'Content-Type': answer.type,
          'Content-Disposition': `attachment; filename="${answer.name}"`,
        })
        .send(Buffer.from(answer.body));
  }
}

/** What whoever guards the server is told of. */
function eventsOf(answer: Answer): SecurityEvent[] {
  const told = answer.kind !== 'file' && answer.event !== undefined ? [answer.event] : [];
  const session = answer.kind === 'redirect' ? answer.session : undefined;
  if (session === undefined || session === 'end') return told;
  return [...told, { security: 'signed_in', account: session.start }];
}

async function sendAccountPage(
  { site, accounts }: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { page, status = 200, retryAfter }: Answer & { readonly kind: 'page' },
): Promise<FastifyReply> {
  if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter));
  const notice = readPlainCookie(site, request, NOTICE_COOKIE);
  if (notice !== null) {
    setPlainCookie(site, request, reply, { name: NOTICE_COOKIE, value: '', maxAge: 0 });
  }
  const flash = noticeOf(notice) ?? (accounts.isReadOnly && status === 200 ? READ_ONLY : undefined);
  const frame = await frameOf(site, request);
  const withNotice = flash === undefined ? page : { ...page, flash };
  return sendPage(site, request, reply, frame, withNotice, { status, isSecret: true });
}

function followUp(
  { site, sessions, browsers, halves }: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { notice, session, half, forgotten }: Answer & { readonly kind: 'redirect' },
): void {
  if (notice !== undefined) {
    setPlainCookie(site, request, reply, { name: NOTICE_COOKIE, value: notice, maxAge: NOTICE_AGE });
  }
  if (forgotten !== undefined) browsers.forget(request, reply, forgotten);
  if (half !== undefined) halves.start(request, reply, half);
  if (session === 'end') sessions.forget(request, reply);
  else if (session !== undefined) {
    sessions.start(request, reply, session.start);
    browsers.remember(request, reply, session.start);
    halves.end(request, reply);
  }
}

function signInFirst(here: string): Answer {
  return { kind: 'redirect', to: signInAddress(here), notice: 'signed-in-needed' };
}

function visitOf(
  { site }: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  formToken: string,
): Visit {
  return {
    request,
    field: (name) => formField(request, name) ?? '',
    network: site.visitors.of(request).network,
    signal: callerSignal(reply),
    formToken,
  };
}

/** If a change is refused because of its origin, the page says what to do. */
async function refusing(
  context: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error;
    noteRefusal(request, error);
    const body = html`<h1>This form was not accepted</h1>
<p>Nothing was changed.</p>
<p>${messageWords(error.message)}</p>
<p><a class="button" href="${KEYS_PATH}">My API</a></p>`;
    const page = formPage('This form was not accepted', body);
    return send(context, request, reply, { kind: 'page', status: 403, page });
  }
}
