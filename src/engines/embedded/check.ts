// Reads an index back as a whole: checksums, order, counts, ids, tombstones, and every posting list against the
// records. Uses what is committed when it begins; works beside a server and an import.

import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { compareIds } from '../../model/order.ts';
import { KINDS, type Kind, type StoredRecord } from '../../model/record.ts';
import { CHUNK_WORDS, popcount } from './chunk.ts';
import { PAIR } from './keys.ts';
import { KindStore } from './kind-store.ts';
import { PAIR_RULE } from './pairs.ts';
import { readEntry } from './posting-codec.ts';
import { entryDocs } from './prefixes.ts';
import { recordKeys } from './record-keys.ts';
import type { Segment } from './segment.ts';
import { isDead, openView, type View, type ViewSegment } from './view.ts';

export interface CheckReport {
  readonly segments: number;
  /** Live ones. */
  readonly records: number;
  /** What is wrong, a line each, with the segment; empty where all is well. */
  readonly problems: readonly string[];
}

/** `progress` is told the name of each segment before it is read. */
export async function checkIndex(
  folder: string,
  progress: (segment: string) => void = () => {},
): Promise<CheckReport> {
  const problems: string[] = [];
  let segments = 0;
  let records = 0;
  for (const kind of KINDS) {
    const found = await checkKind(folder, kind, problems, progress);
    segments += found.segments;
    records += found.records;
  }
  return { segments, records, problems };
}

async function checkKind(
  folder: string,
  kind: Kind,
  problems: string[],
  progress: (segment: string) => void,
): Promise<{ readonly segments: number; readonly records: number }> {
  const store = new KindStore(folder, kind);
  try {
    store.refresh();
    problems.push(...store.manifest.integrityErrors().map((line) => `${kind}s.db: ${line}`));
    const view = openView(store.current, undefined);
    let records = 0;
    for (const viewSegment of view.segments) {
      progress(viewSegment.segment.name);
      problems.push(
        ...segmentProblems(view, viewSegment).map((line) => `${kind}s/${viewSegment.segment.name}: ${line}`),
      );
      records += viewSegment.segment.docs - viewSegment.deadCount;
      // Lets others of the process have their turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { segments: view.segments.length, records };
  } catch (error) {
    problems.push(`${kind}s: ${(error as Error).message}`);
    return { segments: 0, records: 0 };
  } finally {
    store.close();
  }
}

function segmentProblems(view: View, viewSegment: ViewSegment): string[] {
  const problems: string[] = [];
  const { segment } = viewSegment;
  for (const { name, expected, found } of wrongSums(segment)) {
    problems.push(`section ${name}: expected checksum ${expected}, found ${found}`);
  }
  // Broken bytes may not even be readable: what is wrong is told already.
  if (problems.length > 0) return problems;
  problems.push(...orderProblems(segment), ...deadProblems(viewSegment), ...idProblems(view, viewSegment));
  const [fromRecords, fromLists] = [sumOfRecords(segment), sumOfLists(segment)];
  if (fromRecords.postings !== fromLists.postings || fromRecords.sum !== fromLists.sum) {
    problems.push(
      `expected ${fromRecords.postings} postings from the records, found ${fromLists.postings} or others in the lists`,
    );
  }
  return problems;
}

const READ_BYTES = 1 << 20;

function* wrongSums({ source, data }: Segment): Generator<{ name: string; expected: number; found: number }> {
  const buffer = Buffer.alloc(READ_BYTES);
  for (const [name, { offset, length, crc }] of Object.entries(data.footer.sections)) {
    let sum = 0;
    for (let at = 0; at < length; at += READ_BYTES) {
      const bytes = Math.min(READ_BYTES, length - at);
      source.readInto(buffer, offset + at, bytes);
      sum = crc32(buffer.subarray(0, bytes), sum);
    }
    if (sum !== crc) yield { name, expected: crc, found: sum };
  }
}

function orderProblems(segment: Segment): string[] {
  const { footer } = segment.data;
  let previous: StoredRecord | null = null;
  for (let doc = 0; doc < segment.docs; doc++) {
    const record = segment.record(doc);
    if (previous !== null) {
      const order = previous.created - record.created || compareIds(previous.id, record.id);
      if (order >= 0) return [`record ${record.id} stands behind ${previous.id}, expected before`];
    }
    const isInside = compareIds(footer.firstId, record.id) <= 0 && compareIds(record.id, footer.lastId) <= 0;
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
  return beyond ? ['tombstones for more records than there are'] : [];
}

/** Each id leads to its record, and is live in one segment only. */
function idProblems(view: View, { segment, dead }: ViewSegment): string[] {
  const others = view.segments.filter((other) => other.segment !== segment);
  for (let doc = 0; doc < segment.docs; doc++) {
    const id = segment.id(doc);
    if (!segment.mayHold(id) || segment.docOf(id) !== doc) return [`record ${id} is not found by its id`];
    if (isDead(dead, doc)) continue;
    for (const other of others) {
      if (!other.segment.mayHold(id)) continue;
      const twin = other.segment.docOf(id);
      if (twin >= 0 && !isDead(other.dead, twin))
        return [`record ${id} is live in ${other.segment.name} too`];
    }
  }
  return [];
}

/** Number of (key, docId) and a sum over all of them that does not depend on their order. */
interface Fingerprint {
  readonly postings: number;
  readonly sum: number;
}

function sumOfRecords(segment: Segment): Fingerprint {
  const withPairs = segment.data.footer.pairRule === PAIR_RULE;
  let postings = 0;
  let sum = 0;
  for (let doc = 0; doc < segment.docs; doc++) {
    for (const key of recordKeys(segment.record(doc), withPairs)) {
      postings++;
      sum = (sum + posting(crc32(key), doc)) | 0;
    }
  }
  return { postings, sum };
}

function sumOfLists(segment: Segment): Fingerprint {
  const withPairs = segment.data.footer.pairRule === PAIR_RULE;
  let postings = 0;
  let sum = 0;
  for (const { key, reader } of segment.dictionary.walk('')) {
    const docs = entryDocs(segment, readEntry(reader));
    if (key.startsWith(PAIR) && !withPairs) continue;
    const hash = crc32(key);
    postings += docs.length;
    for (const doc of docs) sum = (sum + posting(hash, doc)) | 0;
  }
  return { postings, sum };
}

function posting(keyHash: number, doc: number): number {
  let mixed = Math.imul(keyHash ^ Math.imul(doc + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return mixed ^ (mixed >>> 13);
}
