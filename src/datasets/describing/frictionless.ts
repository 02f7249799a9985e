// `datapackage.json`: a Data Package (https://datapackage.org/standard/data-package/) with every file of records, its
// columns, its bytes and its digest.

import { tableSchema } from '../../exporting/columns.ts';
import { mediaTypeOf } from '../../exporting/formats.ts';
import { FORMAT_OF } from '../row-file.ts';
import {
  type Described,
  isoTime,
  type RecordFile,
  recordFiles,
  type Source,
  summaryOf,
  titleOf,
} from './described.ts';

export function dataPackage(described: Described): object {
  const { definition, edition, sources, version } = described;
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: definition.name,
    title: titleOf(definition),
    description: summaryOf(described),
    version: String(edition.number),
    created: isoTime(edition.made),
    ...(definition.licence === null ? {} : { licenses: [licenceOf(definition.licence)] }),
    ...(sources.length === 0 ? {} : { sources: sources.map(sourceOf) }),
    'colloquy:made_by': version,
    'colloquy:query': definition.query,
    'colloquy:index': Object.fromEntries(edition.tables.map(({ kind, index }) => [`${kind}s`, index])),
    resources: recordFiles(edition).map(resource),
  };
}

function sourceOf({ name, sha256 }: Source): object {
  return { title: name, ...(sha256 === null ? {} : { 'colloquy:sha256': sha256 }) };
}

/** A name as the standard wants it, which names of licences need not be. */
function licenceOf(licence: string): object {
  if (/^https?:\/\//.test(licence)) return { path: licence };
  const name = licence.replace(/[^\w.-]+/g, '-');
  return name === licence ? { name } : { name, title: licence };
}

/** Programs read the CSV as a table; what they have no reader for is a file to them, with the same columns. */
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
