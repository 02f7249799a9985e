// The interactive reference: Swagger UI over the public OpenAPI document, with its files sent by this server.
// Only the files of @fastify/swagger-ui are used: its plugin brings paths with wildcards, more copies of the document
// and a page without our frame.

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { referencePage } from '../views/reference-page.ts';
import { addAsset } from './assets.ts';
import { addPageRead } from './page-read.ts';
import { frameOf, type Site, sendPage } from './respond.ts';

export const REFERENCE_PATH = '/docs/reference';

/** Swagger UI writes markup of its own and draws icons from `data:`; it gets no source outside of this server. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function addReferencePage(server: FastifyInstance, site: Site): void {
  const assets = {
    styles: [
      addAsset(server, 'swagger-ui.css', readPackaged('swagger-ui.css')),
      addAsset(server, 'reference.css', readOwn('reference.css')),
    ],
    library: addAsset(server, 'swagger-ui.js', readPackaged('swagger-ui-bundle.js')),
    start: addAsset(server, 'reference.js', readOwn('reference.js')),
  };
  const page = {
    title: 'Interactive reference',
    main: referencePage(assets),
    canonical: REFERENCE_PATH,
    isListed: true,
    section: 'docs',
    mainClass: 'wide',
  } as const;
  addPageRead(server, REFERENCE_PATH, async (request, reply) => {
    const frame = await frameOf(site, request);
    return sendPage(site, request, reply, frame, page, { policy: POLICY });
  });
}

function readPackaged(name: string): string {
  const entry = import.meta.resolve('@fastify/swagger-ui');
  const text = readFileSync(new URL(`static/${name}`, entry), 'utf8');
  // The source map is not served.
  return text.replace(/\n?(?:\/\/# sourceMappingURL=.*|\/\*# sourceMappingURL=.*?\*\/)\s*$/, '\n');
}

function readOwn(name: string): string {
  return readFileSync(new URL(`../../web/${name}`, import.meta.url), 'utf8');
}
