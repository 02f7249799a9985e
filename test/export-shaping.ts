// Exports without an engine: records given to a shaper in batches of any size, and readers that take their formats at
// the word.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import type { ShaperOptions } from '../src/features/export/export-service.ts';
import { openShaper } from '../src/features/export/shaper.ts';
import type { CommunityEvidence } from '../src/model/community.ts';
import type { ExportView, RecordShaper, ShaperReport } from '../src/model/export.ts';
import { KINDS, type StoredRecord } from '../src/model/record.ts';
import type { ArrivalTime } from '../src/model/time.ts';
import { chooseFields, FIELD_NAMES, presentRecords } from '../src/search/presenter.ts';
import { recordArbitrary } from './generators/records.ts';
import { comment, temporaryFolder } from './helpers.ts';

export const SHAPER_DEFAULTS: ShaperOptions = {
  kind: 'comment',
  format: 'ndjson',
  compress: 'none',
  fields: null,
  permalinkBase: 'https://site.example',
  catalogue: null,
  resume: null,
};

export const EVIDENCE = new Map([
  ['energy', { id: '2qh1', judgedPosts: 10, adultPosts: 9 }],
  ['cats', { id: '', judgedPosts: 10, adultPosts: 1 }],
]);

export const NO_EVIDENCE: ExportView = { evidence: async () => new Map() };

export function viewWith(evidence: ReadonlyMap<string, CommunityEvidence>): ExportView {
  return { evidence: async (names) => new Map([...names].flatMap((name) => pair(name, evidence.get(name)))) };
}

function pair<V>(name: string, value: V | undefined): [string, V][] {
  return value === undefined ? [] : [[name, value]];
}

export interface ShapedStep {
  /** Of all bytes so far. */
  readonly bytes: number;
  readonly state: unknown;
}

export interface Shaped {
  readonly bytes: Buffer;
  readonly report: ShaperReport;
  readonly steps: readonly ShapedStep[];
}

/** A step comes behind every `stepEvery` records; batches never go over one. `from`: how many a part already has. */
export async function shape(
  records: readonly StoredRecord[],
  options: Partial<ShaperOptions>,
  {
    batch = 100,
    stepEvery = Number.POSITIVE_INFINITY,
    from = 0,
    view = NO_EVIDENCE,
  }: { batch?: number; stepEvery?: number; from?: number; view?: ExportView } = {},
): Promise<Shaped> {
  const total = records.length;
  const shaper = await openShaper(
    { ...SHAPER_DEFAULTS, ...options },
    { total, matches: total, arrival: 0 },
    view,
  );
  try {
    return await shapeWith(shaper, records, batch, stepEvery, from);
  } finally {
    shaper.close();
  }
}

async function shapeWith(
  shaper: RecordShaper,
  records: readonly StoredRecord[],
  batch: number,
  stepEvery: number,
  from: number,
): Promise<Shaped> {
  const pieces: Uint8Array[] = [];
  const steps: ShapedStep[] = [];
  let length = 0;
  const take = (bytes: readonly Uint8Array[]) => {
    for (const piece of bytes) {
      pieces.push(piece);
      length += piece.length;
    }
  };
  for (let at = from; at < records.length; ) {
    const end = Math.min(at + batch, at - (at % stepEvery) + stepEvery, records.length);
    const isStep = end % stepEvery === 0;
    const next = records.slice(at, end);
    take(await shaper.add(next, isStep, next.map(arrivedOf)));
    // As a file would hold it.
    if (isStep) steps.push({ bytes: length, state: JSON.parse(JSON.stringify(shaper.state())) });
    at = end;
  }
  const { bytes, report } = await shaper.end();
  take(bytes);
  return { bytes: Buffer.concat(pieces), report, steps };
}

/** Goes on behind step `step` of an export that was broken off there; what it returns begins behind it. */
export function shapeOn(
  whole: Shaped,
  step: number,
  part: string,
  records: readonly StoredRecord[],
  options: Partial<ShaperOptions>,
  stepEvery: number,
): Promise<Shaped> {
  const { bytes, state } = whole.steps[step]!;
  writeFileSync(part, whole.bytes.subarray(0, bytes));
  const from = (step + 1) * stepEvery;
  return shape(records, { ...options, resume: { state, part } }, { stepEvery, from, batch: 37 });
}

/** Holds for each of the four steps of these records. */
export async function expectSameBehindSteps(
  records: readonly StoredRecord[],
  options: Partial<ShaperOptions>,
  stepEvery: number,
): Promise<void> {
  using folder = temporaryFolder();
  const whole = await shape(records, options, { stepEvery });
  assert.equal(whole.steps.length, 4);
  // Row groups may be serialized in several ways; the end of the file tells them.
  const statesOf = ({ steps }: Shaped) =>
    steps.map(({ state }) => ({ ...(state as object), groups: undefined }));
  for (const [step, { bytes }] of whole.steps.entries()) {
    const rest = await shapeOn(whole, step, join(folder.path, 'part'), records, options, stepEvery);
    assert.ok(rest.bytes.equals(whole.bytes.subarray(bytes)), `step ${step}`);
    assert.deepEqual([rest.report, statesOf(rest)], [whole.report, statesOf(whole).slice(step + 1)]);
  }
}

/** Rows of RFC 4180 by the letter, with this end of a row; throws where the text is not of that form. */
export function strictCsv(text: string, rowEnd: '\n' | '\r\n'): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    const [cell, behind] = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at);
    row.push(cell);
    if (text[behind] === ',') at = behind + 1;
    else if (text.startsWith(rowEnd, behind)) {
      rows.push(row);
      row = [];
      at = behind + rowEnd.length;
    } else throw new Error(`${behind}: expected a comma or the end of a row`);
  }
  if (row.length > 0) throw new Error('expected the end of the last row');
  return rows;
}

function quotedCell(text: string, start: number): [cell: string, behind: number] {
  let end = start + 1;
  for (;;) {
    end = text.indexOf('"', end);
    if (end === -1) throw new Error(`${start}: expected a closing quote`);
    if (text[end + 1] !== '"') return [text.slice(start + 1, end).replaceAll('""', '"'), end + 1];
    end += 2;
  }
}

function plainCell(text: string, start: number): [cell: string, behind: number] {
  const [cell = ''] = /^[^",\r\n]*/.exec(text.slice(start)) ?? [];
  return [cell, start + cell.length];
}

/** Rows of a Parquet file, as another program reads them. */
export function parquetRows(bytes: Buffer): Promise<Record<string, unknown>[]> {
  const compressors = { ZSTD: (page: Uint8Array) => zstdDecompressSync(page) };
  // Its own would drop a byte order mark.
  const stringFromBytes = (text: Uint8Array | undefined) => text && Buffer.from(text).toString();
  return parquetReadObjects({
    file: Uint8Array.from(bytes).buffer,
    compressors,
    parsers: { ...DEFAULT_PARSERS, stringFromBytes },
  });
}

/** Texts that readers and writers of text formats stumble over. */
export const AWKWARD_TEXTS: readonly string[] = [
  ...['', ' ', ' x ', 'NA', 'null', 'NaN', 'true', '1e5', '007', '-1', '+1', '=1+1', '@x', "'x"],
  ...['"', '""', 'a"b', 'a,b', 'a\nb', 'a\r\nb', '\r', '\n', '\t', 'x\n', '\\', '\\n', '#x', ';', '|'],
  ...['😀', '👩‍🔬', 'é', 'e\u0301', '\u0001', '\u0007', '\u001f', '\u007f', '\u0085', '\u00a0', '\u2028'],
  ...[
    ...['\u2029', '\ufeff', '\ufffd', '\u202e', '＝1', '＋1', '－1', '＠x', '<b>', '日本'],
    'a\u0000b'.replace('\u0000', ''),
  ],
];

/** Some thousand comments, of about the length of real ones and with some of the awkward texts in each. */
export function manyComments(count: number): StoredRecord[] {
  return Array.from({ length: count }, (_, i) =>
    comment({
      id: (i * 7_919 + 36 ** 5).toString(36),
      community: `c${i % 30}`,
      created: 1_200_000_000 + i,
      score: ((i * 31) % 500) - 20,
      sentiment: i % 3 === 0 ? null : ((i % 200) - 100) / 100,
      body: Array.from({ length: 1 + (i % 40) }, (_, word) =>
        word % 9 === 0 ? AWKWARD_TEXTS[(i + word) % AWKWARD_TEXTS.length]! : `w${(i * word * 7) % 1009}`,
      ).join(' '),
    }),
  );
}

/** When a record came in, as the shapers are told: of some it is not known. */
export function arrivedOf({ created }: StoredRecord): ArrivalTime {
  return created % 3 === 0 ? null : created + 86_400;
}

/** What a caller gets of these records, by the definition. */
export function presented(records: readonly StoredRecord[], fields: readonly string[] | null) {
  const { permalinkBase } = SHAPER_DEFAULTS;
  const whole = presentRecords(records, { evidence: EVIDENCE, knowledge: new Map(), permalinkBase });
  return fields === null
    ? whole.map((record) => ({ ...record }))
    : whole.map((record, i) => chooseFields(record, records[i]!, fields, arrivedOf(records[i]!)));
}

export function flatNames(fields: readonly string[]): string[] {
  return fields.flatMap((field) =>
    field === 'subreddit' ? ['subreddit.id', 'subreddit.name', 'subreddit.nsfw'] : [field],
  );
}

/** Random records, their texts awkward now and then, and a choice of fields. */
export function exportArbitrary() {
  return fc.constantFrom(...KINDS).chain((kind) => {
    const text = fc.option(fc.oneof(fc.constantFrom(...AWKWARD_TEXTS), fc.string({ unit: 'grapheme' })));
    const record = fc.tuple(recordArbitrary(kind), text).map(([plain, given]): StoredRecord => {
      if (given === null) return plain;
      return plain.kind === 'post'
        ? { ...plain, title: given, selftext: `${given} ${given}` }
        : { ...plain, body: given };
    });
    const fields = fc.option(fc.shuffledSubarray([...FIELD_NAMES[kind]], { minLength: 1 }));
    return fc.record({ kind: fc.constant(kind), records: fc.array(record, { maxLength: 20 }), fields });
  });
}
