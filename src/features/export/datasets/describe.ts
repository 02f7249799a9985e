// The descriptions beside the files of a data set: Frictionless and Croissant for programs, a card for people, and the
// checksums of all files.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { count } from '../../../http/views/format.ts';
import type { Kind } from '../../../model/record.ts';
import { isoTime } from '../../../model/time.ts';
import { type Column, columnsOf } from '../../../operation/text-forms.ts';
import { mediaTypeOf, tableSchema } from '../parameters.ts';
import {
  type DatasetFormat,
  type Described,
  type EditionFile,
  type EditionTable,
  FORMAT_OF,
  type RecordFile,
  recordFiles,
  type Source,
  summaryOf,
  sumOf,
  titleOf,
} from './store.ts';

/** `datapackage.json` (https://datapackage.org/standard/data-package/): files of records, their columns and digests. */
function dataPackage(described: Described): object {
  const { definition, edition, sources, version } = described;
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: definition.name,
    title: titleOf(definition),
    description: summaryOf(described),
    version: String(edition.number),
    created: isoTime(edition.made),
    ...(definition.licence !== null && { licenses: [licenceOf(definition.licence)] }),
    ...(sources.length > 0 && { sources: sources.map(sourceOf) }),
    'colloquy:made_by': version,
    'colloquy:query': definition.query,
    'colloquy:index': Object.fromEntries(edition.tables.map(({ kind, index }) => [`${kind}s`, index])),
    resources: recordFiles(edition).map(resource),
  };
}

function sourceOf({ name, sha256 }: Source): object {
  return { title: name, ...(sha256 === null ? {} : { 'colloquy:sha256': sha256 }) };
}

/** By its address, or by a name in the form of the standard; the title is the name as given. */
function licenceOf(licence: string): object {
  if (/^https?:\/\//.test(licence)) return { path: licence };
  const name = licence.replace(/[^\w.-]+/g, '-');
  return name === licence ? { name } : { name, title: licence };
}

/** CSV is a table resource; formats without a reader are plain files with the same columns. */
function resource({ name, bytes, sha256, content }: RecordFile): object {
  const { format, compress } = FORMAT_OF[content.format];
  const isTable = format === 'csv';
  return {
    name,
    path: name,
    ...(isTable ? { type: 'table', format: 'csv', compression: 'gz' } : { type: 'file' }),
    mediatype: mediaTypeOf(format, compress),
    ...(format === 'parquet' ? {} : { encoding: 'utf-8' }),
    bytes,
    hash: `sha256:${sha256}`,
    schema: tableSchema(content.kind, format, null),
    'colloquy:records': content.records,
  };
}

/** Of Croissant, and named as there. */
const TERMS =
  'citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset ' +
  'jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate separator source ' +
  'subField transform';

/**
 * Of `croissant.json`, which loaders for machine learning read, as the specification prints it
 * (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html).
 */
const CONTEXT = sorted({
  ...{ '@language': 'en', '@vocab': 'https://schema.org/', sc: 'https://schema.org/' },
  ...{ cr: 'http://mlcommons.org/croissant/', rai: 'http://mlcommons.org/croissant/RAI/' },
  ...{ dct: 'http://purl.org/dc/terms/', conformsTo: 'dct:conformsTo' },
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
  ...Object.fromEntries(TERMS.split(' ').map((term) => [term, `cr:${term}`])),
});

/** By name, as the specification has them. */
function sorted(terms: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(terms).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const TYPES: Readonly<Record<Column['type'], string>> = {
  string: 'sc:Text',
  int32: 'sc:Integer',
  int64: 'sc:Integer',
  double: 'sc:Float',
  boolean: 'sc:Boolean',
};

/** The media types that readers know: content before compression. */
const ENCODINGS: Readonly<Record<DatasetFormat, string | readonly string[]>> = {
  'ndjson.zst': ['application/jsonlines', 'application/zstd'],
  'csv.gz': ['text/csv', 'application/gzip'],
  parquet: 'application/x-parquet',
};

/** Record sets are read from the first of these formats that there is. Readers do not know zstd. */
const READ_FROM: readonly DatasetFormat[] = ['parquet', 'csv.gz'];

function croissant(described: Described): object {
  const { definition, edition } = described;
  const files = recordFiles(edition);
  const readFrom = READ_FROM.find((format) => definition.formats.includes(format));
  const read = files.filter(({ content }) => content.format === readFrom);
  return {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    name: definition.name,
    alternateName: titleOf(definition),
    description: summaryOf(described),
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    ...(definition.licence === null ? {} : { license: definition.licence }),
    version: `${edition.number}.0.0`,
    datePublished: isoTime(edition.made),
    dateCreated: isoTime(edition.made),
    isLiveDataset: false,
    distribution: files.map(fileObject),
    ...(readFrom !== undefined && { recordSet: read.map((file) => recordSet(file, read)) }),
  };
}

function fileObject({ name, bytes, sha256, content }: RecordFile): object {
  return {
    '@type': 'cr:FileObject',
    ...{ '@id': name, name, contentUrl: name },
    contentSize: `${bytes} B`,
    encodingFormat: ENCODINGS[content.format],
    sha256,
  };
}

/** One per file: the parts of a kind have their own names. */
function recordSet({ name, content }: RecordFile, all: readonly RecordFile[]): object {
  const ofKind = all.filter((file) => file.content.kind === content.kind);
  const part = ofKind.findIndex((file) => file.name === name) + 1;
  const id = ofKind.length === 1 ? `${content.kind}s` : `${content.kind}s-${part}`;
  return {
    '@type': 'cr:RecordSet',
    '@id': id,
    name: id,
    key: { '@id': `${id}/id` },
    field: columnsOf(content.kind, null).map(({ name: column, type, description }) => ({
      '@type': 'cr:Field',
      '@id': `${id}/${column}`,
      name: column,
      description,
      dataType: TYPES[type],
      source: { fileObject: { '@id': name }, extract: { column } },
    })),
  };
}

/** Writes the descriptions, and returns every file of the edition in the order listed. */
export function writeDescriptions(folder: string, described: Described): readonly EditionFile[] {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  const own = [
    writeText(folder, 'README.md', card(described)),
    writeText(folder, 'datapackage.json', json(dataPackage(described))),
    writeText(folder, 'croissant.json', json(croissant(described))),
  ];
  const files = [...described.edition.files, ...own];
  const sums = files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
  return [...files, writeText(folder, 'SHA256SUMS', sums)];
}

function writeText(folder: string, name: string, text: string): EditionFile {
  const bytes = Buffer.from(text);
  writeFileSync(join(folder, name), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, bytes: bytes.length, sha256, content: null };
}

/**
 * Loaders use the first of these formats that there is. They and people read `README.md`, a card as of Hugging Face
 * (https://huggingface.co/docs/hub/datasets-cards).
 */
const LOADED: readonly DatasetFormat[] = ['parquet', 'ndjson.zst', 'csv.gz'];

/** Names of licences that the card's table knows (https://huggingface.co/docs/hub/repositories-licenses). */
const KNOWN_LICENCES: readonly string[] = [
  ...['apache-2.0', 'mit', 'cc0-1.0', 'cc-by-2.0', 'cc-by-2.5', 'cc-by-3.0', 'cc-by-4.0', 'cc-by-sa-3.0'],
  ...['cc-by-sa-4.0', 'cc-by-nc-2.0', 'cc-by-nc-3.0', 'cc-by-nc-4.0', 'cc-by-nd-4.0', 'cc-by-nc-nd-3.0'],
  ...['cc-by-nc-nd-4.0', 'cc-by-nc-sa-3.0', 'cc-by-nc-sa-4.0', 'pddl', 'odc-by', 'odbl', 'gfdl', 'unlicense'],
];

function card(described: Described): string {
  const { definition, edition, sources, version } = described;
  return `---
${head(described).join('\n')}
---

# ${plain(titleOf(definition))}

${plain(summaryOf(described))}

## Licence

${licenceWords(definition.licence)}

## What it holds

| records | number | first (UTC) | last (UTC) |
| --- | --- | --- | --- |
${edition.tables.map(tableRow).join('\n')}

Records come oldest first, with the fields of the service's API. Every format has the same records.

| file | records | bytes |
| --- | --- | --- |
${recordFiles(edition)
  .map(({ name, bytes, content }) => `| \`${name}\` | ${count(content.records)} | ${count(bytes)} |`)
  .join('\n')}

\`SHA256SUMS\` has the digest of each file (\`sha256sum -c SHA256SUMS\`), \`datapackage.json\` describes the files as a Data
Package (Frictionless), and \`croissant.json\` does in the vocabulary of Croissant.

${edition.tables.map(({ kind }) => columnWords(kind)).join('\n\n')}

## How it was made

- Query: ${definition.query === '' ? 'none, every record' : code(definition.query)}
- Made at ${isoTime(edition.made)} by ${plain(version)}, edition ${edition.number}
${edition.tables.map(indexLine).join('\n')}
${sourcesLine(sources)}

## What it lacks

- Authors: their names are not stored.
- Records missing from the sources, and records removed at the request of authors or others.
- Texts that were withdrawn at the source stand as \`[deleted]\` or \`[removed]\`.
- Scores and texts are those at the time of capture, which may be shortly after a record was written; they change later.
- \`sentiment\` is a rating by rules (VADER), and null where a text is too short or not reliably English.
- In CSV an empty text cannot be told from null.

If a record of it is removed from the index, the data set is withdrawn and rebuilt without it. If you keep a copy,
please fetch the new edition.
`;
}

/** YAML; texts are JSON strings, which are valid YAML. */
function head({ definition, edition }: Described): string[] {
  const format = LOADED.find((known) => definition.formats.includes(known))!;
  const files = recordFiles(edition).filter(({ content }) => content.format === format);
  const configs = edition.tables.flatMap(({ kind }, at) => [
    `- config_name: ${kind}s`,
    ...(at === 0 ? ['  default: true'] : []),
    '  data_files:',
    '  - split: train',
    '    path:',
    ...files.filter(({ content }) => content.kind === kind).map(({ name }) => `    - ${name}`),
  ]);
  return [
    `pretty_name: ${JSON.stringify(titleOf(definition))}`,
    ...licenceLines(definition.licence),
    `size_categories:\n- ${sizeCategory(sumOf(edition.tables, 'records'))}`,
    'configs:',
    ...configs,
  ];
}

function licenceLines(licence: string | null): string[] {
  if (licence === null) return ['license: unknown'];
  const known = licence.toLowerCase();
  if (KNOWN_LICENCES.includes(known)) return [`license: ${known}`];
  return ['license: other', `license_name: ${JSON.stringify(licence)}`];
}

function licenceWords(licence: string | null): string {
  if (licence !== null) return plain(licence);
  return 'No licence is given. The texts are their authors’; ask the operator of the service how they may be used.';
}

function tableRow({ kind, records, first, last }: EditionTable): string {
  const [from, to] = [first, last].map((time) => (time === null ? '–' : isoTime(time)));
  return `| ${kind}s | ${count(records)} | ${from} | ${to} |`;
}

function columnWords(kind: Kind): string {
  const rows = columnsOf(kind, null).map(
    ({ name, type, description }) => `| \`${name}\` | ${type} | ${description} |`,
  );
  return `Columns of ${kind}s (in NDJSON, \`subreddit\` is an object):

| column | type | meaning |
| --- | --- | --- |
${rows.join('\n')}`;
}

function sourcesLine(sources: readonly Source[]): string {
  if (sources.length === 0) return '- The sources of the index are not known';
  const words = sources.map(({ name, sha256 }) => {
    return sha256 === null ? code(name) : `${code(name)} (SHA-256 \`${sha256}\`)`;
  });
  return `- Imported from: ${words.join(', ')}`;
}

function indexLine({ kind, index }: EditionTable): string {
  if (index === null) return `- The index of ${kind}s it comes from was not recorded`;
  return `- From the index \`${index.fingerprint}\` of ${count(index.records)} ${kind}s`;
}

function sizeCategory(records: number): string {
  const bounds = ['1K', '10K', '100K', '1M', '10M', '100M', '1B'];
  const at = bounds.findIndex((_, i) => records < 1000 * 10 ** i);
  if (at === -1) return 'n>1B';
  return `${at === 0 ? '' : `${bounds[at - 1]}<`}n<${bounds[at]}`;
}

/** In one line, as code; a backtick in it would end the code. */
function code(text: string): string {
  return `\`${text.replace(/\s+/g, ' ').replaceAll('`', "'")}\``;
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&');
}
