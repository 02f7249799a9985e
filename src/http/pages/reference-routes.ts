// The reference: the OpenAPI document as pages of the documentation, one for each endpoint.

import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { endpointName, REFERENCE_PATH } from '../addresses/docs.ts';
import { addPageRead } from '../site/page-paths.ts';
import type { Site } from '../site/respond.ts';
import { endpointPage } from '../views/endpoint-page.ts';
import { referencePage } from '../views/reference-page.ts';
import { referenceOf, sendDocs } from './docs-frame.ts';
import { guideTo } from './guides.ts';

export function addReferencePages(server: FastifyInstance, site: Site): void {
  addPageRead(server, REFERENCE_PATH, (request, reply) =>
    sendDocs({ server, site }, request, reply, {
      ...{ path: REFERENCE_PATH, title: 'Reference' },
      body: () => referencePage(referenceOf(server).endpoints),
    }),
  );
  addPageRead(server, `${REFERENCE_PATH}/:endpoint`, async (request, reply) => {
    const { endpoint: name } = request.params as { endpoint: string };
    const { endpoints, document } = referenceOf(server);
    const endpoint = endpoints.find(({ path }) => endpointName(path) === name);
    if (endpoint === undefined) {
      throw new ServiceError('not_found', 'expected the name of an endpoint, found another');
    }
    return sendDocs({ server, site }, request, reply, {
      ...{ path: endpoint.page, title: endpoint.title },
      body: ({ publicAddress, viewer }) =>
        endpointPage({
          ...{ endpoint, guide: guideTo(name), publicAddress, isSignedIn: viewer !== null },
          schemas: document.components.schemas ?? {},
        }),
    });
  });
}
