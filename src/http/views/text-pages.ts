// The pages of words: about, privacy, status.

import { IndexDamage } from '../../model/damage.ts';
import type { KindStats } from '../../model/engine.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { damageNotice } from './damage.ts';
import { count } from './format.ts';
import { type Html, html } from './html.ts';

export function aboutPage(contact: string | null): Html {
  return html`<div class="prose"><h1>About</h1>
<p>Colloquy searches posts and comments that were collected from a discussion site. It answers one kind of question, exactly: which of them hold these words, in these communities, from these sites, between these dates, with at least this score. It gives the exact number, every match in order, and how they break down. Nothing is ranked by a guess.</p>
<p>It is free software (MIT licence) that anybody can run over dumps of their own. The same searches work from programs: <a href="/docs">API documentation</a>.</p>
<h2 id="indexed">What is indexed</h2>
<p>Titles, texts, communities, links, times and scores, as the dumps have them. Scores and texts are those of the moment at which a dump was made. Names of authors are neither stored nor searchable. What was deleted or removed before the dump was made is not here.</p>
<p>Comments carry a sentiment rating between −1 and +1, made by a published word list (VADER) where the text is reliably English, and none elsewhere. It says how a text is worded, not what somebody felt.</p>
<h2 id="removal">Removal requests</h2>
<p>You can ask for a record, or for all of a community, to be taken out. It disappears from results, counts and exports at once and does not come back with a later import. ${contactWords(contact, 'Write to', 'with the permalink.')}</p>
<h2 id="keys">Keyboard</h2>
<p>With the page’s small script on; off while you type.</p>
<dl class="keys">
${SHORTCUTS.map(([keys, meaning]) => html`<div><dt>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${meaning}</dd></div>`)}
</dl></div>`;
}

const SHORTCUTS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['/'], 'to the search box'],
  [['j', 'k'], 'next and previous result'],
  [['Enter', 'o'], 'open the permalink of the result'],
  [['n'], 'next page'],
  [['p'], 'previous page'],
  [['1', '2'], 'posts, comments'],
  [['?'], 'this list'],
  [['Esc'], 'leave the search box'],
];

export function privacyPage(contact: string | null): Html {
  return html`<div class="prose"><h1>Privacy</h1>
<h2>If you only search</h2>
<p>What you search for is in the address of the page and nowhere else: it is not written into any log, not counted, and not sent to anybody. Pages load nothing from other sites, and no other site learns from which search you came.</p>
<p>Your network address is kept in memory for some minutes, to limit how many searches one address may make. It is not stored.</p>
<h2>Cookies</h2>
<ul><li><code>theme</code>: only if you choose light or dark. It says which, and nothing else.</li>
<li>A session cookie: only if you sign in. It ends when you sign out.</li></ul>
<h2>If you have an account</h2>
<p>Stored are your email address, a hash of your password, hashes of your API keys with their first 8 characters, the names you gave them and when they were last used, and your sessions. You can take all of it away by deleting the account.</p>
<h2>If something you wrote can be found here</h2>
<p>Names of authors are not stored. You can <a href="/about#removal">ask for a record to be removed</a>.</p>
<p>${contactWords(contact, 'Questions go to', '.')}</p></div>`;
}

function contactWords(contact: string | null, before: string, after: string): Html {
  if (contact === null)
    return html`Ask whoever runs this server; they have not said here how they can be reached.`;
  const address = contact.includes('@') && !contact.includes(':') ? `mailto:${contact}` : contact;
  return html`${before} <a href="${address}">${contact}</a>${after === '.' ? '' : ' '}${after}`;
}

export interface StatusView {
  readonly isReady: boolean;
  readonly isSample: boolean;
  readonly stats: Readonly<Record<Kind, KindStats | IndexDamage>>;
}

export function statusPage({ isReady, isSample, stats }: StatusView): Html {
  const damages = { post: damageIn(stats.post), comment: damageIn(stats.comment) };
  const isWell = isReady && KINDS.every((kind) => damages[kind] === null);
  return html`<div class="prose"><h1>Status</h1>
<p class="state"><span class="dot${isWell ? '' : ' down'}" aria-hidden="true"></span> ${isReady ? searchingWords(damages) : 'The index is being opened: searches have to wait.'}</p>
${damageNotice(damages)}
${isSample ? html`<p>Nothing has been imported yet: the numbers are those of the invented sample.</p>` : null}
<div class="scroll" tabindex="0" role="group" aria-label="What the index holds"><table><thead><tr><td></td><th scope="col">Posts</th><th scope="col">Comments</th></tr></thead><tbody>
${ROWS.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${cell(stats.post, value)}</td><td>${cell(stats.comment, value)}</td></tr>`)}
</tbody></table></div>
<p>For machines: <a href="/healthz">/healthz</a>. Sizes and rates: <a href="/docs/limits">limits</a>.</p></div>`;
}

function searchingWords(damages: Readonly<Record<Kind, IndexDamage | null>>): string {
  const works = KINDS.filter((kind) => damages[kind] === null);
  if (works.length === 0) return 'Searching does not work.';
  return works.length === KINDS.length ? 'Searching works.' : `Searching works for ${works[0]}s.`;
}

function damageIn(found: KindStats | IndexDamage): IndexDamage | null {
  return found instanceof IndexDamage ? found : null;
}

function cell(found: KindStats | IndexDamage, value: (stats: KindStats) => string): string {
  return found instanceof IndexDamage ? '–' : value(found);
}

const ROWS: readonly (readonly [name: string, value: (stats: KindStats) => string])[] = [
  ['Records', (stats) => count(stats.records)],
  ['Communities', (stats) => count(stats.communities)],
  ['First (UTC)', (stats) => dayOrNone(stats.first)],
  ['Last (UTC)', (stats) => dayOrNone(stats.last)],
  ['On disk', (stats) => `${count(Math.round(stats.bytes / 1e5) / 10)} MB`],
];

function dayOrNone(time: number | null): string {
  return time === null ? '–' : readableDay(time);
}
