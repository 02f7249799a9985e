// Merges segments into one: copies rows, renumbers lists, and leaves dead records behind. Everything streams except the
// columns and the maps of docIds (some 72 bytes a record).

import { compareIds } from '../../../model/pages.ts';
import type { BlockIndex } from '../format/dictionary.ts';
import { DictionaryWriter } from '../format/dictionary-writer.ts';
import { addToBloom, IdRangeFinder } from '../format/ids.ts';
import { ID, Numbering, payloadBytes } from '../format/keys.ts';
import {
  ColumnDraft,
  type CommunityFacts,
  type DraftNames,
  factsKey,
  writeColumns,
} from '../format/segment-columns.ts';
import type { ByteWindow, Footer } from '../format/segment-file.ts';
import { type ByteSink, SegmentWriter } from '../format/segment-writer.ts';
import type { SymbolTable } from '../format/symbol-table.ts';
import { type DeadDocs, isDead, type Segment } from '../index/segment.ts';
import { Gatherer, ListSource, MergedKeys } from './merged-lists.ts';
import { copyColumn, copyFacts, type MergeSource, ROWS_AT_ONCE, RowCoder } from './merged-rows.ts';

/**
 * `sources` are of one kind, with at least one live record and no id live in two of them. The new docId of each record,
 * plus `base`, goes into the map of its source: so several new segments can be numbered in sequence. Throws a
 * MergeStopped soon after `isStopped` returns true.
 */
export function mergeSegments(
  sink: ByteSink,
  sources: readonly MergeSource[],
  base = 0,
  isStopped = NEVER,
): Footer {
  const out = new SegmentWriter(sink);
  try {
    const merge = new Merge(sources, base, isStopped);
    out.beginSection();
    merge.writeRecords(out);
    out.endSection('records');
    out.beginSection();
    const blocks = merge.writePostings(out);
    out.endSection('postings');
    return merge.finish(out, blocks);
  } catch (error) {
    out.abandon();
    throw error;
  }
}

/** The merge was stopped: nobody waits for its result. */
export class MergeStopped extends Error {}

const NEVER = () => false;
/** Records, or keys, between two calls of `isStopped`: some milliseconds of work. */
const STEPS_A_LOOK = 4_096;

/** The number of records of a source that are merged. */
export function mergedDocs({ source, from, to }: MergeSource): number {
  if (source.deadCount === 0) return to - from;
  let docs = 0;
  for (let doc = from; doc < to; doc++) if (!isDead(source.dead, doc)) docs++;
  return docs;
}

class Merge {
  readonly #sources: readonly MergeSource[];
  readonly #base: number;
  readonly #isStopped: () => boolean;
  #steps = 0;
  readonly #docs: number;
  readonly #columns: ColumnDraft;
  readonly #places = new Numbering<CommunityFacts>();
  readonly #domains = new Numbering<string>();
  readonly #domainSets: number[][] = [];
  readonly #ids = new IdRangeFinder();
  #symbols: SymbolTable | null = null;

  constructor(sources: readonly MergeSource[], base: number, isStopped: () => boolean) {
    this.#isStopped = isStopped;
    const docs = sources.reduce((sum, source) => sum + mergedDocs(source), 0);
    this.#sources = sources;
    this.#base = base;
    this.#docs = docs;
    this.#columns = new ColumnDraft(docs);
  }

  writeRecords(out: SegmentWriter): void {
    const cursors = this.#sources.map((source, number) => new LiveCursor(source, number));
    const coder = new RowCoder(this.#sources, this.#docs);
    this.#symbols = coder.symbols;
    const { created, rows } = this.#columns;
    let rowStart = 0;
    for (let doc = 0; doc < this.#docs; doc++) {
      this.#look();
      const cursor = firstOf(cursors);
      cursor.map[cursor.doc] = this.#base + doc;
      created[doc] = cursor.created;
      const row = coder.coded(cursor.number, cursor.segment.storedRow(cursor.doc, cursor.rows));
      out.append(row);
      rows[doc] = rowStart;
      rowStart += row.length;
      cursor.next();
    }
    rows[this.#docs] = rowStart;
    this.#copyColumns();
  }

  /** All columns but `created`: the new place of each record is known by now. */
  #copyColumns(): void {
    const renumber = this.#renumberings();
    const columns = this.#columns;
    for (const [number, merged] of this.#sources.entries()) {
      const source = { ...merged, base: this.#base };
      const { places, domains } = renumber[number]!;
      copyColumn(source, ({ score }) => score, columns.score);
      copyColumn(source, ({ place }) => place, columns.place, places);
      copyColumn(source, ({ domain }) => domain, columns.domain, domains);
      copyFacts(source, columns.facts);
      this.#look();
    }
  }

  writePostings(out: SegmentWriter): BlockIndex {
    const dictionary = new DictionaryWriter(out, this.#docs);
    const gatherer = new Gatherer(this.#docs, this.#base);
    const keys = new MergedKeys(this.#sources.map(({ source }) => source.segment));
    const sources = this.#sources.map(({ source, map, from, to }) => {
      return new ListSource(source.segment, map, from, to, gatherer);
    });
    while (keys.next()) {
      this.#look();
      gatherer.reset();
      const { key, length } = keys.current;
      const width = payloadBytes(key[0]!);
      for (let i = 0; i < keys.holding; i++) {
        const holder = keys.holders[i]!;
        sources[holder]!.gather(keys.cursors[holder]!.reader, width);
      }
      if (gatherer.length === 0) continue;
      dictionary.beginKey('');
      dictionary.appendKey(key, 0, length);
      dictionary.addDocs(gatherer.finish(), 0, gatherer.length, gatherer.takePayloads());
      if (key[0] !== ID_LETTER) continue;
      addToBloom(this.#columns.bloom, key, 1, length);
      this.#ids.add(key, 1, length);
    }
    return dictionary.finish();
  }

  finish(out: SegmentWriter, blocks: BlockIndex): Footer {
    const { created } = this.#columns;
    writeColumns(out, this.#columns, { ...this.#keptNames(), blocks, symbols: this.#symbols });
    return out.finish({
      kind: this.#sources[0]!.source.segment.kind,
      docs: this.#docs,
      ...this.#ids.get(),
      firstCreated: created[0]!,
      lastCreated: created[this.#docs - 1]!,
    });
  }

  /** Renumbers the names of live records, and drops those that only dead ones had. */
  #keptNames(): Pick<DraftNames, 'places' | 'domains' | 'domainSets'> {
    const { place, domain } = this.#columns;
    const marks = (values: readonly unknown[]) => new Uint8Array(values.length);
    const inPlaces = marks(this.#places.values);
    const inDomains = marks(this.#domains.values);
    const inSets = marks(this.#domainSets);
    for (let doc = 0; doc < this.#docs; doc++) {
      const number = domain[doc]!;
      inPlaces[place[doc]!] = 1;
      if (number >= SET_MARK) inSets[number - SET_MARK] = 1;
      else if (number > 0) inDomains[number - 1] = 1;
    }
    const sets = kept(this.#domainSets, inSets);
    for (const set of sets.values) for (const number of set) inDomains[number] = 1;
    const places = kept(this.#places.values, inPlaces);
    const domains = kept(this.#domains.values, inDomains);
    // Numbers of sets follow those of domains.
    const firstSet = domains.values.length + 1;
    for (let doc = 0; doc < this.#docs; doc++) {
      const number = domain[doc]!;
      place[doc] = places.numbers[place[doc]!]!;
      if (number >= SET_MARK) domain[doc] = firstSet + sets.numbers[number - SET_MARK]!;
      else if (number > 0) domain[doc] = domains.numbers[number - 1]! + 1;
    }
    const domainSets = sets.values.map((set) => set.map((number) => domains.numbers[number]!));
    return { places: places.values, domains: domains.values, domainSets };
  }

  #look(): void {
    if (++this.#steps % STEPS_A_LOOK === 0 && this.#isStopped()) throw new MergeStopped();
  }

  /** For each source: the new number of each number in its columns. */
  #renumberings(): { readonly places: Uint32Array; readonly domains: Uint32Array }[] {
    return this.#sources.map(({ source: { segment } }) => {
      const places = Uint32Array.from(segment.names.places(), (place) =>
        this.#places.number(factsKey(place), place),
      );
      const domains = segment.names.domains.map((domain) => this.#domains.number(domain, domain));
      const sets = segment.names.domainSets.map((set) => {
        return SET_MARK + this.#domainSets.push(set.map((number) => domains[number]!)) - 1;
      });
      return { places, domains: Uint32Array.from([0, ...domains.map((number) => number + 1), ...sets]) };
    });
  }
}

const ID_LETTER = ID.charCodeAt(0);

/** Marks the number of a set until the number of domains is known. */
const SET_MARK = 0x80000000;

/** The marked values in order, and the new number of each old one. */
function kept<T>(all: readonly T[], isKept: Uint8Array): { values: T[]; numbers: Uint32Array } {
  let next = 0;
  const numbers = Uint32Array.from(isKept, (one) => (one === 1 ? next++ : 0));
  return { values: all.filter((_, number) => isKept[number] === 1), numbers };
}

/** The records of one source, in order. */
class LiveCursor {
  readonly segment: Segment;
  readonly number: number;
  readonly map: Uint32Array;
  readonly rows: ByteWindow;
  readonly #dead: DeadDocs;
  readonly #to: number;
  doc: number;
  /** Unix seconds of the record; Infinity: there is none left. */
  created = 0;

  constructor({ source, from, to, map }: MergeSource, number: number) {
    this.segment = source.segment;
    this.#dead = source.dead;
    this.rows = source.segment.nearRows(ROWS_AT_ONCE);
    this.number = number;
    this.map = map;
    this.#to = to;
    this.doc = from - 1;
    this.next();
  }

  next(): void {
    do this.doc++;
    while (this.doc < this.#to && isDead(this.#dead, this.doc));
    this.created = this.doc < this.#to ? this.segment.created.at(this.doc) : Infinity;
  }
}

/** The cursor with the first record in the order of `oldest`; at least one has a record. */
function firstOf(cursors: readonly LiveCursor[]): LiveCursor {
  let best = cursors[0]!;
  for (let i = 1; i < cursors.length; i++) {
    const cursor = cursors[i]!;
    if (cursor.created > best.created || cursor.created === Infinity) continue;
    if (cursor.created < best.created || isIdBefore(cursor, best)) best = cursor;
  }
  return best;
}

function isIdBefore(a: LiveCursor, b: LiveCursor): boolean {
  return compareIds(a.segment.id(a.doc), b.segment.id(b.doc)) < 0;
}
