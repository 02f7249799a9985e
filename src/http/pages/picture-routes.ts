// The page of pictures of one query, and each of them as a file.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { picturesOf, pictureTable } from '../../analysis/pictures.ts';
import { plainSearch } from '../addresses/search.ts';
import {
  PICTURES_FILE,
  PICTURES_PAGE,
  picturesAddress,
  readPicture,
  readPicturesState,
} from '../addresses/tables.ts';
import { LIST_NAMES } from '../addresses/written.ts';
import { addPageRead } from '../site/page-paths.ts';
import { sendPage } from '../site/respond.ts';
import type { Site } from '../site/site.ts';
import { picturesPage, totalOf } from '../views/analysis/pictures.ts';
import { counted } from '../views/format.ts';
import type { Page } from '../views/layout.ts';
import { answerAbout, sendTable } from './page-turn.ts';

export function addPicturePages(server: FastifyInstance, site: Site): void {
  addPageRead(server, PICTURES_PAGE, (request, reply) => answerPictures(site, request, reply));
  addPageRead(server, PICTURES_FILE, (request, reply) => answerFile(site, request, reply));
}

async function answerPictures(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const state = readPicturesState(request.raw.url ?? '');
  return await answerAbout(
    site,
    request,
    reply,
    plainSearch(state.query, state.kind),
    async (frame, signal) => {
      const interpretation = site.service.interpret(state.query);
      // The echo: its window is what the list shows.
      const wish = { kind: state.kind, query: interpretation.echo };
      const pictures = await picturesOf(site.analysis, wish, signal);
      const total = totalOf(pictures);
      const of = total === null ? LIST_NAMES[state.kind] : counted(total, state.kind);
      const page: Page = {
        title: `${state.query === '' ? 'Everything' : state.query} – pictures of ${of}`,
        main: picturesPage({ state, interpretation, pictures }),
        canonical: picturesAddress(state),
        ...{ section: 'search', mainClass: 'wide' },
      };
      return await sendPage(site, request, reply, frame, page);
    },
  );
}

/** The table of the analysis behind the picture. */
async function answerFile(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const state = readPicturesState(request.raw.url ?? '');
  const which = readPicture(request.raw.url ?? '');
  return await answerAbout(site, request, reply, plainSearch(state.query, state.kind), async (_, signal) => {
    const wish = { kind: state.kind, query: site.service.interpret(state.query).echo };
    const table = await pictureTable(site.analysis, wish, which, signal);
    return await sendTable(request, reply, `${LIST_NAMES[state.kind]}-${which}.csv`, table);
  });
}
