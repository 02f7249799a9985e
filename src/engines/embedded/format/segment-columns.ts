// The columns of a segment: a number for each docId, kept in memory that all threads share.
//
//   created    u32 Unix seconds, never going down
//   score      i16 where all fit, else i32
//   place      u16 or u32, number of the facts on its community (community-facts.ts)
//   domain     u16 or u32: 0 none; n + 1 the domain numbered n; above the number of domains d: set n − d − 1
//   rows       u32, where each stored record begins in the section of records, and the end of the last
//   bloom      u32 words (bloom.ts)
//   blockOffsets f64, blockKeyStarts u32, blockKeys u8 (dictionary.ts)
//   symbols    what stored rows are written with (symbol-table.ts); absent where they stand as they are
//   places, domains, domainSets   JSON: facts on communities; names; arrays of numbers of domains

import { crc32 } from 'node:zlib';
import { StorageError } from '../../../errors.ts';
import { type CommunityFacts, encodeFacts } from './community-facts.ts';
import type { BlockIndex } from './dictionary.ts';
import type { ByteSource, Footer } from './segment-file.ts';
import type { SegmentWriter } from './segment-writer.ts';
import type { SymbolTable } from './symbol-table.ts';

export interface Columns extends BlockIndex {
  readonly created: Uint32Array;
  readonly score: Int16Array | Int32Array;
  readonly place: Uint16Array | Uint32Array;
  readonly domain: Uint16Array | Uint32Array;
  readonly rows: Uint32Array;
  readonly bloom: Uint32Array;
  readonly places: Uint8Array;
  readonly domains: Uint8Array;
  readonly domainSets: Uint8Array;
  readonly symbols: Uint8Array | null;
}

/** Columns while they are built, in wide numbers. */
export interface ColumnDraft {
  readonly created: Uint32Array;
  readonly score: Int32Array;
  readonly place: Uint32Array;
  readonly domain: Uint32Array;
  readonly rows: Uint32Array;
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
  section('created', draft.created);
  section(
    'score',
    draft.score.every((score) => (score << 16) >> 16 === score) ? Int16Array.from(draft.score) : draft.score,
  );
  section('place', narrow(draft.place));
  section('domain', narrow(draft.domain));
  section('rows', draft.rows);
  section('bloom', draft.bloom);
  if (draft.symbols !== null) section('symbols', draft.symbols.toBytes());
  section('places', encodeFacts(draft.places));
  section('domains', Buffer.from(JSON.stringify(draft.domains)));
  section('domainSets', Buffer.from(JSON.stringify(draft.domainSets)));
  section('blockOffsets', draft.blocks.offsets);
  section('blockKeyStarts', draft.blocks.keyStarts);
  section('blockKeys', draft.blocks.keys);
}

function narrow(numbers: Uint32Array): Uint16Array | Uint32Array {
  return numbers.every((number) => number <= 0xffff) ? Uint16Array.from(numbers) : numbers;
}

/**
 * Reads the columns of the segment into shared memory. Throws a StorageError if they are not as they were
 * written.
 */
export function loadColumns(source: ByteSource, { docs, sections }: Footer, segment: string): Columns {
  const bytes = (name: string): Uint8Array<SharedArrayBuffer> => {
    const { offset, length, crc } = sections[name]!;
    const target = new Uint8Array(new SharedArrayBuffer(length));
    source.readInto(target, offset, length);
    // Otherwise the source has already checked the pages.
    // uncovered: a changed byte in a file of format 1, which nothing writes any more
    if (sections.pages === undefined && crc32(target) !== crc) {
      throw new StorageError(
        `segment \`${segment}\`: expected section ${name} as it was written, found other bytes; run \`colloquy check\``,
      );
    }
    return target;
  };
  const u32 = (name: string) => new Uint32Array(bytes(name).buffer);
  const u16or32 = (name: string) => {
    const { buffer } = bytes(name);
    return buffer.byteLength === docs * 2 ? new Uint16Array(buffer) : new Uint32Array(buffer);
  };
  const score = bytes('score').buffer;
  return {
    created: u32('created'),
    score: score.byteLength === docs * 2 ? new Int16Array(score) : new Int32Array(score),
    place: u16or32('place'),
    domain: u16or32('domain'),
    rows: u32('rows'),
    bloom: u32('bloom'),
    places: bytes('places'),
    domains: bytes('domains'),
    domainSets: bytes('domainSets'),
    symbols: sections.symbols === undefined ? null : bytes('symbols'),
    offsets: new Float64Array(bytes('blockOffsets').buffer),
    keyStarts: u32('blockKeyStarts'),
    keys: bytes('blockKeys'),
  };
}
