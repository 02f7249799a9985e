// An older address of the timeline of a search as a table.

import type { FastifyInstance } from 'fastify';
import { tableAddress } from '../../http/addresses/pages.ts';
import { readQueryAndKind } from '../../http/addresses/search.ts';
import { addPageRead, sendRedirect } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, '/timeline.csv', async (request, reply) => {
    const { query, kind } = readQueryAndKind(request.raw.url ?? '');
    const { echo } = site.archive.search.interpret(query);
    return sendRedirect(site, reply, tableAddress('timeline', kind, [['query', echo]]));
  });
}
