// The answer where no password can be checked at the moment: one small page, made once, and sent before a request is
// read. It has a style of its own, since that of the other pages would be most of its bytes.

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BUSY_RETRY_AFTER } from '../../accounts/gate.ts';
import { refusesHash } from '../../accounts/password.ts';
import { ServiceError } from '../../errors.ts';
import { noteRefusal } from '../answers/problems.ts';
import { setPageHeaders } from '../site/respond.ts';
import { html, trusted } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';

const STYLE =
  ':root{color-scheme:light dark}' +
  'body{margin:0 auto;max-width:34rem;padding:2.5rem 1rem;background:light-dark(#fff,#111417);' +
  'color:light-dark(#14171a,#e8ebee);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}' +
  'h1{font-size:1.75rem;line-height:1.25}a{color:light-dark(#0b57b0,#86b7ff)}';

const PAGE = Buffer.from(
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Error: Too many people are signing in – Colloquy</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<style>${trusted(STYLE)}</style>
</head>
<body>
<p><a href="/">Colloquy</a></p>
<main>
<h1>Too many people are signing in</h1>
<p>The line for checking passwords is full. Nothing was changed.</p>
<p>Wait ${BUSY_RETRY_AFTER} seconds, go back, and send the form again.</p>
</main>
</body>
</html>
`.toString(),
);

const HEADERS = {
  'Retry-After': String(BUSY_RETRY_AFTER),
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

const BUSY = new ServiceError('busy', 'expected room in the line for passwords, found it full');

export function sendBusy({ site }: AccountContext, reply: FastifyReply): FastifyReply {
  noteRefusal(reply.request, BUSY);
  setPageHeaders(site, reply);
  return reply.code(503).headers(HEADERS).send(PAGE);
}

/** For forms with a password: refuses what would find the line full, before its body is read. */
export function refuseWhileBusy(
  context: AccountContext,
  isKnown: (request: FastifyRequest) => boolean,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined> {
  return async (request, reply) =>
    refusesHash(isKnown(request) ? 'known' : 'strangers') ? sendBusy(context, reply) : undefined;
}

export function isBusy(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'busy';
}
