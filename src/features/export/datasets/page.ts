// The pages of data sets: the list, and a data set with its files and first rows; and downloads for signed-in users.

import type { FastifyInstance } from 'fastify';
import { searchAddress } from '../../../http/addresses.ts';
import { sendFile } from '../../../http/answers/streamed-answer.ts';
import { breakOffUnless } from '../../../http/requests/caller.ts';
import { addPageRead } from '../../../http/site/respond.ts';
import type { Site } from '../../../http/site/site.ts';
import { count, counted, dateTimeElement, fileSize } from '../../../http/views/format.ts';
import { type Html, html } from '../../../http/views/html.ts';
import { type Frame, signInTo } from '../../../http/views/layout.ts';
import { visibleText } from '../../../http/views/record-text.ts';
import type { Community } from '../../../model/community.ts';
import type { Row } from '../../../operation/text-forms.ts';
import { datasetAddress, datasetFileAddress } from './endpoints.ts';
import { type ShownDataset, shelfOf } from './shelf.ts';
import { countsOf, type EditionFile, type EditionTable, sumOf } from './store.ts';

const DATASETS_PAGE = '/datasets';

function datasetPage(name: string): string {
  return `${DATASETS_PAGE}/${name}`;
}

function datasetFilePage(name: string, file: string): string {
  return `${datasetPage(name)}/${encodeURIComponent(file)}`;
}

export function addPages(server: FastifyInstance, site: Site): void {
  const datasets = shelfOf(site.archive);

  addPageRead(server, site, DATASETS_PAGE, (visit) =>
    visit.send({
      ...{ title: 'Data sets', main: datasetListPage(datasets.list()), canonical: DATASETS_PAGE },
      ...{ section: 'export', mainClass: 'wide' },
    }),
  );
  addPageRead(server, site, `${DATASETS_PAGE}/:name`, (visit) => {
    const name = visit.parameter('name');
    const shown = datasets.get(name);
    const main = datasetPageOf(visit.frame, shown);
    return visit.send({
      ...{ title: shown.dataset.title ?? name, main, canonical: datasetPage(name) },
      ...{ section: 'export', mainClass: 'wide' },
    });
  });
  addPageRead(server, site, `${DATASETS_PAGE}/:name/:file`, async (visit) => {
    const [name, file] = [visit.parameter('name'), visit.parameter('file')];
    if (visit.viewer === null) return visit.redirectToSignIn(datasetFilePage(name, file));
    const { request, reply } = visit;
    breakOffUnless(() => site.sessions.signedIn(request) !== null, reply);
    return sendFile(request, reply, await datasets.open(name, file), { vary: 'Cookie' });
  });
}

const MAX_CELL = 200;

function datasetListPage(shown: readonly ShownDataset[]): Html {
  const rows = shown.map(
    ({ dataset, edition }) => html`<tr>
<th scope="row"><a href="${datasetPage(dataset.name)}">${visibleText(dataset.title ?? dataset.name)}</a></th>
<td>${edition === null ? 'withdrawn' : edition.tables.map(({ kind, records }) => counted(records, kind)).join(', ')}</td>
<td>${edition === null ? '–' : fileSize(sumOf(edition.files, 'bytes'))}</td>
<td>${edition === null ? '–' : dateTimeElement(edition.made)}</td>
<td>${licenceWords(dataset.licence)}</td></tr>`,
  );
  return html`<div class="prose"><h1>Data sets</h1>
<p>Complete search results, published as files: NDJSON, CSV and Parquet, with checksums and machine-readable descriptions.</p></div>
${
  shown.length === 0
    ? html`<p class="empty">No data sets yet.</p>`
    : html`<div class="scroll lines" tabindex="0" role="group" aria-label="Data sets"><table><thead><tr><th scope="col">Name</th><th scope="col">Records</th><th scope="col">Size</th><th scope="col">Made (UTC)</th><th scope="col">Licence</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}`;
}

function datasetPageOf(frame: Frame, { dataset, edition }: ShownDataset): Html {
  const { name, title, query, kinds } = dataset;
  const search = searchAddress({ query, kind: kinds[0]! });
  return html`<div class="prose"><h1>${visibleText(title ?? name)}</h1>
${
  edition === null
    ? html`<p class="notice" role="status"><strong>Withdrawn.</strong> Some of its records were removed; it is being rebuilt.</p>`
    : html`<p>${countsOf(edition.tables)}, made ${dateTimeElement(edition.made)} UTC, edition ${count(edition.number)}.</p>`
}
<p>${query === '' ? 'Every record of the index.' : html`Every match of <a href="${search}"><code>${query}</code></a>.`} Licence: ${licenceWords(dataset.licence)}.</p></div>
${
  edition === null
    ? null
    : html`${filesPart(frame, name, edition.files)}
${edition.tables.map(rowsPart)}
${loadingPart(frame, name, edition.files)}`
}`;
}

function filesPart(frame: Frame, name: string, files: readonly EditionFile[]): Html {
  const isVisitor = frame.viewer === null;
  const rows = files.map(
    (file) => html`<tr>
<th scope="row">${isVisitor ? file.name : html`<a href="${datasetFilePage(name, file.name)}" download>${file.name}</a>`}</th>
<td>${file.content === null ? '–' : count(file.content.records)}</td>
<td>${fileSize(file.bytes)}</td>
<td><code>${file.sha256}</code></td></tr>`,
  );
  return html`<h2 id="files" class="apart">Files</h2>
${isVisitor ? html`<p class="lead">${signInTo(frame, 'download them.')}</p>` : null}
<div class="scroll lines" tabindex="0" role="group" aria-labelledby="files"><table><thead><tr><th scope="col">File</th><th scope="col">Records</th><th scope="col">Size</th><th scope="col">SHA-256</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function rowsPart({ kind, rows }: EditionTable): Html | null {
  if (rows.length === 0) return null;
  const id = `rows-${kind}s`;
  return html`<h2 id="${id}" class="apart">The first ${counted(rows.length, kind)}</h2>
<div class="scroll lines" tabindex="0" role="group" aria-labelledby="${id}"><table><thead><tr><th scope="col">id</th><th scope="col">text</th><th scope="col">subreddit</th><th scope="col">score</th><th scope="col">created (UTC)</th></tr></thead>
<tbody>${rows.map(shownRow)}</tbody></table></div>`;
}

function shownRow(row: Row): Html {
  const text = String(row.type === 'post' ? row.title : row.body);
  const cut = text.length > MAX_CELL ? `${text.slice(0, MAX_CELL).toWellFormed()}…` : text;
  return html`<tr><th scope="row">${String(row.id)}</th><td class="text">${visibleText(cut)}</td>
<td>/r/${(row.subreddit as Community).name}</td><td>${count(Number(row.score))}</td>
<td>${dateTimeElement(Number(row.created_utc))}</td></tr>`;
}

function loadingPart({ publicAddress }: Frame, name: string, files: readonly EditionFile[]): Html {
  const example = files.find(({ content }) => content !== null)!;
  const address = publicAddress + datasetFileAddress(name, example.name);
  return html`<h2 id="programs" class="apart">For programs</h2>
<p class="lead"><a href="${datasetAddress(name)}">Description as JSON</a> needs no key; files need one (<a href="/docs">API docs</a>).</p>
<pre tabindex="0"><code>curl -C - -O -H "Authorization: Bearer $COLLOQUY_KEY" ${address}
sha256sum --check --ignore-missing SHA256SUMS</code></pre>`;
}

function licenceWords(licence: string | null): string {
  return licence === null ? 'none is given' : visibleText(licence);
}
