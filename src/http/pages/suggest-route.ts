// What may come next in the search box: communities and domains in the index that start with the text. Never
// what others have searched for.

import type { FastifyInstance } from 'fastify';
import { readFirst } from '../addresses/written.ts';
import { REVALIDATED, sendRepresentation } from '../representation.ts';
import { addPageRead } from '../site/page-paths.ts';
import type { Site } from '../site/respond.ts';
import { turnOf } from './page-turn.ts';

const MAX_SUGGESTIONS = 8;

/** `GET /suggest?item=/r/en`: a list of `{text, hint}`, see `Suggestions`; empty for anything else. */
export function addSuggestRoute(server: FastifyInstance, site: Site): void {
  addPageRead(server, '/suggest', async (request, reply) => {
    const item = readFirst(request.raw.url ?? '').get('item') ?? '';
    using turn = await turnOf(site, request, reply, { viewer: await site.viewer(request) });
    const found = await site.service.suggest(item.slice(0, 200), MAX_SUGGESTIONS, turn.signal);
    return await sendRepresentation(request, reply, {
      body: JSON.stringify(found),
      type: 'application/json; charset=utf-8',
      caching: REVALIDATED,
    });
  });
}
