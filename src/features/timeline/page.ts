// The timeline of a search as a table of CSV, with counts and shares.

import type { FastifyInstance } from 'fastify';
import { scopeOf, shareOf } from '../../analysis/asking.ts';
import { orGiveUp, timelinesOf } from '../../analysis/beside.ts';
import { ServiceError } from '../../errors.ts';
import { TIMELINE_FILE } from '../../http/addresses/pages.ts';
import { LIST_NAMES, readSearchState, type SearchState } from '../../http/addresses/search.ts';
import { addPageRead, answerAbout, sendTable } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import type { Question, Timeline } from '../../model/engine.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import { tellingLimits } from '../../search/engine-limits.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, TIMELINE_FILE, async (request, reply) => {
    const state = readSearchState(request.raw.url ?? '');
    if (state === null) throw new ServiceError('missing_query', 'expected a query, found none');
    return await answerAbout(site, request, reply, state, async (_, signal) => {
      const { kind } = state;
      const { step, buckets } = await timelineOf(site, state, signal);
      const rows = buckets.map(({ start, count, of = 0 }) => [start, count, of, shareOf(count, of)]);
      const table = { columns: ['start', 'count', 'of', 'share'], rows };
      return await sendTable(request, reply, `${LIST_NAMES[kind]}-per-${step}.csv`, table);
    });
  });
}

/** As the page of results draws it: over the buckets of both kinds. */
async function timelineOf(
  { archive: { engine, search }, analysis }: Site,
  { query: text, kind }: SearchState,
  signal: AbortSignal,
): Promise<Timeline> {
  const { query } = search.interpret(text);
  const of = scopeOf(query, 'scope')!.query;
  const ask = (question: Question) => engine.ask({ timeoutMs: analysis.queryTimeoutMs, ...question }, signal);
  const asked = (one: Kind) => ask({ kind: one, query, of, timeline: {} });
  await engine.refresh();
  const [shown, other] = await Promise.all([
    tellingLimits(text, () => asked(kind)),
    orGiveUp(asked(otherKind(kind))),
  ]);
  return (await timelinesOf(ask, { kind, query, of }, shown, other))[kind]!;
}
