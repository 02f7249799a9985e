// About, privacy and status; files that browsers and robots ask for.

import type { FastifyInstance } from 'fastify';
import { sendRepresentation } from '../../http/answers/representation.ts';
import { addPageRead } from '../../http/site/page-paths.ts';
import { frameOf, sendPage } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import { html } from '../../http/views/html.ts';
import type { Page } from '../../http/views/layout.ts';
import { aboutPage, privacyPage, statusPage } from './texts.ts';

export function addTextPages(server: FastifyInstance, site: Site): void {
  const pages: Readonly<Record<string, () => Promise<Page> | Page>> = {
    '/about': () => ({ title: 'About', main: aboutPage(site.contact), canonical: '/about', isListed: true }),
    '/privacy': () => ({
      title: 'Privacy',
      main: privacyPage(site.contact, site.notesAddresses),
      canonical: '/privacy',
      isListed: true,
    }),
    '/status': async () => {
      const view = {
        isReady: await site.isReady(),
        isSample: site.isSample(),
        stats: await site.service.stats(),
      };
      return { title: 'Status', main: statusPage(view), canonical: '/status' };
    },
  };
  for (const [path, make] of Object.entries(pages)) {
    addPageRead(server, path, async (request, reply) =>
      sendPage(site, request, reply, await frameOf(site, request), await make()),
    );
  }
  addMachinePages(server, site);
}

function addMachinePages(server: FastifyInstance, site: Site): void {
  addPageRead(server, '/opensearch.xml', (request, reply) => {
    const address = site.visitors.of(request).ownAddress;
    const body = html`<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Colloquy</ShortName>
<Description>Search posts and comments</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="16" height="16" type="image/svg+xml">${address}${site.assets.icon}</Image>
<Url type="text/html" method="get" template="${address}/search?query={searchTerms}"/>
</OpenSearchDescription>
`.toString();
    const type = 'application/opensearchdescription+xml; charset=utf-8';
    return sendRepresentation(request, reply, { body, type, caching: 'no-cache', vary: ['Host'] });
  });
  addPageRead(server, '/robots.txt', (request, reply) => {
    const body =
      'User-agent: *\nDisallow: /search\nDisallow: /breakdown\nDisallow: /compare\nDisallow: /record\nDisallow: /thread\nDisallow: /feed/\nDisallow: /api/\n';
    const type = 'text/plain; charset=utf-8';
    return sendRepresentation(request, reply, { body, type, caching: 'no-cache' });
  });
}
