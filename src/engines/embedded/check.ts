// Reads an index back as a whole: checksums, order, counts, ids, tombstones, what columns say of each record, and every
// posting list against the records. Uses what is committed when it begins; works beside a server and
// an import.

import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { UsageError, wordsOf } from '../../errors.ts';
import type { CheckOptions, CheckReport } from '../../model/engine-module.ts';
import { contentHash, hex64, recordMix, Sum64, textHash } from '../../model/hash.ts';
import { compareIds } from '../../model/pages.ts';
import { KINDS, type Kind, type StoredRecord } from '../../model/record.ts';
import { UNCOUNTED } from '../../model/time.ts';
import { ColumnOwner } from './columns/column-memory.ts';
import { forgetCache } from './columns/paged-column.ts';
import { payloadBytes, recordKeys } from './format/keys.ts';
import { OPEN_CODE, UNKNOWN_PAYLOAD } from './format/neighbours.ts';
import { MAX_SEGMENT_DOCS } from './format/posting-codec.ts';
import { ARRIVAL_UNKNOWN, marksOf } from './format/segment-columns.ts';
import {
  type ByteSource,
  byteProblems,
  FileSource,
  MemorySource,
  readFooter,
} from './format/segment-file.ts';
import type { Manifest } from './index/manifest.ts';
import { entryDocs } from './index/posting-list.ts';
import { isDead, type Segment, type SegmentData } from './index/segment.ts';
import { KindStore, liveCount, openView, type ViewSegment } from './index/view.ts';
import { CHUNK_WORDS, popcount } from './sets/chunk.ts';

/** For the columns of large segments, which are read one segment at a time. */
const MEMORY_BYTES = 2 ** 26;

/** A kind of a newer version is one problem. Throws its UsageError if there is nothing else to check. */
export async function checkIndex(folder: string, options: CheckOptions = {}): Promise<CheckReport> {
  const problems: string[] = [];
  let segments = 0;
  let records = 0;
  let newer: UsageError | null = null;
  for (const kind of KINDS) {
    try {
      const found = await checkKind(folder, kind, problems, options);
      segments += found.segments;
      records += found.records;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      newer = error;
      problems.push(`${kind}s: ${error.message}`);
    }
  }
  if (newer !== null && segments === 0) throw newer;
  return { segments, records, problems };
}

async function checkKind(
  folder: string,
  kind: Kind,
  problems: string[],
  { progress = () => {}, signal }: CheckOptions,
): Promise<{ readonly segments: number; readonly records: number }> {
  const owner = new ColumnOwner(MEMORY_BYTES);
  const store = new KindStore(folder, kind, false, owner);
  try {
    store.refresh();
    // uncovered: most damage of an SQLite file stops its opening; what is left is one line of SQLite
    problems.push(...store.manifest.integrityErrors().map((line) => `${kind}s.db: ${line}`));
    const view = openView(store.current, undefined);
    const tell = ({ segment }: ViewSegment, lines: readonly string[]) =>
      problems.push(...lines.map((line) => `${kind}s/${segment.name}: ${line}`));
    const whole: ViewSegment[] = [];
    for (const viewSegment of view.segments) {
      const { data } = viewSegment.segment;
      const lines = byteProblems(rawSource(data), data.footer, data.name);
      tell(viewSegment, lines);
      if (lines.length === 0) whole.push(viewSegment);
      await setImmediate();
      signal?.throwIfAborted();
    }
    // Broken segments may be unreadable, so they are left out of the comparison.
    for (const viewSegment of whole) {
      progress(viewSegment.segment.name);
      tell(viewSegment, contentProblems(whole, viewSegment));
      await setImmediate();
      signal?.throwIfAborted();
    }
    return { segments: view.segments.length, records: liveCount(view) };
  } catch (error) {
    // The kind is of a newer version, or the check was aborted: neither is a problem.
    if (error instanceof UsageError || signal?.aborted) throw error;
    problems.push(...openingProblems(store.manifest, wordsOf(error)).map((line) => `${kind}s${line}`));
    return { segments: 0, records: 0 };
  } finally {
    store.close();
    forgetCache(owner.memory);
  }
}

/** Why a kind cannot be opened: the damage in its files, or else `otherwise`. */
function openingProblems(manifest: Manifest, otherwise: string): string[] {
  try {
    const files = manifest.segments().filter(({ isFile }) => isFile);
    const problems = files.flatMap(({ name }) =>
      fileProblems(join(manifest.folder, `${name}.seg`)).map((line) => `/${name}: ${line}`),
    );
    return problems.length > 0 ? problems : [`: ${otherwise}`];
  } catch {
    // uncovered: the manifest cannot be read either: what was found first is told
    return [`: ${otherwise}`];
  }
}

function fileProblems(path: string): string[] {
  try {
    const source = new FileSource(path);
    try {
      return byteProblems(source, readFooter(source, path), path);
    } finally {
      source.close();
    }
  } catch (error) {
    return [wordsOf(error)];
  }
}

function contentProblems(view: readonly ViewSegment[], viewSegment: ViewSegment): string[] {
  const { segment } = viewSegment;
  return [
    ...orderProblems(segment),
    ...deadProblems(viewSegment),
    ...idProblems(view, viewSegment),
    ...factProblems(segment),
    ...fingerprintProblems(viewSegment),
    ...listProblems(segment),
  ];
}

function rawSource({ file, bytes }: SegmentData): ByteSource {
  return file === null ? new MemorySource(bytes!) : new FileSource(file.path, file.fd);
}

function orderProblems(segment: Segment): string[] {
  const { footer } = segment.data;
  let previous: StoredRecord | null = null;
  for (let doc = 0; doc < segment.docs; doc++) {
    const record = segment.record(doc);
    if (previous !== null) {
      const order = previous.created - record.created || compareIds(previous.id, record.id);
      // uncovered: only a writer with a fault of its own makes such a segment: its checksums would be right
      if (order >= 0) return [`record ${record.id} stands behind ${previous.id}, expected before`];
    }
    const isInside = compareIds(footer.firstId, record.id) <= 0 && compareIds(record.id, footer.lastId) <= 0;
    // uncovered: only a writer with a fault of its own makes such a segment: its checksums would be right
    if (!isInside) return [`record ${record.id} lies outside the range of ids`];
    previous = record;
  }
  return [];
}

function deadProblems({ segment, dead }: ViewSegment): string[] {
  const beyond = dead.some((words, chunk) => {
    const docs = Math.max(0, Math.min(CHUNK_WORDS * 32, segment.docs - chunk * CHUNK_WORDS * 32));
    if (words === null) return false;
    const whole = popcount(words, 0, CHUNK_WORDS);
    return whole > docs;
  });
  // uncovered: only a writer with a fault of its own makes such a segment: its checksums would be right
  return beyond ? ['tombstones for more records than there are'] : [];
}

function idProblems(view: readonly ViewSegment[], { segment, dead }: ViewSegment): string[] {
  const others = view.filter((other) => other.segment !== segment);
  for (let doc = 0; doc < segment.docs; doc++) {
    const id = segment.id(doc);
    // uncovered: only a writer with a fault of its own makes such a segment: its checksums would be right
    if (!segment.mayHold(id) || segment.docOf(id) !== doc) return [`record ${id} is not found by its id`];
    if (isDead(dead, doc)) continue;
    for (const other of others) {
      if (!other.segment.mayHold(id)) continue;
      const twin = other.segment.docOf(id);
      if (twin >= 0 && !isDead(other.dead, twin))
        // uncovered: only a writer with a fault of its own makes such a segment: its checksums would be right
        return [`record ${id} is live in ${other.segment.name} too`];
    }
  }
  return [];
}

/** Compares the stored share of the segment in the fingerprint, if it is known, with its records. */
function fingerprintProblems({ segment, dead, sum }: ViewSegment): string[] {
  if (sum === null) return [];
  const live = new Sum64();
  for (let doc = 0; doc < segment.docs; doc++) {
    if (!isDead(dead, doc)) live.add(recordMix(segment.record(doc)));
  }
  const [expected, found] = [hex64(live.value()), hex64(sum)];
  return expected === found ? [] : [`expected the fingerprint ${expected} of its records, found ${found}`];
}

/** Whether the lists have the docs and payloads that the records say. */
export function listProblems(segment: Segment): string[] {
  const fromLists = sumOfLists(segment);
  const fromRecords = sumOfRecords(segment, fromLists);
  // uncovered: only a writer with a fault of its own makes such a segment: its checksums would be right
  if (fromRecords.postings !== fromLists.postings || fromRecords.sum !== fromLists.sum) {
    return [
      `expected ${fromRecords.postings} postings from the records, found ${fromLists.postings} or others in the lists`,
    ];
  }
  if (fromRecords.payloadSum !== fromLists.payloadSum) {
    return ['expected the neighbours of the words of its records, found others in the lists'];
  }
  return [];
}

/** Number of (key, docId), and sums over all of them and over their payloads that do not depend on the order. */
interface ListSum {
  readonly postings: number;
  readonly sum: number;
  readonly payloadSum: number;
}

interface KnownPayloads {
  /** Numbers of the keys whose lists have payloads. */
  readonly withPayloads: ReadonlyMap<string, number>;
  /** Their docs whose payload is not known: the number of the key times MAX_SEGMENT_DOCS, plus the docId. */
  readonly unknown: ReadonlySet<number>;
}

function sumOfRecords(segment: Segment, { withPayloads, unknown }: KnownPayloads): ListSum {
  let postings = 0;
  let sum = 0;
  let payloadSum = 0;
  for (let doc = 0; doc < segment.docs; doc++) {
    for (const [key, payload] of recordKeys(segment.record(doc))) {
      const one = posting(crc32(key), doc);
      postings++;
      sum = (sum + one) | 0;
      const number = payload === 0 ? undefined : withPayloads.get(key);
      if (number === undefined || unknown.has(number * MAX_SEGMENT_DOCS + doc)) continue;
      payloadSum = (payloadSum + posting(one, payload)) | 0;
    }
  }
  return { postings, sum, payloadSum };
}

function sumOfLists(segment: Segment): ListSum & KnownPayloads {
  const withPayloads = new Map<string, number>();
  const unknown = new Set<number>();
  let postings = 0;
  let sum = 0;
  let payloadSum = 0;
  for (const { key, entry } of segment.dictionary.entries()) {
    const docs = entryDocs(segment, entry);
    const hash = crc32(key);
    const width = segment.hasPayloads && entry.payloads > 0 ? payloadBytes(key.charCodeAt(0)) : 0;
    const number = withPayloads.size;
    const payloads = Buffer.alloc(docs.length * width);
    if (width > 0) {
      segment.source.readInto(payloads, entry.payloads, payloads.length);
      withPayloads.set(key, number);
    }
    postings += docs.length;
    for (const [i, doc] of docs.entries()) {
      const one = posting(hash, doc);
      sum = (sum + one) | 0;
      if (width === 0) continue;
      const read = payloads.readUIntLE(i * width, width);
      // That of a pair is the lowest of the bytes, which are the same where it leaves it open.
      const payload = width === 1 && read >= OPEN_CODE ? read * 0x10101 : read;
      if (payload === UNKNOWN_PAYLOAD) unknown.add(number * MAX_SEGMENT_DOCS + doc);
      else payloadSum = (payloadSum + posting(one, payload)) | 0;
    }
  }
  return { postings, sum, payloadSum, withPayloads, unknown };
}

function posting(keyHash: number, doc: number): number {
  let mixed = Math.imul(keyHash ^ Math.imul(doc + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return mixed ^ (mixed >>> 13);
}

/** One line for the first record whose columns differ from its row. */
export function factProblems(segment: Segment): string[] {
  for (let doc = 0; doc < segment.docs; doc++) {
    const record = segment.record(doc);
    for (const [name, expected, found] of factsOf(segment, doc, record)) {
      // uncovered: only a writer with a fault of its own makes such a segment: its checksums would be right
      if (expected !== found)
        return [`record ${record.id}: expected ${name} ${expected} from the record, found ${found}`];
    }
  }
  return [];
}

type Fact = readonly [name: string, expected: number | null, found: number | null];

function factsOf(segment: Segment, doc: number, record: StoredRecord): readonly Fact[] {
  const [expected, found] = [contentHash(record), segment.facts.contentHash(doc)];
  const isUncounted = segment.facts.at('arrival', doc) === UNCOUNTED;
  const marks = segment.facts.at('marks', doc);
  return [
    ['retrieval', record.retrieved, segment.facts.retrieved(doc)],
    ['sentiment', record.kind === 'post' ? null : record.sentiment, segment.facts.sentiment(doc)],
    ['marks', marksOf(record) | (marks & ARRIVAL_UNKNOWN), marks],
    ['content hash', expected.high, found.high],
    ['content hash', expected.low, found.low],
    ['text hash', textHash(record), segment.facts.at('textHash', doc)],
    ['unknown arrival', isUncounted ? ARRIVAL_UNKNOWN : 0, isUncounted ? marks & ARRIVAL_UNKNOWN : 0],
  ];
}
