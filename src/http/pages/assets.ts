// What the pages load from us: one script and one icon under names made of their content, to be kept for ever; the
// stylesheet stands in the page itself, allowed by its hash.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { sendRepresentation } from '../representation.ts';
import type { PageAssets } from '../views/layout.ts';
import { addPageRead } from './page-read.ts';

export interface LoadedAssets extends PageAssets {
  /** `Content-Security-Policy` of a page. */
  readonly policy: string;
}

/** Later ones come over earlier ones. Pages of searching need no more than SEARCH_STYLES. */
const STYLES = ['base', 'frame', 'forms', 'search', 'results', 'side', 'words', 'accounts', 'screens'];

const SEARCH_STYLES = STYLES.filter((name) => name !== 'words' && name !== 'accounts');

const FOR_EVER = 'public, max-age=31536000, immutable';

/** Reads src/web/ and adds a route for each file that is served. */
export function addAssets(server: FastifyInstance): LoadedAssets {
  const style = styleOf(STYLES);
  const searchStyle = styleOf(SEARCH_STYLES);
  const script = addAsset(server, 'page', 'js', 'text/javascript; charset=utf-8');
  const icon = addAsset(server, 'icon', 'svg', 'image/svg+xml');
  return { style, searchStyle, script, icon, policy: contentPolicy([style, searchStyle]) };
}

function addAsset(server: FastifyInstance, name: string, ending: string, type: string): string {
  const body = read(`${name}.${ending}`);
  const path = `/assets/${name}-${digest(body, 'hex').slice(0, 12)}.${ending}`;
  addPageRead(server, path, (request, reply) => {
    reply.header('Cross-Origin-Resource-Policy', 'same-origin');
    return sendRepresentation(request, reply, { body, type, caching: FOR_EVER });
  });
  return path;
}

function contentPolicy(styles: readonly string[]): string {
  const hashes = styles.map((style) => `'sha256-${digest(style, 'base64')}'`);
  return [
    "default-src 'none'",
    `style-src ${hashes.join(' ')}`,
    "script-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function styleOf(names: readonly string[]): string {
  return squeezeStyle(names.map((name) => read(`styles/${name}.css`)).join('\n'));
}

/** Comments and indentation are for us alone. The sheet holds no texts in which they could matter. */
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

function digest(text: string, encoding: 'hex' | 'base64'): string {
  return createHash('sha256').update(text).digest(encoding);
}
