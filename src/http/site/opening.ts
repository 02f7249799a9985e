// The site, put together: what pages load from us (a stylesheet, a script and an icon, under names made from their
// content, so that caches keep them for ever), what they share, and errors outside the API as pages.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '../../errors.ts';
import { withNewNames } from '../addresses.ts';
import { BUSY_FORM_PAGE, BUSY_HEADERS, BUSY_PAGE } from '../answers/problems.ts';
import { type KeptCodings, sendRepresentation } from '../answers/representation.ts';
import type { Visitors } from '../requests/caller.ts';
import { networkBuckets } from '../requests/limits.ts';
import { Sessions, type SignedIn } from '../session.ts';
import { errorPage, pageOfError } from '../views/error-page.ts';
import { trusted } from '../views/html.ts';
import { addFormParser, addRead, Visit } from './respond.ts';
import type { LoadedAssets, Site } from './site.ts';

/** Later ones override earlier ones. */
const STYLES = [
  ...['base', 'frame', 'forms', 'search', 'home', 'results', 'reading', 'side', 'pictures', 'compare'],
  ...['words', 'docs', 'cite', 'accounts', 'settings', 'screens'],
];

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const FOR_EVER = 'public, max-age=31536000, immutable';

/** Reads src/web/ and adds a route for each file that is served. */
function addAssets(server: FastifyInstance): LoadedAssets {
  // Comments of the script are on lines of their own.
  const written = read('page.js').replace(/^\s*(?:\/\/.*|\/\*\*[\s\S]*?\*\/)$/gm, '');
  const script = addAsset(server, 'page.js', written.replace(/\n\s+/g, '\n'));
  const drawn = read('icon.svg');
  const icon = addAsset(server, 'icon.svg', drawn);
  const styles = STYLES.map((name) => read(`styles/${name}.css`)).join('\n');
  const style = addAsset(server, 'style.css', squeezeStyle(styles));
  const paths = drawn.slice(drawn.indexOf('<path'), drawn.lastIndexOf('</svg>'));
  const mark = trusted(`<svg class="logo" viewBox="0 0 32 32">${paths}</svg>`);
  return { style, script, icon, mark, policy: POLICY };
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Serves `body` for ever, and returns its path: the file name with a digest before its extension. */
function addAsset(server: FastifyInstance, fileName: string, body: string): string {
  const [name = '', ending = ''] = fileName.split('.');
  const path = `/assets/${name}-${hash('sha256', body).slice(0, 12)}.${ending}`;
  const type = TYPES[ending] ?? 'text/plain; charset=utf-8';
  const codings: KeptCodings = new Map();
  addRead(server, path, async (request, reply) => {
    reply.header('Cross-Origin-Resource-Policy', 'same-origin');
    return sendRepresentation(request, reply, { body, type, caching: FOR_EVER, codings });
  });
  return path;
}

/** Comments and indentation are only for us. The sheet contains no strings in which they could matter. */
function squeezeStyle(style: string): string {
  return style
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim();
}

function read(name: string): string {
  return readFileSync(new URL(`../../web/${name}`, import.meta.url), 'utf8');
}

/** Searches of visitors: 60 a minute from one network, 30 at once. */
const VISITOR_SEARCHES = { burst: 30, msOfToken: 1_000 };

/** What pages ask with, as the API does. */
type Asking = Pick<Site, 'accountLimiter' | 'admission' | 'archive' | 'bytes' | 'features' | 'security'>;

/** Adds the routes. Returns the site, to which features add their pages. */
export function addPageRoutes(server: FastifyInstance, visitors: Visitors, asking: Asking): Site {
  const sessions = new Sessions(asking.archive.accounts.sessions, visitors);
  const { entrance = null } = asking.features.find((feature) => feature.entrance !== undefined) ?? {};
  const site: Site = {
    ...asking,
    sessions,
    ...{ entrance, canRegister: entrance?.canRegister(asking.archive) ?? false },
    assets: addAssets(server),
    visitors,
    visitorLimit: networkBuckets(VISITOR_SEARCHES),
  };
  addFormParser(server);
  server.addHook('onRoute', (route) => {
    if (route.method === 'POST' || route.url.startsWith('/api/')) return;
    route.preHandler = async (request, reply) => {
      const address = request.raw.url ?? '';
      const renamed = withNewNames(address);
      if (renamed !== address) return new Visit(site, request, reply).redirect(renamed);
    };
  });
  return site;
}

/** null, too, if it cannot be found out: that may be the error itself. */
function viewerIfKnown({ sessions }: Site, request: FastifyRequest): SignedIn | null {
  try {
    return sessions.signedIn(request);
  } catch {
    return null;
  }
}

export function errorSender(site: Site) {
  return async (error: ServiceError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isSent = !['GET', 'HEAD'].includes(request.method);
    if (error.code === 'busy')
      return reply
        .code(error.status)
        .headers(BUSY_HEADERS)
        .send(isSent ? BUSY_FORM_PAGE : BUSY_PAGE);
    const visit = new Visit(site, request, reply, viewerIfKnown(site, request));
    const frame = isSent ? { ...visit.frame, here: '/' } : visit.frame;
    const { queryTimeoutMs: timeoutMs } = site.archive.config;
    const view = { error, requestId: request.id, isSent, state: null, timeoutMs };
    return visit.send(pageOfError(error, errorPage(frame, view)), { status: error.status, frame });
  };
}
