// The timeline of a search as a table of CSV, with counts and shares.

import type { FastifyInstance } from 'fastify';
import { shareOf } from '../../analysis/asking.ts';
import { ServiceError } from '../../errors.ts';
import { readSearchState } from '../../http/addresses/search.ts';
import { TIMELINE_FILE } from '../../http/addresses/tables.ts';
import { LIST_NAMES } from '../../http/addresses/written.ts';
import { addPageRead } from '../../http/site/page-paths.ts';
import { answerAbout, scopeOfSearch, sendTable } from '../../http/site/page-turn.ts';
import type { Site } from '../../http/site/site.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, TIMELINE_FILE, async (request, reply) => {
    const state = readSearchState(request.raw.url ?? '');
    if (state === null) throw new ServiceError('missing_query', 'expected a query, found none');
    return await answerAbout(site, request, reply, state, async (_, signal) => {
      const { query, kind } = state;
      const scope = scopeOfSearch(site, query).query;
      const { step, buckets } = (await site.service.timelines(query, kind, scope, signal))[kind]!;
      const rows = buckets.map(({ start, count, of = 0 }) => [start, count, of, shareOf(count, of)]);
      const table = { columns: ['start', 'count', 'of', 'share'], rows };
      return await sendTable(request, reply, `${LIST_NAMES[kind]}-per-${step}.csv`, table);
    });
  });
}
