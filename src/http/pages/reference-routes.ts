// The reference: the OpenAPI document as a page of the documentation.

import type { FastifyInstance } from 'fastify';
import { addPageRead } from '../site/page-paths.ts';
import { frameOf, type Site, sendPage } from '../site/respond.ts';
import { docsPage } from '../views/docs-page.ts';
import { type OpenApi, referenceDocument } from '../views/reference-page.ts';
import { DOCUMENTS, REFERENCE_PATH } from './docs-routes.ts';

export function addReferencePage(server: FastifyInstance, site: Site): void {
  let document: OpenApi | null = null;
  addPageRead(server, REFERENCE_PATH, async (request, reply) => {
    // Complete once the server is ready.
    document ??= openApi(server.swagger());
    const frame = await frameOf(site, request);
    const main = docsPage({
      document: referenceDocument(document, frame.publicAddress),
      documents: DOCUMENTS,
      path: REFERENCE_PATH,
      publicAddress: frame.publicAddress,
      isSignedIn: frame.viewer !== null,
    });
    const page = {
      title: 'Reference',
      main,
      canonical: REFERENCE_PATH,
      isListed: true,
      section: 'docs',
      mainClass: 'wide',
    } as const;
    return sendPage(site, request, reply, frame, page);
  });
}

/** The parts of the document that we read. */
function openApi(document: object): OpenApi {
  if (!isOpenApi(document)) throw new TypeError('expected an OpenAPI document with paths and components');
  return document;
}

function isOpenApi(document: object): document is OpenApi {
  return 'paths' in document && 'components' in document;
}
