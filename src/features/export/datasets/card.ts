// `README.md`: a card for people and loaders, as Hugging Face reads it
// (https://huggingface.co/docs/hub/datasets-cards).

import type { Kind } from '../../../model/record.ts';
import { isoTime } from '../../../model/time.ts';
import { columnsOf } from '../../../operation/text-forms.ts';
import {
  type Described,
  type EditionTable,
  recordFiles,
  type Source,
  summaryOf,
  titleOf,
} from './edition.ts';
import type { DatasetFormat } from './store.ts';

/** Loaders use the first of these formats that there is. */
const LOADED: readonly DatasetFormat[] = ['parquet', 'ndjson.zst', 'csv.gz'];

/** Names of licences that the card's table knows (https://huggingface.co/docs/hub/repositories-licenses). */
const KNOWN_LICENCES: readonly string[] = [
  ...['apache-2.0', 'mit', 'cc0-1.0', 'cc-by-2.0', 'cc-by-2.5', 'cc-by-3.0', 'cc-by-4.0', 'cc-by-sa-3.0'],
  ...['cc-by-sa-4.0', 'cc-by-nc-2.0', 'cc-by-nc-3.0', 'cc-by-nc-4.0', 'cc-by-nd-4.0', 'cc-by-nc-nd-3.0'],
  ...['cc-by-nc-nd-4.0', 'cc-by-nc-sa-3.0', 'cc-by-nc-sa-4.0', 'pddl', 'odc-by', 'odbl', 'gfdl', 'unlicense'],
];

export function card(described: Described): string {
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
  .map(({ name, bytes, content }) => `| \`${name}\` | ${number(content.records)} | ${number(bytes)} |`)
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
    `size_categories:\n- ${sizeCategory(edition.tables.reduce((sum, { records }) => sum + records, 0))}`,
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
  return `| ${kind}s | ${number(records)} | ${from} | ${to} |`;
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
  return `- From the index \`${index.fingerprint}\` of ${number(index.records)} ${kind}s`;
}

function sizeCategory(records: number): string {
  const bounds = [
    [1e3, 'n<1K'],
    [1e4, '1K<n<10K'],
    [1e5, '10K<n<100K'],
    [1e6, '100K<n<1M'],
    [1e7, '1M<n<10M'],
    [1e8, '10M<n<100M'],
    [1e9, '100M<n<1B'],
  ] as const;
  return bounds.find(([below]) => records < below)?.[1] ?? 'n>1B';
}

function number(value: number): string {
  return value.toLocaleString('en');
}

/** In one line, as code; a backtick in it would end the code. */
function code(text: string): string {
  return `\`${text.replace(/\s+/g, ' ').replaceAll('`', "'")}\``;
}

/** Escapes user text for Markdown. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&');
}
