// About, privacy, and what robots ask for.

import type { FastifyInstance } from 'fastify';
import { sendRepresentation } from '../../http/answers/representation.ts';
import { addPageRead, frameOf, sendPage } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import type { Page } from '../../http/views/layout.ts';
import { aboutPage, privacyPage } from './texts.ts';

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
  for (const page of pages)
    addPageRead(server, page.canonical!, async (request, reply) =>
      sendPage(site, request, reply, await frameOf(site, request), page),
    );
  addPageRead(server, '/robots.txt', (request, reply) => {
    const body =
      'User-agent: *\nDisallow: /search\nDisallow: /breakdown\nDisallow: /compare\nDisallow: /record\nDisallow: /thread\nDisallow: /feed/\nDisallow: /api/\n';
    const type = 'text/plain; charset=utf-8';
    return sendRepresentation(request, reply, { body, type, caching: 'no-cache' });
  });
}
