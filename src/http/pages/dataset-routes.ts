// The pages of what the index covers and of data sets, with the files of data sets for whoever is signed in.

import type { FastifyInstance } from 'fastify';
import { DATASETS_PAGE, datasetFilePage, datasetPage, signInAddress } from '../addresses/pages.ts';
import { sendFile } from '../answers/file-answer.ts';
import { breakOffUnless } from '../requests/caller.ts';
import { addPageRead } from '../site/page-paths.ts';
import { frameOf, sendPage, sendRedirect } from '../site/respond.ts';
import type { Site } from '../site/site.ts';
import { datasetListPage, datasetPageOf } from '../views/dataset-pages.ts';

export function addDatasetPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, DATASETS_PAGE, async (request, reply) => {
    const main = datasetListPage(site.datasets.list());
    const page = {
      title: 'Data sets',
      main,
      canonical: DATASETS_PAGE,
      section: 'datasets',
      mainClass: 'wide',
    } as const;
    return sendPage(site, request, reply, await frameOf(site, request), page);
  });
  addPageRead(server, `${DATASETS_PAGE}/:name`, async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const shown = site.datasets.get(name);
    const frame = await frameOf(site, request);
    const page = {
      title: shown.dataset.title ?? name,
      main: datasetPageOf(frame, shown),
      canonical: datasetPage(name),
      section: 'datasets',
      mainClass: 'wide',
    } as const;
    return sendPage(site, request, reply, frame, page);
  });
  addPageRead(server, `${DATASETS_PAGE}/:name/:file`, async (request, reply) => {
    const { name, file } = request.params as { readonly name: string; readonly file: string };
    if ((await site.viewer(request)) === null) {
      return sendRedirect(site, reply, signInAddress(datasetFilePage(name, file)));
    }
    breakOffUnless(async () => (await site.viewer(request)) !== null, reply);
    return sendFile(request, reply, await site.datasets.open(name, file), { vary: 'Cookie' });
  });
}
