// The download of a page: what an export of the API would be, for whoever is signed in. Contract 8.14.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ExportWish } from '../../exporting/export-service.ts';
import type { Logger } from '../../log.ts';
import { DEFAULT_SEED } from '../../model/analyses.ts';
import { wholeNumber } from '../../operation/parameters.ts';
import { DEFAULT_FIELDS } from '../../search/presenter.ts';
import { signInAddress } from '../addresses/pages.ts';
import { DOWNLOAD_PATH, readDownloadState } from '../addresses/tables.ts';
import { answerStreamed, type StreamLimits } from '../answers/streamed-answer.ts';
import { type ExportDesk, exportAnswer } from '../export-answer.ts';
import { EXPORT_PARAMETERS } from '../operations/export.ts';
import { breakOffUnless, callerName, callerSignal } from '../requests/caller.ts';
import { addPageRead } from '../site/page-paths.ts';
import { sendRedirect } from '../site/respond.ts';
import type { Site } from '../site/site.ts';
import { limitSearches } from './page-turn.ts';

/** What makes and sends downloads. */
export interface DownloadDeps {
  readonly desk: ExportDesk;
  readonly streamLimits: StreamLimits;
  readonly log: Logger;
}

export function addDownloadRoute(
  server: FastifyInstance,
  site: Site,
  { desk, streamLimits: limits, log }: DownloadDeps,
): void {
  addPageRead(server, DOWNLOAD_PATH, async (request, reply) => {
    const viewer = await site.viewer(request);
    if (viewer === null) return sendRedirect(site, reply, signInAddress(request.raw.url ?? DOWNLOAD_PATH));
    limitSearches(site, request, { viewer });
    const plan = desk.exports.plan(wishOf(site, request));
    const { ownAddress } = site.visitors.of(request);
    breakOffUnless(async () => (await site.viewer(request)) !== null, reply);
    const caller = { caller: callerName(viewer), ownAddress, signal: callerSignal(reply) };
    return answerStreamed(exportAnswer(desk, plan, caller), { limits, log, vary: 'Cookie' }, request, reply);
  });
}

const sampleSize = wholeNumber({
  ...{ from: 1, to: 999_999_999, standard: null, unit: 'records', code: 'bad_value' },
  ...{ description: 'How many records to draw. If empty or absent, all.', examples: [1000] },
});

/** What the form asks for; a field that is empty counts as absent. */
function wishOf(site: Site, request: FastifyRequest): ExportWish {
  const { kind, query, fields, given } = readDownloadState(request.raw.url ?? '');
  const { order_by, format, compress } = EXPORT_PARAMETERS[kind];
  const read = <Value>(parameter: { read(text: string | null, name: string): Value }, name: string) =>
    parameter.read(given.get(name) || null, name);
  const size = read(sampleSize, 'sample');
  const isUsual = fields.join() === DEFAULT_FIELDS[kind].join();
  return {
    ...{ kind, under: null, after: null, limit: null },
    // The echo: its window is what the page shows.
    query: site.service.interpret(query).echo,
    order: read(order_by, 'order_by'),
    format: read(format, 'format'),
    compress: read(compress, 'compress'),
    fields: isUsual || fields.length === 0 ? null : fields.join(','),
    ...(size === null ? {} : { sample: { size, seed: DEFAULT_SEED } }),
  };
}
