// The bytes of a segment, written once from front to back: to a file, or into memory. The format is in segment-file.ts.

import { Buffer } from 'node:buffer';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { log } from '../../../log.ts';
import { syncFolder } from '../../../sqlite/database.ts';
import { FORMAT_VERSION, type Footer, MAGIC, PageSummer, type Section, TAIL_BYTES } from './segment-file.ts';

const FIRST_WRITE_BYTES = 1 << 14;
const WRITE_BYTES = 1 << 20;

/** The destination of a new segment's bytes. */
export interface ByteSink {
  write(bytes: Uint8Array): void;
  /** To be called after the last byte. Makes it durable. */
  finish(): void;
  /** Deletes what was written so far. */
  abandon(): void;
}

/** Writes beside `path` and renames when everything is synced, so that a file of this name is always whole. */
export class FileSink implements ByteSink {
  readonly #path: string;
  readonly #fd: number;
  /** Bytes written. */
  size = 0;
  #isOpen = true;

  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(`${path}.part`, 'w');
  }

  write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done, bytes.length - done);
    this.size += bytes.length;
  }

  finish(): void {
    fsyncSync(this.#fd);
    this.#close();
    renameSync(`${this.#path}.part`, this.#path);
    syncFolder(dirname(this.#path));
  }

  /** Called after a failure that is reported; a second failure is not. The next writer deletes what is left. */
  abandon(): void {
    try {
      this.#close();
      rmSync(`${this.#path}.part`, { force: true });
    } catch (error) {
      // uncovered: a disk that fails a second time
      log.warn({ err: error }, 'a file that was not finished could not be deleted');
    }
  }

  /** The descriptor is gone even if closing fails (close(2)), so it is not closed again. */
  #close(): void {
    // uncovered: closing failed before
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}

export class MemorySink implements ByteSink {
  readonly #pieces: Uint8Array[] = [];

  write(bytes: Uint8Array): void {
    this.#pieces.push(Uint8Array.from(bytes));
  }

  finish(): void {}

  // uncovered: building fails on a file that fails, not in memory
  abandon(): void {
    this.#pieces.length = 0;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }
}

/** Writes sections one after the other, then the checksums of their pages, then the footer. */
export class SegmentWriter {
  readonly #sink: ByteSink;
  /** Grows up to WRITE_BYTES. */
  #buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_WRITE_BYTES);
  readonly #sections: Record<string, Section> = {};
  readonly #pages = new PageSummer();
  #buffered = 0;
  #offset = 0;
  #start = 0;
  #crc = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    this.append(MAGIC);
  }

  /** Returns the offset at which the bytes begin. */
  append(bytes: Uint8Array): number {
    const at = this.#offset;
    this.#offset += bytes.length;
    if (this.#buffered + bytes.length > WRITE_BYTES) this.#flush();
    if (bytes.length > WRITE_BYTES) {
      this.#write(bytes);
    } else {
      if (this.#buffered + bytes.length > this.#buffer.length) this.#grow(this.#buffered + bytes.length);
      this.#buffer.set(bytes, this.#buffered);
      this.#buffered += bytes.length;
    }
    return at;
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(WRITE_BYTES, Math.max(least, this.#buffer.length * 4)));
    larger.set(this.#buffer.subarray(0, this.#buffered));
    this.#buffer = larger;
  }

  /** Zeros up to the next multiple of 8. */
  align(): void {
    const padding = -this.#offset & 7;
    if (padding > 0) this.append(new Uint8Array(padding));
  }

  beginSection(): number {
    this.align();
    this.#flush();
    this.#crc = 0;
    this.#start = this.#offset;
    return this.#start;
  }

  endSection(name: string): void {
    this.#flush();
    this.#sections[name] = { offset: this.#start, length: this.#offset - this.#start, crc: this.#crc };
  }

  section(name: string, bytes: Uint8Array): void {
    this.beginSection();
    this.append(bytes);
    this.endSection(name);
  }

  finish(footer: Omit<Footer, 'sections' | 'version'>): Footer {
    this.beginSection();
    this.section('pages', new Uint8Array(this.#pages.finish().buffer));
    this.align();
    const whole: Footer = { version: FORMAT_VERSION, ...footer, sections: this.#sections };
    const json = Buffer.from(JSON.stringify(whole));
    const tail = Buffer.alloc(TAIL_BYTES);
    tail.writeUInt32LE(json.length, 0);
    tail.writeUInt32LE(crc32(json), 4);
    MAGIC.copy(tail, 8);
    this.append(json);
    this.append(tail);
    this.#flush();
    this.#sink.finish();
    return whole;
  }

  abandon(): void {
    this.#sink.abandon();
  }

  #flush(): void {
    if (this.#buffered === 0) return;
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  #write(bytes: Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc);
    this.#pages.add(bytes);
    this.#sink.write(bytes);
  }
}
