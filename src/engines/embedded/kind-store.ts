// What a process knows of one kind: the current view, the segments it has open, and who still reads them.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind } from '../../model/record.ts';
import { Manifest, type SegmentRow } from './manifest.ts';
import { loadFileSegment, loadMemorySegment, type SegmentData, unloadSegment } from './segment.ts';
import type { DeadDocs, ViewData } from './view.ts';

/** How often a manifest that changed while its files were opened is read again. */
const MAX_TRIES = 20;

const SEGMENT_FILE = /\.seg$/;

interface OpenSegment {
  readonly data: SegmentData;
  readonly dead: DeadDocs;
  readonly deadVersion: number;
}

/** A view that stays whole until it is released. */
export interface Pin extends Disposable {
  readonly data: ViewData;
}

export class KindStore {
  readonly manifest: Manifest;
  #current: ViewData;
  #open = new Map<string, OpenSegment>();
  /** Views that are read at the moment, the current one apart. */
  readonly #pinned = new Map<ViewData, number>();
  readonly #loaded = new Set<SegmentData>();

  constructor(folder: string, kind: Kind) {
    this.manifest = new Manifest(folder, kind);
    this.#current = { kind, version: 0, segments: [] };
  }

  get current(): ViewData {
    return this.#current;
  }

  /** Reads the manifest where it has changed; true where it had. */
  refresh(): boolean {
    const version = this.manifest.version();
    if (version === this.#current.version) return false;
    this.#read();
    this.#unloadUnused();
    return true;
  }

  pin(): Pin {
    const data = this.#current;
    this.#pinned.set(data, (this.#pinned.get(data) ?? 0) + 1);
    return {
      data,
      [Symbol.dispose]: () => {
        const left = (this.#pinned.get(data) ?? 1) - 1;
        if (left > 0) this.#pinned.set(data, left);
        else this.#pinned.delete(data);
        if (data !== this.#current) this.#unloadUnused();
      },
    };
  }

  /** Deletes files that no manifest names: left by merges, by a broken-off write. Only for the holder of the lock. */
  deleteOrphans(): void {
    if (!existsSync(this.manifest.folder) || this.manifest.version() === 0) return;
    const named = new Set(this.manifest.segments().map(({ name }) => `${name}.seg`));
    for (const file of readdirSync(this.manifest.folder)) {
      const isOurs = SEGMENT_FILE.test(file) || file.endsWith('.seg.part');
      if (isOurs && !named.has(file)) rmSync(join(this.manifest.folder, file), { force: true });
    }
  }

  /** Bytes on disk. */
  size(): number {
    const files = this.#current.segments.filter(({ data }) => data.file !== null);
    return this.manifest.size() + files.reduce((sum, { data }) => sum + data.size, 0);
  }

  close(): void {
    this.#current = { ...this.#current, segments: [] };
    this.#open.clear();
    this.#pinned.clear();
    this.#unloadUnused();
    this.manifest.close();
  }

  #read(): void {
    for (let tries = 1; ; tries++) {
      try {
        this.manifest.inSnapshot(() => this.#readSnapshot());
        return;
      } catch (error) {
        // A merge of another process may have dropped a file between its name and its opening.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === MAX_TRIES) throw error;
      }
    }
  }

  #readSnapshot(): void {
    const open = new Map<string, OpenSegment>();
    const version = this.manifest.version();
    for (const row of this.manifest.segments()) {
      const known = this.#open.get(row.name);
      const data = known?.data ?? this.#load(row);
      const dead = known?.deadVersion === row.deadVersion ? known.dead : this.manifest.dead(row.name);
      open.set(row.name, { data, dead, deadVersion: row.deadVersion });
    }
    this.#open = open;
    this.#current = { kind: this.manifest.kind, version, segments: [...open.values()] };
  }

  #load({ name, isFile }: SegmentRow): SegmentData {
    const data = isFile
      ? loadFileSegment(name, join(this.manifest.folder, `${name}.seg`))
      : loadMemorySegment(name, this.manifest.segmentBytes(name));
    this.#loaded.add(data);
    return data;
  }

  #unloadUnused(): void {
    const used = new Set<SegmentData>();
    for (const view of [this.#current, ...this.#pinned.keys()]) {
      for (const { data } of view.segments) used.add(data);
    }
    for (const data of this.#loaded) {
      if (used.has(data)) continue;
      unloadSegment(data);
      this.#loaded.delete(data);
    }
  }
}
