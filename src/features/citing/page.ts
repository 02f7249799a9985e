// The pages that make and show a citation, and its BibTeX and CSL-JSON files.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { readFirst } from '../../http/addresses.ts';
import { serviceErrorOf } from '../../http/answers/problems.ts';
import { REVALIDATED, sendRepresentation } from '../../http/answers/representation.ts';
import { callerName, checkOrigin } from '../../http/requests/caller.ts';
import { WindowLimit } from '../../http/requests/limits.ts';
import {
  addPageForm,
  addPageRead,
  formField,
  frameOf,
  limitSearches,
  sendPage,
  sendRedirect,
  sendToSignIn,
  setPageHeaders,
  turnOf,
} from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import type { Frame } from '../../http/views/layout.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { HOUR } from '../../model/time.ts';
import { type Check, citingOf } from './service.ts';
import type { KeptCitation } from './store.ts';
import { CITED_CHOICES, citationView, citeForm } from './view.ts';
import { bibtex, CITE_PAGE, citationPage, citationTitle, cslItem } from './words.ts';

const MAX_NEW_CITATIONS = 60;

/** Maximum bytes of the form body: a canonical query and a note, percent-encoded. */
const MAX_FORM_BYTES = 65_536;

/** `isPublic`: whether visitors may see citations without signing in. */
export function addPages(server: FastifyInstance, site: Site, isPublic: boolean): void {
  const limit = new WindowLimit(MAX_NEW_CITATIONS, HOUR * 1000);
  addPageRead(server, CITE_PAGE, (request, reply) => showForm(site, request, reply));
  const make = (request: FastifyRequest, reply: FastifyReply) => makeCitation(site, limit, request, reply);
  addPageForm(server, CITE_PAGE, make, { bodyLimit: MAX_FORM_BYTES });
  addPageRead(server, citationPage(':file'), (request, reply) =>
    showCitation(site, isPublic, request, reply),
  );
}

async function showForm(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const viewer = site.sessions.signedIn(request);
  if (viewer === null) return sendToSignIn(site, reply, request.raw.url ?? CITE_PAGE);
  expectToKeep(site);
  const frame = frameOf(site, request);
  const { echo } = site.archive.search.interpret(readFirst(request.raw.url ?? '').get('query') ?? '');
  const page = {
    title: 'Cite',
    main: citeForm({ query: echo, formToken: viewer.formToken }),
    mainClass: 'account-page',
  };
  return await sendPage(site, request, reply, frame, page, { isSecret: true });
}

async function makeCitation(
  site: Site,
  limit: WindowLimit,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  checkOrigin(request, site.visitors.of(request).ownAddress);
  const { archive, sessions } = site;
  const viewer = sessions.signedIn(request);
  if (viewer === null) return sendToSignIn(site, reply, CITE_PAGE);
  sessions.checkToken(viewer, formField(request, 'token') ?? '');
  expectToKeep(site);
  limitSearches(site, request, { viewer });
  limit.expect(callerName(viewer), `${MAX_NEW_CITATIONS} citations of one account`);
  using turn = await turnOf(site, request, reply, { viewer });
  const wish = {
    query: formField(request, 'query') ?? '',
    kinds: readKinds(formField(request, 'kinds') ?? ''),
    note: formField(request, 'note'),
    account: viewer.accountId,
  };
  const { citation } = await citingOf(archive).cite(wish, turn.signal);
  return sendRedirect(site, reply, citationPage(citation.id));
}

/** Throws `bad_value`. */
function readKinds(text: string): readonly Kind[] {
  if (!CITED_CHOICES.some(({ value }) => value === text)) {
    throw new ServiceError(
      'bad_value',
      'field `kinds`: expected `posts`, `comments` or `both`, found another',
    );
  }
  return KINDS.filter((kind) => text === 'both' || text === `${kind}s`);
}

/** Throws `forbidden` if the server is read-only. */
function expectToKeep({ archive }: Site): void {
  if (!archive.accounts.isReadOnly) return;
  throw new ServiceError('forbidden', 'expected a server that may keep citations, found one that only reads');
}

const FORMS = {
  bib: { type: 'application/x-bibtex; charset=utf-8', text: bibtex },
  json: {
    type: 'application/vnd.citationstyles.csl+json; charset=utf-8',
    text: (citation: KeptCitation, address: string) =>
      `${JSON.stringify([cslItem(citation, address)], null, 2)}\n`,
  },
} as const;

async function showCitation(
  site: Site,
  isPublic: boolean,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const frame = frameOf(site, request);
  const { archive } = site;
  if (!isPublic && frame.viewer === null) {
    return sendToSignIn(site, reply, request.raw.url ?? CITE_PAGE);
  }
  limitSearches(site, request, frame);
  const { file = '' } = request.params as { readonly file?: string };
  const [id = '', ending] = file.split('.', 2);
  const citing = citingOf(archive);
  if (ending === undefined) return await showPage(site, citing.find(id), frame, request, reply);
  if (!Object.hasOwn(FORMS, ending)) citing.find(file);
  const citation = citing.find(id);
  const { type, text } = FORMS[ending as keyof typeof FORMS];
  setPageHeaders(site, reply);
  reply.header('Content-Disposition', `attachment; filename="${id}.${ending}"`);
  const body = text(citation, frame.publicAddress + citationPage(id));
  return await sendRepresentation(request, reply, {
    body,
    type,
    caching: REVALIDATED,
    vary: ['Cookie', 'Host'],
  });
}

async function showPage(
  site: Site,
  citation: KeptCitation,
  frame: Frame,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  using turn = await turnOf(site, request, reply, frame);
  // The page shows the claim even if the query cannot run now.
  let check: Check | ServiceError;
  try {
    check = await citingOf(site.archive).check(citation, turn.signal);
  } catch (error) {
    check = serviceErrorOf(error);
    if (check.code === 'internal_error') throw error;
  }
  const canonical = citationPage(citation.id);
  const main = citationView({ citation, check, address: frame.publicAddress + canonical });
  const page = { title: citationTitle(citation), main, canonical, mainClass: 'wide' };
  return await sendPage(site, request, reply, frame, page);
}
