// The status page: whether search works, and what is in the index.

import type { FastifyInstance } from 'fastify';
import { addPageRead } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import { count } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import { damageNotice } from '../../http/views/records.ts';
import type { KindStats } from '../../model/engine.ts';
import { damageIn, IndexDamage } from '../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';

const PATH = '/status';

export function addPages(server: FastifyInstance, site: Site): void {
  const { search, isSample } = site.archive;
  addPageRead(server, site, PATH, async (visit) => {
    const isReady = await search.readiness().then(
      () => true,
      () => false,
    );
    const main = statusPage(isReady, isSample(), await search.stats());
    return visit.send({ title: 'Status', main, canonical: PATH });
  });
}

export function statusPage(
  isReady: boolean,
  isSample: boolean,
  stats: Readonly<Record<Kind, KindStats | IndexDamage>>,
): Html {
  const damages = { post: damageIn(stats.post), comment: damageIn(stats.comment) };
  const isWell = isReady && KINDS.every((kind) => damages[kind] === null);
  return html`<div class="prose"><h1>Status</h1>
<p class="state"><span class="dot${isWell ? '' : ' down'}" aria-hidden="true"></span> ${isReady ? searchingWords(damages) : 'The index is opening; searches wait until it is ready.'}</p>
${damageNotice(damages)}
${isSample ? html`<p>Nothing has been imported yet; these are the numbers of the invented sample.</p>` : null}
<div class="scroll" tabindex="0" role="group" aria-label="What is in the index"><table><thead><tr><td></td><th scope="col">Posts</th><th scope="col">Comments</th></tr></thead><tbody>
${ROWS.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${cell(stats.post, value)}</td><td>${cell(stats.comment, value)}</td></tr>`)}
</tbody></table></div>
<p>For machines: <a href="/healthz">/healthz</a>. Sizes and rates: <a href="/docs/limits">limits</a>.</p></div>`;
}

function searchingWords(damages: Readonly<Record<Kind, IndexDamage | null>>): string {
  const works = KINDS.filter((kind) => damages[kind] === null);
  if (works.length === 0) return 'Searching does not work.';
  return works.length === KINDS.length ? 'Searching works.' : `Searching works for ${works[0]}s.`;
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
