// Data sets: the list and their content for everybody, their files for API keys.

import { KIND_NAMES } from '../../../model/record.ts';
import { bytesOperation, operation } from '../../../operation/operation.ts';
import { Type } from '../../../operation/parameters.ts';
import { type ShownDataset, shelfOf } from './shelf.ts';
import { DATASET_NAME, recordsOf, sumOf } from './store.ts';

const DATASETS_PATH = '/api/v1/datasets';

export function datasetAddress(name: string): string {
  return `${DATASETS_PATH}/${name}`;
}

export function datasetFileAddress(name: string, file: string): string {
  return `${datasetAddress(name)}/${file}`;
}

const datasetSummary = {
  name: Type.String('Lower-case letters, digits and hyphens.'),
  title: Type.String('For people; the name where none was given.'),
  licence: Type.Nullable(Type.String('As the operator states it; null: none is given.')),
  state: Type.String('`published`, or `withdrawn`: being rebuilt without what was removed.'),
  url: Type.String('Address of the description.'),
  kinds: Type.Array(Type.String(), '`posts`, `comments`.'),
  query: Type.String('In canonical form; empty: every record.'),
  formats: Type.Array(Type.String(), 'File extensions: `ndjson.zst`, `csv.gz`, `parquet`.'),
  created: Type.Integer('When it was defined: Unix seconds.'),
  made: Type.Nullable(Type.Integer('When its files were made: Unix seconds; null while it is withdrawn.')),
  edition: Type.Nullable(
    Type.Integer('Number of its files: those made later have a higher one; null while it is withdrawn.'),
  ),
  records: Type.Unsafe({
    ...{
      type: ['object', 'null'],
      properties: { posts: { type: 'integer' }, comments: { type: 'integer' } },
    },
    description: 'Of each kind that it has; null while it is withdrawn.',
  }),
  bytes: Type.Nullable(Type.Integer('Of all files; null while it is withdrawn.')),
};

const indexOf = Type.Nullable(
  Type.Object(
    { fingerprint: { type: 'string' }, records: { type: 'integer' } },
    'The index of the records; null if they are of several kinds, or if it is unknown.',
  ),
);

const DatasetListSchema = Type.Object(
  {
    type: Type.Literal('datasets'),
    query: Type.Null(),
    index: Type.Null(),
    datasets: Type.Array(Type.Object(datasetSummary), 'By name.'),
  },
  { $id: 'DatasetList' },
);

const datasetTable = Type.Object({
  kind: Type.String('`posts` or `comments`.'),
  records: Type.Count(),
  first: Type.Nullable(Type.Integer('`created_utc` of the first record; null where there is none.')),
  last: Type.Nullable(Type.Integer('`created_utc` of the last record; null where there is none.')),
  index: indexOf,
  rows: Type.Array(
    Type.Union([Type.Ref('Post#'), Type.Ref('Comment#')]),
    'The first ten records, oldest first; texts end with `…` after 2,000 characters.',
  ),
});

const datasetFile = Type.Object({
  name: Type.String(),
  bytes: Type.Count(),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  url: Type.String('Where a key downloads it.'),
  kind: Type.Nullable(Type.String('`posts` or `comments`; null of a file that describes the others.')),
  format: Type.Nullable(Type.String('As in `formats`; null likewise.')),
  records: Type.Nullable(Type.Integer('Null likewise.')),
});

const DatasetSchema = Type.Object(
  {
    type: Type.Literal('dataset'),
    index: indexOf,
    ...datasetSummary,
    split_every: Type.Nullable(Type.Integer('Records of a file at the most; null: it is not split.')),
    tables: Type.Array(datasetTable, 'One for each kind; empty while it is withdrawn.'),
    files: Type.Array(datasetFile, 'Empty while it is withdrawn.'),
  },
  { $id: 'Dataset' },
);

const name = Type.String({ pattern: DATASET_NAME.source, description: 'The data set.', examples: ['solar'] });

export const operations = [
  operation({
    ...{ name: 'datasets', tag: 'datasets', isOpen: true },
    summary: 'List the data sets',
    description: 'Every data set that was published, by name. Needs no key.',
    parameters: {},
    schema: DatasetListSchema,
    answerWords: 'The data sets.',
    run: async (archive, _, { ownAddress }) => ({
      answer: {
        ...{ type: 'datasets', query: null, index: null },
        datasets: shelfOf(archive)
          .list()
          .map((shown) => summaryOf(shown, ownAddress ?? '')),
      },
    }),
  }),
  operation({
    ...{ name: 'datasets', operationId: 'dataset', part: { name: 'name', schema: name } },
    ...{ tag: 'datasets', isOpen: true },
    summary: 'Describe a data set',
    description: 'Its files with sizes and digests, and ten rows of each table. Needs no key.',
    parameters: {},
    schema: DatasetSchema,
    answerWords: 'The data set.',
    run: async (archive, _, { ownAddress, pathParts }) => ({
      answer: datasetAnswer(shelfOf(archive).get(pathParts.name ?? ''), ownAddress ?? ''),
    }),
  }),
];

export const bytes = [
  bytesOperation({
    ...{ name: 'datasets', operationId: 'dataset_file', tag: 'datasets', isFile: true },
    summary: 'Download a file of a data set',
    description: [
      'The file, or with `Range: bytes=<first>-<last>` one part of it; several ranges are answered whole. `ETag` is',
      'the SHA-256 of the file in hex, for `If-Range` and `If-None-Match`. If the data set is withdrawn while the file',
      'is sent, the connection breaks before `Content-Length` bytes have come.',
    ].join(' '),
    parts: {
      name,
      file: Type.String({ description: 'One of its files.', examples: ['solar-comments.parquet'] }),
    },
    parameters: {},
    mediaTypes: ['application/octet-stream'],
    send: async (archive, _, { pathParts: { name: dataset = '', file = '' } }) => ({
      file: await shelfOf(archive).open(dataset, file),
    }),
  }),
];

function datasetAnswer(shown: ShownDataset, ownAddress: string): object {
  const { dataset, edition } = shown;
  const [table, ...others] = edition?.tables ?? [];
  return {
    type: 'dataset',
    query: dataset.query,
    index: table !== undefined && others.length === 0 ? table.index : null,
    ...summaryOf(shown, ownAddress),
    split_every: dataset.splitEvery,
    tables: (edition?.tables ?? []).map((each) => ({ ...each, kind: KIND_NAMES[each.kind] })),
    files: (edition?.files ?? []).map(({ name, bytes, sha256, content }) => ({
      ...{ name, bytes, sha256, url: ownAddress + datasetFileAddress(dataset.name, name) },
      kind: content == null ? null : KIND_NAMES[content.kind],
      format: content?.format ?? null,
      records: content?.records ?? null,
    })),
  };
}

function summaryOf({ dataset, edition }: ShownDataset, ownAddress: string): object {
  const { name, title, licence, kinds, query, formats, created } = dataset;
  return {
    ...{ name, title: title ?? name, licence, state: edition === null ? 'withdrawn' : 'published' },
    ...{ url: ownAddress + datasetAddress(name) },
    ...{ kinds: kinds.map((kind) => KIND_NAMES[kind]), query, formats },
    ...{ created, made: edition?.made ?? null },
    edition: edition?.number ?? null,
    records: edition === null ? null : recordsOf(edition),
    bytes: edition === null ? null : sumOf(edition.files, 'bytes'),
  };
}
