// The columns of a segment with a number for each doc: in memory while the segment is open, or read by chunk into
// memory that all segments share.

import { type Columns, loadColumns, namesBytes, type WholeColumns } from '../format/segment-columns.ts';
import type { ByteSource, Footer } from '../format/segment-file.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { Column, ColumnChunks, type SharedBits, sharedBits } from './column.ts';
import type { ColumnMemory, ColumnOwner, PageRange, SegmentNeeds } from './column-memory.ts';
import { columnCache, pagedColumn } from './paged-column.ts';

/** Where the columns are; one thread passes it to another. */
export interface SegmentNumbers {
  readonly columns: Columns;
  /** Columns that are in memory as a whole; null: all are read by page. */
  readonly whole: WholeColumns | null;
  /** Of each column as many pages as the longest has chunks; null: all are in memory as a whole. */
  readonly paged: { readonly memory: ColumnMemory; readonly pages: PageRange } | null;
  readonly withDomain: SharedBits;
}

/** In the order of their pages. */
const NAMES = ['created', 'score', 'place', 'domain', 'rows', 'bloom'] as const;

function pagesOfEach({ docs }: Footer): number {
  return Math.ceil((docs + 1) / CHUNK_DOCS);
}

/** Reads whole columns without an `owner` or for a small segment. Throws a StorageError if they are damaged. */
export function loadNumbers(source: ByteSource, footer: Footer, owner: ColumnOwner | null): SegmentNumbers {
  const isPaged = owner !== null && footer.docs > owner.wholeDocs;
  const pages = isPaged ? owner.takePages(pagesOfEach(footer) * NAMES.length) : null;
  try {
    const columns = loadColumns(source, footer);
    const whole = pages === null ? loadWhole(source, footer) : null;
    const paged = pages === null ? null : { memory: owner!.memory, pages };
    const numbers = { columns, whole, paged, withDomain: sharedBits(footer.docs) };
    owner?.note(needsOf({ ...numbers, footer }), 1);
    return numbers;
  } catch (error) {
    if (pages !== null) owner!.freePages(pages);
    throw error;
  }
}

/** To be called when no thread reads them any more. */
export function unloadNumbers(
  numbers: SegmentNumbers & { readonly footer: Footer },
  owner: ColumnOwner | null,
): void {
  const { paged } = numbers;
  owner?.note(needsOf(numbers), -1);
  if (paged !== null) owner!.freePages(paged.pages);
}

function loadWhole(source: ByteSource, footer: Footer): WholeColumns {
  const load = (name: (typeof NAMES)[number]) => {
    return [name, chunksOf(name, source, footer).whole(name === 'created' || name === 'rows')];
  };
  return Object.fromEntries(NAMES.map(load)) as WholeColumns;
}

function chunksOf(name: (typeof NAMES)[number], source: ByteSource, footer: Footer): ColumnChunks {
  const section = footer.sections[name]!;
  return name === 'bloom'
    ? ColumnChunks.raw(source, section, numbersOf(name, footer))
    : ColumnChunks.coded(source, section, numbersOf(name, footer));
}

function numbersOf(name: (typeof NAMES)[number], { docs, sections }: Footer): number {
  return name === 'bloom' ? sections.bloom!.length / 4 : docs + (name === 'rows' ? 1 : 0);
}

function needsOf(numbers: SegmentNumbers & { readonly footer: Footer }): SegmentNeeds {
  const { columns, whole, paged, withDomain, footer } = numbers;
  const arrays = [...Object.values(columns), ...Object.values(whole ?? {})] as (ArrayBufferView | null)[];
  const held = arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0);
  return {
    // With the checksums of its pages.
    tables: held + withDomain.words.byteLength + footer.sections.pages!.length,
    paged: paged === null ? 0 : pagedBytes(footer),
    names: namesBytes(footer),
    docs: footer.docs,
  };
}

/** Estimated bytes: most numbers fit into 16 bits where they may. */
const BYTES_OF_EACH = { created: 4, score: 2, place: 2, domain: 2, rows: 4 };

function pagedBytes({ docs, sections }: Footer): number {
  return sections.bloom!.length + Object.values(BYTES_OF_EACH).reduce((sum, bytes) => sum + bytes * docs, 0);
}

export function openColumn<Name extends (typeof NAMES)[number]>(
  { whole, paged }: SegmentNumbers,
  name: Name,
  source: ByteSource,
  footer: Footer,
): Column<WholeColumns[Name]> {
  if (paged === null) return Column.of(whole![name]);
  const first = paged.pages.first + NAMES.indexOf(name) * pagesOfEach(footer);
  const open = () => chunksOf(name, source, footer);
  return pagedColumn(numbersOf(name, footer), open, columnCache(paged.memory), first);
}
