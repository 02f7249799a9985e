// Data sets as the API tells of them.

import type { EditionTable } from '../../datasets/edition.ts';
import type { ShownDataset } from '../../datasets/shelf.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { datasetAddress, datasetFileAddress } from '../addresses/api.ts';

/** `ownAddress`: at which the caller reaches this server. */
export function datasetList(shown: readonly ShownDataset[], ownAddress: string): object {
  return {
    ...{ type: 'datasets', kind: null, query: null, index: null },
    datasets: shown.map((each) => summaryOf(each, ownAddress)),
  };
}

export function datasetAnswer(shown: ShownDataset, ownAddress: string): object {
  const { dataset, edition } = shown;
  const [table, ...others] = edition?.tables ?? [];
  return {
    type: 'dataset',
    kind: dataset.kinds.length === 1 ? KIND_NAMES[dataset.kinds[0]!] : null,
    query: dataset.query,
    index: table !== undefined && others.length === 0 ? table.index : null,
    ...summaryOf(shown, ownAddress),
    split_every: dataset.splitEvery,
    tables: (edition?.tables ?? []).map(tableAnswer),
    files: (edition?.files ?? []).map(({ name, bytes, sha256, content }) => ({
      ...{ name, bytes, sha256, url: ownAddress + datasetFileAddress(dataset.name, name) },
      kind: content == null ? null : KIND_NAMES[content.kind],
      format: content?.format ?? null,
      records: content?.records ?? null,
    })),
  };
}

/** What a list tells of each. */
function summaryOf({ dataset, edition }: ShownDataset, ownAddress: string): object {
  const { name, title, licence, kinds, query, formats, created } = dataset;
  const files = edition?.files ?? [];
  return {
    ...{ name, title: title ?? name, licence, state: edition === null ? 'withdrawn' : 'published' },
    ...{ url: ownAddress + datasetAddress(name) },
    ...{ kinds: kinds.map((kind) => KIND_NAMES[kind]), query, formats },
    ...{ created, made: edition?.made ?? null },
    edition: edition?.number ?? null,
    records: edition === null ? null : edition.tables.reduce((sum, { records }) => sum + records, 0),
    bytes: edition === null ? null : files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function tableAnswer({ kind, records, first, last, index, rows }: EditionTable): object {
  return { kind: KIND_NAMES[kind], records, first, last, index, rows };
}
