// The pages that make and show a citation, and its BibTeX and CSL-JSON files: a reference to copy, the check by month,
// the cited counts and the sources.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { plainSearch, readFirst, searchAddress } from '../../http/addresses.ts';
import { serviceErrorOf } from '../../http/answers/problems.ts';
import { REVALIDATED, sendRepresentation } from '../../http/answers/representation.ts';
import { WindowLimit } from '../../http/requests/limits.ts';
import { addPageForm, addPageRead, type Visit } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import { count, dateTimeElement, dayElement } from '../../http/views/format.ts';
import { type Html, html, radios, submitButton, TOKEN_FIELD, textField } from '../../http/views/html.ts';
import { visible } from '../../http/views/record-text.ts';
import { KINDS, type Kind, type KindName } from '../../model/record.ts';
import { HOUR } from '../../model/time.ts';
import { fingerprintOf, kindsOf } from './claim.ts';
import {
  type Check,
  type CheckedKind,
  check,
  citationOf,
  cite,
  type MonthDifference,
  type MonthSince,
} from './service.ts';
import { type Citation, type CitedKind, type KeptCitation, MAX_NOTE } from './store.ts';
import {
  bibtex,
  CITE_PAGE,
  citationPage,
  citationTitle,
  citationWords,
  cslItem,
  sourcesNamed,
  totalOf,
} from './words.ts';

const MAX_NEW_CITATIONS = 60;

/** Maximum bytes of the form body: a canonical query and a note, percent-encoded. */
const MAX_FORM_BYTES = 65_536;

/** `isPublic`: whether visitors may see citations without signing in. */
export function addPages(server: FastifyInstance, site: Site, isPublic: boolean): void {
  const limit = new WindowLimit(MAX_NEW_CITATIONS, HOUR * 1000);
  addPageRead(server, site, CITE_PAGE, showForm);
  addPageForm(server, site, CITE_PAGE, (visit) => makeCitation(visit, limit), { bodyLimit: MAX_FORM_BYTES });
  addPageRead(server, site, citationPage(':file'), (visit) => showCitation(visit, isPublic));
}

async function showForm(visit: Visit): Promise<FastifyReply> {
  const { viewer, site } = visit;
  if (viewer === null) return visit.redirectToSignIn();
  expectToKeep(site);
  const { echo: query } = site.archive.search.interpret(readFirst(visit.here).get('query') ?? '');
  const main = citeForm(query, viewer.formToken);
  return await visit.send({ title: 'Cite', main, mainClass: 'account-page' }, { isSecret: true });
}

async function makeCitation(visit: Visit, limit: WindowLimit): Promise<FastifyReply> {
  visit.checkOrigin();
  const { viewer, site } = visit;
  if (viewer === null) return visit.redirectToSignIn(CITE_PAGE);
  site.sessions.checkToken(viewer, visit.field(TOKEN_FIELD));
  expectToKeep(site);
  visit.limitSearches();
  limit.expect(visit.caller, `${MAX_NEW_CITATIONS} citations of one account`);
  using _ = await visit.turn();
  const [query, note, kinds] = [visit.field('query'), visit.field('note'), readKinds(visit.field('kinds'))];
  const wish = { query, kinds, note, account: viewer.accountId };
  const { citation } = await cite(site.archive, wish, visit.signal);
  return visit.redirect(citationPage(citation.id));
}

/** Throws `bad_value`. */
function readKinds(text: string): readonly Kind[] {
  if (!Object.hasOwn(CITED_CHOICES, text)) {
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

async function showCitation(visit: Visit, isPublic: boolean): Promise<FastifyReply> {
  if (!isPublic && visit.viewer === null) return visit.redirectToSignIn();
  visit.limitSearches();
  const file = visit.parameter('file');
  const [id = '', ending] = file.split('.', 2);
  const { archive } = visit.site;
  if (ending === undefined) return await showPage(visit, citationOf(archive, id));
  if (!Object.hasOwn(FORMS, ending)) citationOf(archive, file);
  const citation = citationOf(archive, id);
  const { type, text } = FORMS[ending as keyof typeof FORMS];
  visit.setHeaders();
  visit.reply.header('Content-Disposition', `attachment; filename="${id}.${ending}"`);
  const body = text(citation, visit.publicAddress + citationPage(id));
  const sent = { body, type, caching: REVALIDATED, vary: ['Cookie', 'Host'] };
  return await sendRepresentation(visit.request, visit.reply, sent);
}

async function showPage(visit: Visit, citation: KeptCitation): Promise<FastifyReply> {
  using _ = await visit.turn();
  // The page shows the claim even if the query cannot run now.
  let checked: Check | ServiceError;
  try {
    checked = await check(visit.site.archive, citation, visit.signal);
  } catch (error) {
    checked = serviceErrorOf(error);
    if (checked.code === 'internal_error') throw error;
  }
  const canonical = citationPage(citation.id);
  const main = citationView(citation, checked, visit.publicAddress + canonical);
  const page = { title: citationTitle(citation), main, canonical, mainClass: 'wide' };
  return await visit.send(page);
}

function citationView(citation: Citation, check: Check | ServiceError, address: string): Html {
  const { id, answer, origin } = citation;
  const { query, kinds } = answer;
  const asked = query === '' ? 'all records' : html`<code><bdi>${visible(query)}</bdi></code>`;
  const [kind] = kindsOf(kinds)[0]!;
  return html`<div class="prose"><h1>Citation</h1>
<p class="cited">${visible(citationWords(citation, address))}</p>
${origin.note === null ? null : html`<p class="note">${visible(origin.note)}</p>`}
<p>Found ${dateTimeElement(origin.time)} by <a href="${searchAddress(plainSearch(query, kind === 'posts' ? 'post' : 'comment'))}">${asked}</a>.
For reference managers: <a href="/cite/${id}.bib">BibTeX</a>, <a href="/cite/${id}.json">CSL-JSON</a>.
<a href="/docs/citing">How citations work</a></p></div>
${checkPart(check)}
${kindsOf(kinds).map(([name, of]) => citedPart(name, of))}
${sourcesPart(citation)}`;
}

function checkPart(check: Check | ServiceError): Html {
  if (check instanceof Error) {
    return html`<h2 id="now" class="apart">Now</h2>
<p class="hintline" role="status">The query could not be run again just now: ${visible(check.message)}.</p>`;
  }
  if (check.isSame) {
    return html`<h2 id="now" class="apart">The same</h2>
<p class="told">The query finds the same records here now: the counts and fingerprints of every month are equal.</p>`;
  }
  return html`<h2 id="now" class="apart">No longer the same</h2>
${kindsOf(check.kinds).map(([name, of]) => differencePart(name, of))}
${removalWords(check)}`;
}

function differencePart(name: KindName, checked: CheckedKind): Html {
  const { cited, now, months, cameIn } = checked;
  const heading = html`<h3 id="now-${name}">${name === 'posts' ? 'Posts' : 'Comments'}: then ${count(cited)}, now ${count(now)}</h3>`;
  if (months.length === 0) return html`${heading}<p class="told">The same, in every month.</p>`;
  const isTold = cameIn !== null;
  return html`${heading}
<div class="scroll" tabindex="0" role="group" aria-labelledby="now-${name}"><table class="data figures"><thead><tr><th scope="col">Month</th><th scope="col">Then</th>${
    isTold ? html`<th scope="col">Came in since</th><th scope="col">Gone since</th>` : null
  }<th scope="col">Now</th><th scope="col">Why</th></tr></thead>
<tbody>${months.map((month) => monthRow(month))}</tbody></table></div>
${
  isTold
    ? html`<p class="note">Then + came in − gone = now, exactly. A record whose text has changed since counts in both columns.</p>`
    : html`<p class="note">What came in since is unknown: this is not the index that was cited, or it cannot count arrivals.</p>`
}
${cameInList(cameIn ?? [])}`;
}

function monthRow({ month, cited, now, since }: MonthDifference): Html {
  const cells = since === null ? null : html`<td>${count(since.in)}</td><td>${count(since.out)}</td>`;
  return html`<tr><th scope="row">${month}</th><td>${count(cited)}</td>${cells}<td>${count(now)}</td><td>${
    since === null ? (cited === now ? 'other contents' : '') : whyWords(since)
  }</td></tr>`;
}

function whyWords({ in: cameIn, out, removed, broughtBack, isInAlone }: MonthSince): string {
  if (isInAlone) return 'came in, and nothing else';
  const changed = out - removed;
  const parts = [
    ...(removed > 0 ? [`removed: at most ${count(removed)}`] : []),
    ...(changed > 0 ? [`${removed > 0 ? 'changed: at least' : 'changed:'} ${count(changed)}`] : []),
    ...(out < 0 ? [`${count(-out)} match again by a new score or an undo`] : []),
    ...(out === 0 ? ['scores or other fields have changed'] : []),
    ...(broughtBack > 0 && out >= 0 ? [`an undo brought back at most ${count(broughtBack)}`] : []),
    ...(cameIn > 0 ? ['came in'] : []),
  ];
  return parts.join('; ');
}

function cameInList(cameIn: NonNullable<CheckedKind['cameIn']>): Html | null {
  if (cameIn.length === 0) return null;
  return html`<p class="told">What came in since and is still here, by source:</p>
<ul class="came-in">${cameIn.map(
    ({ sources, count: matches }) =>
      html`<li>${count(matches)} from <bdi>${visible(sourcesNamed(sources))}</bdi></li>`,
  )}</ul>`;
}

function removalWords({ removals }: Check): Html | null {
  const number = removals.length;
  if (number === 0) return null;
  return html`<p class="note">Since then ${number === 1 ? 'one removal has' : `${count(number)} removals have`} taken records out (${removals.map((time, i) => html`${i === 0 ? null : ', '}${dayElement(time)}`)}). Removed records are not brought back: privacy comes before reproducibility. Only their counts by month are kept, so the figures are upper bounds (“at most”).</p>`;
}

function citedPart(name: KindName, of: CitedKind): Html {
  return html`<h2 id="cited-${name}" class="apart">${totalOf(name, of.total)}, as cited</h2>
<p class="told">Fingerprint <code>${fingerprintOf(of)}</code></p>
${
  of.months.length === 0
    ? null
    : html`<details class="inner"><summary>Show the ${name} of each month</summary>
<div class="scroll" tabindex="0" role="group" aria-labelledby="cited-${name}"><table class="data figures"><thead><tr><th scope="col">Month</th><th scope="col">Records</th><th scope="col">Fingerprint</th></tr></thead>
<tbody>${of.months.map(
        ({ month, count: records, fingerprint }) =>
          html`<tr><th scope="row">${month}</th><td>${count(records)}</td><td><code>${fingerprint}</code></td></tr>`,
      )}</tbody></table></div></details>`
}`;
}

const SOURCES_SHOWN = 100;

function sourcesPart({ origin: { sources, software } }: Citation): Html {
  const { colloquy, tokenizer, unicode } = software;
  const shown = sources.slice(0, SOURCES_SHOWN);
  const left = sources.length - shown.length;
  return html`<h2 id="sources" class="apart">Software and sources</h2>
<p class="told">Colloquy ${colloquy}, tokenizer ${count(tokenizer)}, Unicode ${unicode}.</p>
${
  sources.length === 0
    ? html`<p class="empty">No imports are recorded.</p>`
    : html`<details class="inner"><summary>Show the files</summary>
<div class="scroll" tabindex="0" role="group" aria-labelledby="sources"><table class="data"><thead><tr><th scope="col">File</th><th scope="col">SHA-256</th><th scope="col">Part</th></tr></thead>
<tbody>${shown.map(
        ({ name, sha256, where }) =>
          html`<tr><th scope="row"><bdi>${visible(name)}</bdi></th><td><code>${sha256 ?? 'not known'}</code></td><td>${where === null ? 'all' : html`<code><bdi>${visible(where)}</bdi></code>`}</td></tr>`,
      )}</tbody></table></div>
${left === 0 ? null : html`<p>and ${count(left)} more, which the API lists.</p>`}</details>`
}`;
}

const CITED_CHOICES = { both: 'Posts and comments', posts: 'Posts', comments: 'Comments' };

function citeForm(query: string, formToken: string): Html {
  const what = query === '' ? 'everything' : html`<code><bdi>${visible(query)}</bdi></code>`;
  return html`<h1>Cite</h1>
<p>A citation records what ${what} finds now: how many records in each month, and a fingerprint of them. Its address can
be printed, and anybody with the same dumps can check it. <a href="/docs/citing">How citations work</a></p>
<form method="post" action="${CITE_PAGE}">
<input type="hidden" name="token" value="${formToken}">
<input type="hidden" name="query" value="${query}">
${radios('What to cite', 'kinds', CITED_CHOICES, 'both')}
${textField({ name: 'note', label: 'Note (optional)', hint: 'Shown to anyone who sees the citation. Your account is not named.', maxLength: MAX_NOTE })}
<p class="actions">${submitButton('Create citation')} <a href="${searchAddress(plainSearch(query, 'post'))}">Back to the search</a></p>
</form>`;
}
