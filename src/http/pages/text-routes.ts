// About, privacy and status; what browsers and robots ask for; the choice of theme.

import type { FastifyInstance, FastifySchema } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { cookieHeader } from '../cookies.ts';
import { isFromOurPage, ownPath } from '../origin.ts';
import { sendRepresentation } from '../representation.ts';
import { formField } from '../site/form-body.ts';
import { addPageRead } from '../site/page-read.ts';
import { frameOf, type Site, sendPage, setPageHeaders, THEME_COOKIE } from '../site/respond.ts';
import { html } from '../views/html.ts';
import { type Page, THEMES } from '../views/layout.ts';
import { aboutPage, privacyPage, statusPage } from '../views/text-pages.ts';

const YEAR_SECONDS = 365 * 86_400;

export function addTextPages(server: FastifyInstance, site: Site): void {
  const pages: Readonly<Record<string, () => Promise<Page> | Page>> = {
    '/about': () => ({ title: 'About', main: aboutPage(site.contact), canonical: '/about', isListed: true }),
    '/privacy': () => ({
      title: 'Privacy',
      main: privacyPage(site.contact),
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
  addThemeRoute(server, site);
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
      'User-agent: *\nDisallow: /search\nDisallow: /breakdown\nDisallow: /record\nDisallow: /thread\nDisallow: /api/\n';
    const type = 'text/plain; charset=utf-8';
    return sendRepresentation(request, reply, { body, type, caching: 'no-cache' });
  });
}

function addThemeRoute(server: FastifyInstance, site: Site): void {
  server.route({
    method: 'POST',
    url: '/theme',
    schema: { hide: true } as FastifySchema,
    handler: async (request, reply) => {
      const { ownAddress, isTls } = site.visitors.of(request);
      if (!isFromOurPage(request, ownAddress)) {
        throw new ServiceError('forbidden', 'expected a form of this site, found one of another');
      }
      const theme = THEMES.find((name) => name === formField(request, 'theme')) ?? 'auto';
      const isAuto = theme === 'auto';
      const cookie = cookieHeader(THEME_COOKIE, theme, { secure: isTls, maxAge: isAuto ? 0 : YEAR_SECONDS });
      setPageHeaders(site, reply);
      return reply
        .code(303)
        .headers({
          'Set-Cookie': cookie,
          'Cache-Control': 'no-store',
          Location: ownPath(formField(request, 'return')),
        })
        .send();
    },
  });
}
