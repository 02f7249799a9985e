// The columns of a segment: a number for each docId. Those drawn here are read into memory that all threads share,
// whole or by chunk (columns/paged-column.ts); others follow them, see fact-columns.ts.
//
//   created    u32 Unix seconds, never going down
//   score      i16 where all fit, else i32
//   place      u16 or u32, number of the facts on its community (fact-columns.ts)
//   domain     u16 or u32: 0 none; n + 1 the domain numbered n; above the number of domains d: set n − d − 1
//   rows       u32, where each stored record begins in the section of records, and the end of the last
//              these five by column-codec.ts
//   bloom      u32 words (ids.ts)
//   blockOffsets f64, blockKeyStarts u32, blockKeys u8 (dictionary.ts)
//   symbols    what stored rows are written with (symbol-table.ts); absent where they stand as they are
//   places, domains, domainSets   JSON: facts on communities; names; arrays of numbers of domains

import { decodeNarrow, decodeWide, encodeColumn } from './column-codec.ts';
import type { BlockIndex } from './dictionary.ts';
import { type CommunityFacts, encodeFacts, FACT_COLUMNS, type FactDraft } from './fact-columns.ts';
import type { ByteSource, Footer } from './segment-file.ts';
import type { SegmentWriter } from './segment-writer.ts';
import type { SymbolTable } from './symbol-table.ts';

/** Columns that are in memory as a whole. */
export interface WholeColumns {
  readonly created: Uint32Array;
  readonly score: Int16Array | Int32Array;
  readonly place: Uint16Array | Uint32Array;
  readonly domain: Uint16Array | Uint32Array;
  readonly rows: Uint32Array;
  readonly bloom: Uint32Array;
}

export interface Columns extends BlockIndex {
  /** null: they are read when they are asked for. */
  readonly whole: WholeColumns | null;
  readonly symbols: Uint8Array | null;
}

/** Columns while they are built, in wide numbers. */
export interface ColumnDraft {
  readonly created: Uint32Array;
  readonly score: Int32Array;
  readonly place: Uint32Array;
  readonly domain: Uint32Array;
  readonly rows: Uint32Array;
  readonly facts: FactDraft;
  readonly bloom: Uint32Array;
  readonly places: readonly CommunityFacts[];
  readonly domains: readonly string[];
  readonly domainSets: readonly (readonly number[])[];
  readonly blocks: BlockIndex;
  readonly symbols: SymbolTable | null;
}

export function writeColumns(out: SegmentWriter, draft: ColumnDraft): void {
  const section = (name: string, numbers: ArrayBufferView) =>
    out.section(name, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  for (const name of CODED) section(name, encodeColumn(draft[name]));
  for (const name of FACT_COLUMNS) section(name, encodeColumn(draft.facts[name]));
  section('bloom', draft.bloom);
  if (draft.symbols !== null) section('symbols', draft.symbols.toBytes());
  section('places', encodeFacts(draft.places));
  section('domains', Buffer.from(JSON.stringify(draft.domains)));
  section('domainSets', Buffer.from(JSON.stringify(draft.domainSets)));
  section('blockOffsets', draft.blocks.offsets);
  section('blockKeyStarts', draft.blocks.keyStarts);
  section('blockKeys', draft.blocks.keys);
}

const CODED = ['created', 'score', 'place', 'domain', 'rows'] as const;

/** `isWhole`: with the columns that have a number for each record. */
interface LoadOptions {
  readonly isWhole: boolean;
}

/** Parts that each thread reads for itself. */
const NAMES = ['places', 'domains', 'domainSets'] as const;

/**
 * Reads the columns of the segment into shared memory, and looks whether the names are as they were written. Throws a
 * StorageError if something is not.
 */
export function loadColumns(source: ByteSource, footer: Footer, { isWhole }: LoadOptions): Columns {
  const { sections } = footer;
  const bytes = <T extends ArrayBufferLike>(name: string, memory: new (length: number) => T) =>
    readSection(source, footer, name, new Uint8Array(new memory(sections[name]!.length)));
  const shared = (name: string) => bytes(name, SharedArrayBuffer);
  const u32 = (name: string) => new Uint32Array(shared(name).buffer);
  for (const name of NAMES) readNames(source, footer, name);
  return {
    whole: isWhole ? { ...codedNumbers((name) => bytes(name, ArrayBuffer)), bloom: u32('bloom') } : null,
    symbols: sections.symbols === undefined ? null : shared('symbols'),
    offsets: new Float64Array(shared('blockOffsets').buffer),
    keyStarts: u32('blockKeyStarts'),
    keys: shared('blockKeys'),
  };
}

let names = new Uint8Array(0);

/** As JSON; valid until the thread reads others. Throws as `loadColumns` does. */
export function readNames(source: ByteSource, footer: Footer, name: (typeof NAMES)[number]): Uint8Array {
  const { length } = footer.sections[name]!;
  if (names.length < length) names = new Uint8Array(length);
  return readSection(source, footer, name, names.subarray(0, length));
}

/** Fills `target`, which is as long as the section. */
function readSection<T extends ArrayBufferLike>(
  source: ByteSource,
  { sections }: Footer,
  name: string,
  target: Uint8Array<T>,
): Uint8Array<T> {
  const { offset, length } = sections[name]!;
  source.readInto(target as Uint8Array<ArrayBuffer>, offset, length);
  return target;
}

/** Bytes of memory that they take. */
export function heldBytes({ whole, ...columns }: Columns): number {
  const arrays = [...Object.values(columns), ...Object.values(whole ?? {})] as (ArrayBufferView | null)[];
  return arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0);
}

/** As they are written. */
export function namesBytes({ sections }: Footer): number {
  return NAMES.reduce((sum, name) => sum + sections[name]!.length, 0);
}

type NumberColumns = Pick<WholeColumns, (typeof CODED)[number]>;

function codedNumbers(bytes: (name: string) => Uint8Array): NumberColumns {
  return {
    created: decodeWide(bytes('created')),
    score: decodeNarrow(bytes('score')) as NumberColumns['score'],
    place: decodeNarrow(bytes('place')) as NumberColumns['place'],
    domain: decodeNarrow(bytes('domain')) as NumberColumns['domain'],
    rows: decodeWide(bytes('rows')),
  };
}
