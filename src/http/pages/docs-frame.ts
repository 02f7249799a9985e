// The frame of every page of the documentation: its navigation, made from the files and from the OpenAPI document.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { frameOf, type Site, sendPage } from '../site/respond.ts';
import { docsPage } from '../views/docs-page.ts';
import type { Frame, Page } from '../views/layout.ts';
import type { RenderedDocument } from '../views/markdown.ts';
import {
  type Endpoint,
  type EndpointGroup,
  endpointsOf,
  groupsOf,
  type OpenApi,
} from '../views/openapi-document.ts';
import { GUIDES } from './guides.ts';

/** The reference, complete once the server is ready. */
export interface Reference {
  readonly document: OpenApi;
  readonly endpoints: readonly Endpoint[];
  readonly groups: readonly EndpointGroup[];
}

const references = new WeakMap<FastifyInstance, Reference>();

export function referenceOf(server: FastifyInstance): Reference {
  let reference = references.get(server);
  if (reference === undefined) {
    const document = openApi(server.swagger());
    const endpoints = endpointsOf(document);
    reference = { document, endpoints, groups: groupsOf(endpoints) };
    references.set(server, reference);
  }
  return reference;
}

/** The parts of the document that we read. */
function openApi(document: object): OpenApi {
  if (!isOpenApi(document)) throw new TypeError('expected an OpenAPI document with paths and components');
  return document;
}

function isOpenApi(document: object): document is OpenApi {
  return 'paths' in document && 'components' in document;
}

export interface DocsPage {
  /** The path of its canonical address. */
  readonly path: string;
  /** Of the document, without the name of the service. */
  readonly title: string;
  readonly isListed?: boolean;
  readonly body: (frame: Frame) => RenderedDocument;
}

export async function sendDocs(
  { server, site }: { readonly server: FastifyInstance; readonly site: Site },
  request: FastifyRequest,
  reply: FastifyReply,
  { path, title, isListed = true, body }: DocsPage,
): Promise<FastifyReply> {
  const frame = await frameOf(site, request);
  const { groups } = referenceOf(server);
  const page: Page = {
    ...{ title, canonical: path, isListed, section: 'docs', mainClass: 'wide manual' },
    main: docsPage({ document: body(frame), guides: GUIDES, groups, path }),
  };
  return sendPage(site, request, reply, frame, page);
}
