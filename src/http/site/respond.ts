// How pages are sent: what all pages share, the frame for a request, and the headers of a page.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
import { PAGE_HEADERS } from '../answers/headers.ts';
import { REVALIDATED, sendRepresentation } from '../answers/representation.ts';
import { callerName } from '../requests/caller.ts';
import { hostCookieName, readCookie, setCookie } from '../session.ts';
import { type Frame, layout, type Page, readSettings } from '../views/layout.ts';
import type { NavigationEntry, Site } from './site.ts';

export const SETTINGS_COOKIE = 'colloquy_settings';

export async function frameOf(site: Site, request: FastifyRequest): Promise<Frame> {
  const viewer = await site.viewer(request);
  return {
    viewer,
    settings: readSettings(readPlainCookie(site, request, SETTINGS_COOKIE)),
    here: request.raw.url ?? '/',
    publicAddress: site.visitors.of(request).ownAddress,
    isSample: site.archive.isSample(),
    navigation: site.features.flatMap(({ name, navigation }) =>
      isShown(site, navigation) ? [{ section: name, ...navigation }] : [],
    ),
    entrance: site.entrance,
    canRegister: site.entrance?.canRegister(site.archive) ?? false,
    assets: site.assets,
  };
}

/** Whether this archive has what the entry leads to. */
export function isShown({ archive }: Site, entry: NavigationEntry | undefined): entry is NavigationEntry {
  return entry !== undefined && entry.isShown?.(archive) !== false;
}

/** Waits for room for a page with records. Throws as `BytesUnderWay.hold` does. */
export function holdPage(
  { bytes, visitors }: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { viewer }: Frame,
  signal: AbortSignal,
): Promise<void> {
  const caller = callerName(viewer ?? visitors.of(request));
  return bytes.hold(reply.raw, { caller, mostBytes: MAX_PAGE_BYTES }, signal);
}

interface SendOptions {
  /** Absent: 200. */
  readonly status?: number;
  /** Nobody may store it: for pages of an account, and errors. */
  readonly isSecret?: boolean;
}

export async function sendPage(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  frame: Frame,
  page: Page,
  { status = 200, isSecret = status !== 200 }: SendOptions = {},
): Promise<FastifyReply> {
  setPageHeaders(site, reply);
  if (!page.isListed) reply.header('X-Robots-Tag', 'noindex');
  const body = layout(frame, page).toString();
  const type = 'text/html; charset=utf-8';
  if (!isSecret && status === 200) {
    const sent = { body, type, caching: REVALIDATED, vary: ['Cookie'], effort: 'quick' } as const;
    return sendRepresentation(request, reply, sent);
  }
  reply.code(status).headers({ 'Cache-Control': 'no-store', 'Content-Type': type, Vary: 'Cookie' });
  return reply.send(Buffer.from(body));
}

/** On every page and redirect. */
export function setPageHeaders(site: Site, reply: FastifyReply): void {
  reply.headers({ 'Content-Security-Policy': site.assets.policy, ...PAGE_HEADERS });
}

/** Redirects to a path of this site, by GET. */
export function sendRedirect(site: Site, reply: FastifyReply, to: string): FastifyReply {
  setPageHeaders(site, reply);
  return reply.code(303).headers({ Location: to, 'Cache-Control': 'no-store' }).send();
}

/** The page to sign in, which leads back to `here`. Throws `forbidden` where nobody can. */
export function signInPath({ entrance }: Site, here = '/'): string {
  if (entrance !== null) return entrance.signIn(here);
  throw new ServiceError('forbidden', 'expected somebody who is signed in, found a server without accounts');
}

/** Redirects there. */
export function sendToSignIn(site: Site, reply: FastifyReply, here: string): FastifyReply {
  return sendRedirect(site, reply, signInPath(site, here));
}

/** Sets a cookie for this browser whose value is not secret. `maxAge` in seconds. */
export function setPlainCookie(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, value, maxAge }: { readonly name: string; readonly value: string; readonly maxAge: number },
): void {
  const { isTls } = site.visitors.of(request);
  setCookie(reply, hostCookieName(name, isTls), value, { secure: isTls, maxAge });
}

/** The value of a cookie that `setPlainCookie` set; null: none. */
export function readPlainCookie(site: Site, request: FastifyRequest, name: string): string | null {
  return readCookie(request, hostCookieName(name, site.visitors.of(request).isTls));
}
