// The guides of the documentation: files of docs/, rendered, with examples that name this server.

import type { FastifyInstance } from 'fastify';
import { addPageRead } from '../site/page-paths.ts';
import type { Site } from '../site/respond.ts';
import { firstPage } from '../views/docs-page.ts';
import { type RenderedDocument, renderMarkdown } from '../views/markdown.ts';
import { sendDocs } from './docs-frame.ts';
import { GUIDES, guideText } from './guides.ts';

/** The server's address in the files' examples, with and without its scheme. */
const WRITTEN_ADDRESS = /http:\/\/127\.0\.0\.1:8080/g;

export function addDocsPages(server: FastifyInstance, site: Site): void {
  for (const guide of GUIDES) {
    const { path, name } = guide;
    const isFirst = path === GUIDES[0]!.path;
    // The page shows the file's own quick start in more languages.
    const text = isFirst ? withoutSection(guideText(guide), 'Quick start') : guideText(guide);
    addPageRead(server, path, (request, reply) =>
      sendDocs({ server, site }, request, reply, {
        ...{ path, title: name },
        body: ({ publicAddress, viewer }) => {
          if (!isFirst) return renderGuide(text, publicAddress);
          const at = text.indexOf('\n## ');
          const [start, rest] = [text.slice(0, at), text.slice(at)].map((part) =>
            renderGuide(part, publicAddress),
          );
          return firstPage(start!, rest!, { publicAddress, isSignedIn: viewer !== null });
        },
      }),
    );
  }
}

/** `address`: that of this server. */
function renderGuide(text: string, address: string): RenderedDocument {
  return renderMarkdown(text, (code) => code.replace(WRITTEN_ADDRESS, address));
}

function withoutSection(text: string, title: string): string {
  const start = text.indexOf(`\n## ${title}\n`);
  if (start === -1) return text;
  const end = text.indexOf('\n## ', start + 1);
  return text.slice(0, start) + (end === -1 ? '' : text.slice(end));
}
