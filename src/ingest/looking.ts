// Examines every content before anything is imported, to find those in unknown formats. Then reads them in their order,
// for an import or for a file that takes a part of them.

import { UsageError } from '../errors.ts';
import { BrokenSource } from './containers/byte-source.ts';
import { readBlocks } from './formats/read.ts';
import type { Naming } from './normalise/field-names.ts';
import type { SourceReport } from './report.ts';
import { type Content, type OpenContent, UnreadableSource } from './sources/file.ts';

/** Unpacked bytes that are read of a content in an unknown format. */
const READ_ON_BYTES = 64 * 1024 * 1024;

/** Reports on contents that cannot be read. Throws a UsageError if none can. */
export async function lookAtAll(
  contents: readonly Content[],
  naming: Naming,
): Promise<Map<Content, SourceReport>> {
  const unread = new Map<Content, SourceReport>();
  for (const content of contents) {
    const error = await lookAt(content, naming);
    if (error !== null) unread.set(content, refusal(content, error));
  }
  const [first] = unread.values();
  if (first === undefined || unread.size < contents.length) return unread;
  const left = unread.size - 1;
  const others = left === 0 ? '' : `; nor ${left === 1 ? 'is the other one' : `are the ${left} others`} read`;
  throw new UsageError(`\`${first.name}\`: ${first.notes.join('; ')}${others}`);
}

/** Why the content cannot be read; null: it can. Standard input can be examined only once. */
async function lookAt(content: Content, naming: Naming): Promise<UsageError | null> {
  if (content.size === null) return null;
  try {
    const opened = await content.open();
    try {
      await readBlocks(opened.bytes, naming);
      return null;
    } catch (error) {
      if (opened.containers.length > 0) await readOn(opened.bytes);
      throw error;
    } finally {
      await opened.bytes.close();
    }
  } catch (error) {
    // A broken source is reported when its turn comes.
    if (error instanceof BrokenSource) return null;
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** The content of a damaged container may look like anything. Throws a BrokenSource if the damage shows soon. */
async function readOn(bytes: AsyncIterable<Buffer>): Promise<void> {
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    if (read > READ_ON_BYTES) return;
  }
}

function refusal(content: Content, error: UsageError): SourceReport {
  const state =
    error instanceof UnreadableSource ? 'unreadable' : content.isNamed ? 'refused' : 'passed_over';
  return notRead(content, state, [error.message]);
}

function notRead(content: Content, state: SourceReport['state'], notes: readonly string[]): SourceReport {
  const { name, source } = content;
  return { name, source, read: 0, rejected: {}, state, resumed_behind_line: 0, notes };
}

export function sizeOf(contents: readonly Content[]): number | null {
  const sizes = contents.map(({ size }) => size);
  return sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
}

export interface Reading {
  readonly digests: boolean;
  readonly isStopped: () => boolean;
  /** `isChecking`: only checksums are compared so far. */
  readonly onProgress: (bytesRead: number, isChecking: boolean) => void;
}

interface ReadingAll extends Omit<Reading, 'onProgress'> {
  /** What is read, and bytes on disk of all contents up to there. */
  readonly tell: (source: string, bytes: number) => void;
  /** Throws a UsageError if the format is unknown. */
  readonly one: (content: Content, reading: Reading) => Promise<SourceReport>;
}

/**
 * Reads the contents in their order, except those in `unread`, whose reports are in it. Throws a UsageError if the only
 * one turns out to be in an unknown format.
 */
export async function readAll(
  contents: readonly Content[],
  unread: ReadonlyMap<Content, SourceReport>,
  { digests, isStopped, tell, one }: ReadingAll,
): Promise<SourceReport[]> {
  const reports: SourceReport[] = [];
  let bytesBefore = 0;
  const read = async (content: Content) => {
    const before = bytesBefore;
    const onProgress = (bytesRead: number, isChecking: boolean) =>
      tell(isChecking ? `checking ${content.name}` : content.name, before + bytesRead);
    try {
      return await one(content, { digests, isStopped, onProgress });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      // Standard input cannot be examined before it is read.
      if (contents.length > 1) return refusal(content, error);
      throw new UsageError(`\`${content.name}\`: ${error.message}`, { cause: error });
    }
  };
  for (const content of contents) {
    const report = unread.get(content) ?? (isStopped() ? notRead(content, 'stopped', []) : null);
    reports.push(report ?? (await read(content)));
    bytesBefore += content.size ?? 0;
  }
  return reports;
}

/** Keeps the records before the damage of a broken source, and reports the damage as a note. */
export async function readThrough(
  content: Content,
  { digests, isStopped, onProgress }: Reading,
  read: (opened: OpenContent) => Promise<void>,
): Promise<Pick<SourceReport, 'state' | 'notes'>> {
  let opened: OpenContent | null = null;
  try {
    const onChecked = () => onProgress(opened?.bytesRead() ?? 0, true);
    opened = await content.open({ digests, isStopped, onChecked });
    await read(opened);
    return { state: isStopped() ? 'stopped' : 'whole', notes: [] };
  } catch (error) {
    if (!(error instanceof BrokenSource)) throw error;
    return isStopped() ? { state: 'stopped', notes: [] } : { state: 'broken', notes: [error.message] };
  } finally {
    await opened?.bytes.close();
  }
}
