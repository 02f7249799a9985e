// The download of a page of results: its form below the list. Contract 8.14.

import type { FastifyInstance } from 'fastify';
import { endpointPath, pageAddress, readFirst, readKind, readPairs } from '../../http/addresses.ts';
import { addPageRead } from '../../http/site/respond.ts';
import type { ResultsFound, ResultsPart, Site } from '../../http/site/site.ts';
import { count, counted, fileSize } from '../../http/views/format.ts';
import { type Html, html, select, submitButton, textField } from '../../http/views/html.ts';
import { signInTo } from '../../http/views/layout.ts';
import { ORDERS } from '../../model/pages.ts';
import { KIND_NAMES, type Kind } from '../../model/record.ts';
import { readParameters } from '../../operation/parameters.ts';
import { DEFAULT_FIELDS, FIELD_NAMES } from '../../search/presenter.ts';
import { exportPlan, wishOf } from './export-service.ts';
import { COMPRESSIONS, EXPORT_PARAMETERS, type ExportTable, type Format } from './parameters.ts';

const PATH = '/download';

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, site, PATH, (visit) => {
    const { here } = visit;
    if (visit.viewer === null) return visit.redirectToSignIn();
    const kind = readKind(readFirst(here).get('kind') ?? '');
    const address = exportAddress(kind, here);
    const values = readParameters(EXPORT_PARAMETERS[kind] as ExportTable, address);
    exportPlan(wishOf(kind, values));
    return visit.redirect(address);
  });
}

/** Address of the export that the form describes; an empty field counts as absent. */
function exportAddress(kind: Kind, here: string): string {
  const pairs = readPairs(here);
  const fields = pairs.flatMap(({ name, value }) => (name === 'fields' && value !== '' ? [value] : []));
  const isUsual = fields.length === 0 || fields.join() === DEFAULT_FIELDS[kind].join();
  const others = pairs.filter(
    ({ name, value }) => !['kind', 'fields'].includes(name) && (value !== '' || name === 'query'),
  );
  return pageAddress(endpointPath('export', kind), [
    ...others.map(({ name, value }) => [name, value] as const),
    ['fields', isUsual ? null : fields.join()],
  ]);
}

const FORMAT_NAMES: Readonly<Record<Format, string>> = {
  ndjson: 'NDJSON',
  csv: 'CSV',
  'csv-excel': 'CSV for spreadsheets',
  parquet: 'Parquet',
};

/** The form, folded until its link is followed; visitors see how to sign in. Empty: nothing matches. */
export function downloadOf(found: ResultsFound): ResultsPart {
  const { frame, total } = found;
  if (total === 0) return {};
  return {
    link: html`<a href="#whole">Download</a>`,
    below: html`<details class="panel download"><summary id="download"><h2>Download</h2> <span class="tally">${count(total)}</span></summary>
<div id="whole">${frame.viewer === null ? html`<p>${signInTo(frame, 'download all results.')}</p>` : form(found)}</div>
</details>`,
  };
}

function form({ query, under, kind, order, total, records }: ResultsFound): Html {
  return html`<form action="${PATH}" method="get">
<p>All <b>${counted(total, kind)}</b> of this search, in one file. ${estimate(records, total)}</p>
<input type="hidden" name="query" value="${query}"><input type="hidden" name="kind" value="${KIND_NAMES[kind]}">${kind === 'post' || under === null ? null : html`<input type="hidden" name="under" value="${under}">`}
${select('Format', 'format', FORMAT_NAMES, 'ndjson')}
${submitButton('Download')}
<details class="inner"><summary>More choices</summary>
${select('Compression (Parquet has its own)', 'compress', Object.keys(COMPRESSIONS), 'none')}
${select('Order', 'order_by', ORDERS, order)}
${textField({ name: 'sample', label: 'Sample size', type: 'number', hint: 'How many records to draw at random, the same ones each time. Leave empty for all.' })}
${fieldChoice(kind)}
</details></form>`;
}

/** Estimated size without compression, by the mean of this page's records as NDJSON; null if it has none. */
function estimate(records: readonly object[], total: number): Html | null {
  if (records.length === 0) return null;
  const bytes = records.reduce((sum, record) => sum + Buffer.byteLength(JSON.stringify(record)) + 1, 0);
  const all = (bytes / records.length) * total;
  return html`About ${fileSize(all)} as uncompressed NDJSON, estimated from this page.`;
}

function fieldChoice(kind: Kind): Html {
  return html`<fieldset class="choice"><legend>Fields</legend>
${FIELD_NAMES[kind].map(
  (name) =>
    html`<label><input type="checkbox" name="fields" value="${name}"${DEFAULT_FIELDS[kind].includes(name) ? html` checked` : null}> ${name}</label>`,
)}
</fieldset>`;
}
