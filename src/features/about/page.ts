// The about and privacy pages, and robots.txt.

import type { FastifyInstance } from 'fastify';
import { sendRepresentation } from '../../http/answers/representation.ts';
import { addPageRead } from '../../http/site/respond.ts';
import type { ServedFeature, Site } from '../../http/site/site.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Page } from '../../http/views/layout.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  const { contact, logRequests } = site.archive.config;
  const pages: readonly Page[] = [
    { title: 'About', main: aboutPage(contact), canonical: '/about', isListed: true },
    {
      title: 'Privacy',
      main: privacyPage(contact, logRequests === 'address'),
      canonical: '/privacy',
      isListed: true,
    },
  ];
  for (const page of pages) addPageRead(server, site, page.canonical!, (visit) => visit.send(page));
  const robots = robotsText(site.features);
  addPageRead(server, site, '/robots.txt', ({ request, reply }) => {
    const type = 'text/plain; charset=utf-8';
    return sendRepresentation(request, reply, { body: robots, type, caching: 'no-cache' });
  });
}

function robotsText(features: readonly ServedFeature[]): string {
  const paths = features.flatMap(({ searches = [], machines = [] }) => [
    ...searches.map((search) => (typeof search === 'string' ? search : search.route).replace(/\/:.*/, '')),
    ...machines,
  ]);
  return ['User-agent: *', ...['/api/', ...paths].map((path) => `Disallow: ${path}`), ''].join('\n');
}

export function aboutPage(contact: string | null): Html {
  return html`<div class="prose"><h1>About</h1>
<p>Colloquy searches posts and comments collected from a discussion site. It answers one kind of question, exactly:
which of them contain these words, in these communities, with links to these sites, between these dates, with at
least this score. You get the exact number, every match in order, and how the matches are distributed.
Nothing is ranked by a guess.</p>
<p>It is free software (MIT licence) that anybody can run with their own dumps. Programs can run the same searches:
<a href="/docs">API documentation</a>.</p>
<h2 id="indexed">What is indexed</h2>
<p>Titles, texts, communities, links, times and scores, as they are in the dumps.
Scores and texts date from the moment a dump was made. Authors’ names are not stored.
Texts that had been deleted or removed before then are not here.</p>
<p>Comments have a sentiment rating between −1 and +1, computed with a published word list (VADER), but only if the
text is reliably English. The rating describes the wording of a text, not what somebody felt.</p>
<h2 id="removal">Removal requests</h2>
<p>You can ask for a record, or a whole community, to be removed.
It disappears from results, counts and exports at once, and later imports do not bring it back.
${contactWords(contact, 'Write to', 'and include the permalink.')}</p>
<h2 id="keys">Keyboard</h2>
<p>These need JavaScript, and are off while you type.</p>
<dl class="keys">
${SHORTCUTS.map(([keys, meaning]) => html`<div><dt>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${meaning}</dd></div>`)}
</dl></div>`;
}

const SHORTCUTS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['/'], 'go to the search box'],
  [['j', 'k'], 'next or previous result'],
  [['Enter', 'o'], 'open the result'],
  [['n'], 'next page'],
  [['p'], 'previous page'],
  [['1', '2'], 'show posts or comments'],
  [['?'], 'show this list'],
  [['Esc'], 'leave the search box'],
];

/** `notesAddresses`: whether the request log contains IP addresses. */
export function privacyPage(contact: string | null, notesAddresses: boolean): Html {
  return html`<div class="prose"><h1>Privacy</h1>
<h2>If you only search</h2>
<p>What you search for is in the address of the page and nowhere else:
it is not logged, not counted and not sent to anybody.
Pages load nothing from other sites, and no other site learns which search you came from.</p>
<p>A hash of your network address is kept in memory, to limit the searches and attempts to sign in of one
network. It is used for minutes, an hour at most.
${notesAddresses ? 'The operator of this server logs your address with each request, without what you search for.' : 'Your address is not logged for a search that is answered.'}</p>
<p>Your address is logged when something is refused (a password, a key, a request beyond a limit), when somebody
signs in, and when keys or accounts are made or deleted. So attackers can be blocked.</p>
<h2>Cookies</h2>
<ul><li><code>colloquy_settings</code>: only if you change the <a href="/settings">settings</a> or choose light or dark. It
contains your choices and nothing else, lasts a year, and is deleted when all choices are back to the defaults.</li>
<li>A session cookie: only if you sign in. It ends when you sign out.</li>
<li>A cookie by which your account recognises this browser: only if you sign in. It keeps others from
locking you out by guessing your password. It lasts a year, and is deleted when you delete the account.</li>
<li>A cookie between your password and your code, for five minutes: only if you have a second factor.</li>
<li>A cookie that protects the forms for signing in and registering, for a day.</li></ul>
<h2>If you have an account</h2>
<p>We store your email address, a hash of your password, and your sessions. Of your API keys we store hashes, the first
8 characters, names and last use. A second factor adds the secret of your app and hashes of your recovery codes.
Saved searches add their queries, how far you have looked, and hashes of the addresses of their feeds. All of this is deleted when you delete the account.</p>
<h2>If something you wrote can be found here</h2>
<p>Authors’ names are not stored. You can <a href="/about#removal">ask for a record to be removed</a>.</p>
<p>${contactWords(contact, 'Send questions to', '.')}</p></div>`;
}

function contactWords(contact: string | null, before: string, after: string): Html {
  if (contact === null) return html`Ask this server’s operator, who has given no contact address here.`;
  const address = contact.includes('@') && !contact.includes(':') ? `mailto:${contact}` : contact;
  return html`${before} <a href="${address}">${contact}</a>${after === '.' ? '' : ' '}${after}`;
}
