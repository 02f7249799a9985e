// The form below a list that brings all of it as a file: format, compression, fields, order, or a sample.

import { COMPRESSIONS, type Compression, FORMATS, type Format } from '../../../exporting/formats.ts';
import { ORDERS } from '../../../model/pages.ts';
import type { Kind } from '../../../model/record.ts';
import { DEFAULT_FIELDS, FIELD_NAMES } from '../../../search/presenter.ts';
import { registerAddress, signInAddress } from '../../addresses/pages.ts';
import type { SearchState } from '../../addresses/search.ts';
import { DOWNLOAD_PATH } from '../../addresses/tables.ts';
import { LIST_NAMES } from '../../addresses/written.ts';
import { count, counted, fileSize } from '../format.ts';
import { select, submitButton, textField } from '../forms.ts';
import { type Html, html } from '../html.ts';
import type { Frame } from '../layout.ts';

const FORMAT_NAMES: Readonly<Record<Format, string>> = {
  ndjson: 'NDJSON',
  csv: 'CSV',
  'csv-excel': 'CSV for spreadsheets',
  parquet: 'Parquet',
};

const COMPRESSION_NAMES: Readonly<Record<Compression, string>> = { none: 'none', gzip: 'gzip', zstd: 'zstd' };

const FORMAT_CHOICES = (Object.keys(FORMATS) as Format[]).map((value) => ({
  value,
  label: FORMAT_NAMES[value],
}));

const COMPRESSION_CHOICES = (Object.keys(COMPRESSIONS) as Compression[]).map((value) => ({
  value,
  label: COMPRESSION_NAMES[value],
}));

const ORDER_CHOICES = ORDERS.map((order) => ({ value: order, label: order }));

interface DownloadView {
  readonly state: SearchState;
  /** How many records match. */
  readonly total: number;
  /** Those of this page. */
  readonly records: readonly object[];
}

/** Folded; a visitor gets how to sign in. null where there is nothing to bring. */
export function downloadForm(frame: Frame, view: DownloadView): Html | null {
  const { total } = view;
  if (total === 0) return null;
  return html`<details class="panel download"><summary id="download"><h2>Download</h2> <span class="tally">${count(total)}</span></summary>
${frame.viewer === null ? visitorWords(frame) : form(view)}
</details>`;
}

function form({ state, total, records }: DownloadView): Html {
  const { query, kind, order } = state;
  return html`<form action="${DOWNLOAD_PATH}" method="get">
<p>All <b>${counted(total, kind)}</b> of this search, in one file. ${estimate(records, total)}</p>
<input type="hidden" name="query" value="${query}"><input type="hidden" name="in" value="${LIST_NAMES[kind]}">
${select('Format', 'format', FORMAT_CHOICES, 'ndjson')}
${select('Compression (Parquet has its own)', 'compress', COMPRESSION_CHOICES, 'none')}
${select('Order', 'order_by', ORDER_CHOICES, order)}
${textField({ name: 'sample', label: 'A sample of', type: 'number', hint: 'How many records, drawn at random, the same ones each time. Empty: all.' })}
${fieldChoice(kind)}
${submitButton('Download')}
</form>`;
}

/** Without compression, by the mean of the records of this page as NDJSON; null where the page has none. */
function estimate(records: readonly object[], total: number): Html | null {
  if (records.length === 0) return null;
  const bytes = records.reduce((sum, record) => sum + Buffer.byteLength(JSON.stringify(record)) + 1, 0);
  const all = (bytes / records.length) * total;
  return html`As NDJSON without compression about ${fileSize(all)}, reckoned from the ${counted(records.length, 'record')} of this page.`;
}

function fieldChoice(kind: Kind): Html {
  return html`<fieldset class="choice"><legend>Fields</legend>
${FIELD_NAMES[kind].map(
  (name) =>
    html`<label><input type="checkbox" name="fields" value="${name}"${DEFAULT_FIELDS[kind].includes(name) ? html` checked` : null}> ${name}</label>`,
)}
</fieldset>`;
}

function visitorWords(frame: Frame): Html {
  const register = frame.canRegister ? html` or <a href="${registerAddress(frame.here)}">register</a>` : null;
  return html`<p><a href="${signInAddress(frame.here)}">Sign in</a>${register} to download all results.</p>`;
}
