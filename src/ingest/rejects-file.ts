// The list of what an import rejected: one JSON line each with source, line, reason and the beginning of the text.
// The file is created when the first line is rejected. A purge blanks the texts; source, line and reason stay.

import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { naming, storageError, systemCode } from '../errors.ts';
import type { Reject } from './formats/block.ts';

/** The list ends here; the report counts all lines. */
const MAX_LISTED = 100_000;

export class RejectsFile {
  readonly #folder: string;
  #file: number | null = null;
  #listed = 0;
  /** null until a line is listed. */
  path: string | null = null;

  /** `folder` is created when needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  add(source: string, rejects: readonly Reject[]): void {
    const listed = rejects.slice(0, MAX_LISTED - this.#listed);
    if (listed.length === 0) return;
    this.#listed += listed.length;
    const lines = listed.map(({ line, reason, text }) => JSON.stringify({ source, line, reason, text }));
    try {
      this.#file ??= this.#open();
      writeFileSync(this.#file, `${lines.join('\n')}\n`);
    } catch (error) {
      throw storageError(error, this.path ?? this.#folder);
    }
  }

  [Symbol.dispose](): void {
    const file = this.#file;
    this.#file = null;
    if (file !== null) naming(this.path ?? this.#folder, () => closeSync(file));
  }

  #open(): number {
    mkdirSync(this.#folder, { recursive: true });
    const stamp = new Date().toISOString().replaceAll(':', '-');
    this.path = join(this.#folder, `${stamp}.ndjson`);
    return openSync(this.path, 'wx', 0o600);
  }
}

/** The bytes before the text, which is the last member of a line. A JSON string never contains them. */
const TEXT = Buffer.from(',"text":"');
const END = '"}\n';
const BLANK = 0x20;
const NEWLINE = 0x0a;
/** Passes over a list that keeps growing; text added after the last one is new. */
const MAX_LOOKS = 3;

/**
 * Blanks the texts of all lists in this folder, synced when it returns. In place and at equal length, so that an import
 * can keep appending to one; what it appends afterwards keeps its text. Returns the number of lists; 0 without a
 * folder.
 */
export function blankRejects(folder: string): number {
  const lists = listsIn(folder);
  for (const name of lists) blankList(join(folder, name));
  return lists.length;
}

function listsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function blankList(path: string): void {
  try {
    const file = openSync(path, 'r+');
    try {
      for (let seen = 0, looks = 0; looks < MAX_LOOKS && fstatSync(file).size > seen; looks++) {
        const list = readFileSync(path);
        blank(file, list);
        seen = list.length;
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // The operator may delete them at any time.
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

function blank(file: number, list: Buffer): void {
  for (let start = 0; start < list.length; ) {
    const newline = list.indexOf(NEWLINE, start);
    const next = newline === -1 ? list.length : newline + 1;
    const text = list.subarray(start, next).indexOf(TEXT);
    // An incomplete line was left by a killed import, or is being written.
    const end = newline === -1 ? list.length : next - END.length;
    const from = start + text + TEXT.length;
    const isBlank = text === -1 || list.subarray(from, Math.max(from, end)).every((byte) => byte === BLANK);
    if (!isBlank) writeAll(file, Buffer.alloc(end - from, BLANK), from);
    start = next;
  }
}

function writeAll(file: number, bytes: Buffer, at: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, at + written);
  }
}
