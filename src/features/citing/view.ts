// The page of a citation: a reference to copy, the check by month, the cited counts and the sources. Also the form that
// makes one.

import type { ServiceError } from '../../errors.ts';
import { plainSearch, searchAddress } from '../../http/addresses.ts';
import { count, dateTimeElement, dayElement } from '../../http/views/format.ts';
import { type Html, html, radios, submitButton, textField } from '../../http/views/html.ts';
import { visible } from '../../http/views/record-text.ts';
import type { KindName } from '../../model/record.ts';
import { fingerprintOf, kindsOf } from './claim.ts';
import type { MonthDifference, MonthSince } from './difference.ts';
import type { Check, CheckedKind } from './service.ts';
import { type Citation, type CitedKind, MAX_NOTE } from './store.ts';
import { CITE_PAGE, citationWords, sourcesNamed, totalOf } from './words.ts';

interface CitationView {
  readonly citation: Citation;
  readonly check: Check | ServiceError;
  readonly address: string;
}

export function citationView({ citation, check, address }: CitationView): Html {
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

function checkPart(check: CitationView['check']): Html {
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

/** Why a month has changed. */
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

function removalWords({ removals: { number, dates } }: Check): Html | null {
  if (number === 0) return null;
  return html`<p class="note">Since then ${number === 1 ? 'one removal has' : `${count(number)} removals have`} taken records out (${dates.map((time, i) => html`${i === 0 ? null : ', '}${dayElement(time)}`)}). Removed records are not brought back: privacy comes before reproducibility. Only their counts by month are kept, so the figures are upper bounds (“at most”).</p>`;
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

/** Maximum number of sources on the page; the API returns all. */
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

export const CITED_CHOICES = [
  { value: 'both', label: 'Posts and comments' },
  { value: 'posts', label: 'Posts' },
  { value: 'comments', label: 'Comments' },
] as const;

interface CiteFormView {
  readonly query: string;
  readonly formToken: string;
}

export function citeForm({ query, formToken }: CiteFormView): Html {
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
