// "Run it" of the documentation: an endpoint asked for whoever is signed in, with their rate and in their turn, as if
// with a key of theirs. Only to read, and only where the answer is JSON. Contract 25.32.

import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { requestAddress } from '../addresses/api.ts';
import { endpointName, RUN_PATH } from '../addresses/docs.ts';
import { signInAddress } from '../addresses/pages.ts';
import { readGiven } from '../addresses/written.ts';
import type { AskEndpoint } from '../ask-endpoint.ts';
import { callerName } from '../caller-name.ts';
import { addPageRead } from '../site/page-paths.ts';
import { type Site, sendRedirect, setPageHeaders } from '../site/respond.ts';

/** `askable`: endpoints by path. */
export function addRunRoute(
  server: FastifyInstance,
  site: Site,
  askable: ReadonlyMap<string, AskEndpoint>,
): void {
  addPageRead(server, `${RUN_PATH}/:endpoint`, async (request, reply) => {
    const here = request.raw.url ?? '';
    const viewer = await site.viewer(request);
    if (viewer === null) return sendRedirect(site, reply, signInAddress(here));
    const { endpoint: name } = request.params as { endpoint: string };
    const [path, ask] = [...askable].find(([known]) => endpointName(known) === name) ?? [];
    if (path === undefined || ask === undefined) {
      throw new ServiceError(
        'not_found',
        'expected an endpoint that answers in JSON, found none by this name',
      );
    }
    const parts = [...path.matchAll(/:(\w+)/g)].map(([, part]) => part!);
    // A field that was left empty is none: some parameters have no empty value.
    const given = readGiven(here).filter(([field, value]) => value !== '' || field === 'query');
    const pathParts = Object.fromEntries(given.filter(([field]) => parts.includes(field)));
    const parameters = given.filter(([field]) => !parts.includes(field));
    setPageHeaders(site, reply);
    const { accountId } = viewer;
    const address = requestAddress(path, {}, parameters);
    const mayAsk = async () => (await site.viewer(request)) !== null;
    const asked = { caller: callerName(viewer), accountId, mayAsk, address, pathParts };
    return await ask({ ...asked, vary: 'Cookie' }, request, reply);
  });
}
