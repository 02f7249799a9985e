// `croissant.json`: the edition in the vocabulary of Croissant 1.1
// (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html), which loaders for machine learning read.

import { type Column, columnsOf } from '../../exporting/columns.ts';
import type { DatasetFormat } from '../../model/catalogue.ts';
import { type Described, isoTime, type RecordFile, recordFiles, summaryOf, titleOf } from './described.ts';

/** The context that the specification prints. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  cr: 'http://mlcommons.org/croissant/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  equivalentProperty: 'cr:equivalentProperty',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileObject: 'cr:fileObject',
  fileProperty: 'cr:fileProperty',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  parentField: 'cr:parentField',
  path: 'cr:path',
  rai: 'http://mlcommons.org/croissant/RAI/',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  samplingRate: 'cr:samplingRate',
  sc: 'https://schema.org/',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
} as const;

const TYPES: Readonly<Record<Column['type'], string>> = {
  string: 'sc:Text',
  int32: 'sc:Integer',
  int64: 'sc:Integer',
  double: 'sc:Float',
  boolean: 'sc:Boolean',
};

/** As readers know them: what is inside comes before how it is packed. */
const ENCODINGS: Readonly<Record<DatasetFormat, string | readonly string[]>> = {
  'ndjson.zst': ['application/jsonlines', 'application/zstd'],
  'csv.gz': ['text/csv', 'application/gzip'],
  parquet: 'application/x-parquet',
};

/** What record sets are read from: the first of these that there is. Readers know no zstd. */
const READ_FROM: readonly DatasetFormat[] = ['parquet', 'csv.gz'];

export function croissant(described: Described): object {
  const { definition, edition } = described;
  const files = recordFiles(edition);
  const readFrom = READ_FROM.find((format) => definition.formats.includes(format));
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
    ...(readFrom === undefined
      ? {}
      : {
          recordSet: files
            .filter(({ content }) => content.format === readFrom)
            .map((file, _, all) => recordSet(file, all)),
        }),
  };
}

function fileObject({ name, bytes, sha256, content }: RecordFile): object {
  return {
    '@type': 'cr:FileObject',
    '@id': name,
    name,
    contentUrl: name,
    contentSize: `${bytes} B`,
    encodingFormat: ENCODINGS[content.format],
    sha256,
  };
}

/** One for each file: the parts of a kind have names of their own. */
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
