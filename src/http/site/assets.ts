// What the pages load from us: one stylesheet, one script and one icon, under names made from their content, so
// that caches keep them for ever.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type KeptCodings, sendRepresentation } from '../answers/representation.ts';
import type { PageAssets } from '../views/layout.ts';
import { addPageRead } from './page-paths.ts';

export interface LoadedAssets extends PageAssets {
  /** `Content-Security-Policy` of a page. */
  readonly policy: string;
}

/** Later ones override earlier ones. */
const STYLES = [
  'base',
  'frame',
  'forms',
  'search',
  'home',
  'results',
  'reading',
  'side',
  'pictures',
  'compare',
  'words',
  'docs',
  'cite',
  'accounts',
  'settings',
  'screens',
];

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const FOR_EVER = 'public, max-age=31536000, immutable';

/** Reads src/web/ and adds a route for each file that is served. */
export function addAssets(server: FastifyInstance): LoadedAssets {
  const script = addAsset(server, 'page.js', read('page.js'));
  const icon = addAsset(server, 'icon.svg', read('icon.svg'));
  const style = addAsset(server, 'style.css', styleOf(STYLES).replaceAll('url(icon.svg)', `url(${icon})`));
  return { style, script, icon, policy: POLICY };
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Serves `body` for ever, and returns its path: the file name with a digest before its extension. */
function addAsset(server: FastifyInstance, fileName: string, body: string): string {
  const [name = '', ending = ''] = fileName.split('.');
  const path = `/assets/${name}-${digest(body).slice(0, 12)}.${ending}`;
  const type = TYPES[ending] ?? 'text/plain; charset=utf-8';
  const codings: KeptCodings = new Map();
  addPageRead(server, path, (request, reply) => {
    reply.header('Cross-Origin-Resource-Policy', 'same-origin');
    return sendRepresentation(request, reply, { body, type, caching: FOR_EVER, codings });
  });
  return path;
}

function styleOf(names: readonly string[]): string {
  return squeezeStyle(names.map((name) => read(`styles/${name}.css`)).join('\n'));
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

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
