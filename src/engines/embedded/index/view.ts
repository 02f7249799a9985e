// A view: the segments and tombstones of one version of the manifest. A question is answered from one view. A store
// knows the current view of a kind, its open segments, and who still reads them.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { missingPath, StorageError, storageError } from '../../../errors.ts';
import { log } from '../../../log.ts';
import type { CopyRules } from '../../../model/copies.ts';
import type { LastArrival } from '../../../model/engine.ts';
import type { Hash64 } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { UNCOUNTED } from '../../../model/time.ts';
import { syncFolder } from '../../../sqlite/database.ts';
import type { ColumnOwner } from '../columns/column-memory.ts';
import { footerSum } from '../format/segment-file.ts';
import { Manifest, type SegmentRow } from './manifest.ts';
import { withHidden } from './manifest-rows.ts';
import {
  countDead,
  type DeadDocs,
  isDead,
  loadFileSegment,
  loadMemorySegment,
  Segment,
  type SegmentData,
  unloadSegment,
} from './segment.ts';

/** How often to reread a manifest that changed while its files were being opened. */
const MAX_TRIES = 20;

const SEGMENT_FILE = /\.seg$/;

type OpenSegment = ViewData['segments'][number];

/** A view that stays whole until it is released. */
export interface Pin extends Disposable {
  readonly data: ViewData;
}

export class KindStore {
  readonly manifest: Manifest;
  readonly #owner: ColumnOwner | null;
  #current: ViewData;
  #open = new Map<string, OpenSegment>();
  /** Views that are being read, apart from the current one. */
  readonly #pinned = new Map<ViewData, number>();
  readonly #loaded = new Set<SegmentData>();
  #isKnownEmpty = false;

  /** `owner`: of the memory for columns; null: all are in memory as a whole. */
  constructor(folder: string, kind: Kind, isReadOnly = false, owner: ColumnOwner | null = null) {
    this.#owner = owner;
    this.manifest = new Manifest(folder, kind, isReadOnly);
    this.#current = emptyView(kind);
  }

  get current(): ViewData {
    return this.#current;
  }

  /** Reads the manifest if it has changed. Throws a StorageError if something is damaged. */
  refresh(): void {
    const version = this.manifest.version();
    if (version === this.#current.version) {
      if (version === 0 && !this.#isKnownEmpty) this.manifest.expectNotLost();
      this.#isKnownEmpty = version === 0;
      return;
    }
    try {
      this.#read();
    } finally {
      this.#unloadUnused();
    }
  }

  pin(): Pin {
    const data = this.#current;
    this.#pinned.set(data, (this.#pinned.get(data) ?? 0) + 1);
    return {
      data,
      [Symbol.dispose]: () => {
        // uncovered: what is let go was pinned; the type allows otherwise
        const left = (this.#pinned.get(data) ?? 1) - 1;
        if (left > 0) this.#pinned.set(data, left);
        else this.#pinned.delete(data);
        if (data !== this.#current) this.#unloadUnused();
      },
    };
  }

  /**
   * Deletes files that the manifest does not name, left by merges or by an interrupted write. Only for the
   * holder of the lock.
   */
  deleteOrphans(): void {
    if (!existsSync(this.manifest.folder)) return;
    // Without a manifest, nothing says that these files are not needed.
    const isKnown = this.manifest.version() > 0;
    const named = new Set(this.manifest.segments().map(({ name }) => `${name}.seg`));
    for (const file of readdirSync(this.manifest.folder)) {
      const isOurs = (isKnown && SEGMENT_FILE.test(file)) || file.endsWith('.seg.part');
      if (isOurs && !named.has(file)) rmSync(join(this.manifest.folder, file), { force: true });
    }
  }

  /** Like `deleteOrphans`, and makes sure that no power cut brings the files back. */
  deleteForGood(): void {
    if (!existsSync(this.manifest.folder)) return;
    this.deleteOrphans();
    syncFolder(this.manifest.folder);
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
        // A merge of another process may have dropped a file after we read its name and before we opened it.
        const path = missingPath(error);
        if (path === null) throw storageError(error, this.manifest.folder);
        if (tries === MAX_TRIES) {
          throw new StorageError(`\`${path}\`: expected the file, found none; run \`colloquy check\``, {
            cause: error,
          });
        }
      }
    }
  }

  #readSnapshot(): void {
    const open = new Map<string, OpenSegment>();
    const { version, revived, arrivals } = this.manifest.state();
    this.manifest.verify();
    for (const row of this.manifest.segments()) {
      const known = this.#open.get(row.name);
      const data = known?.data ?? this.#load(row);
      const deaths = known?.deadVersion === row.deadVersion ? known : this.#deathsOf(row);
      open.set(row.name, { ...deaths, arrival: row.arrival, sum: row.sum, data });
    }
    this.#open = open;
    const { kind } = this.manifest;
    this.#current = { kind, version, revived, arrivals, segments: [...open.values()] };
  }

  #deathsOf({ name, deadVersion }: SegmentRow): Deaths {
    const tombstones = this.manifest.dead(name);
    const rows = this.manifest.hidden(name);
    return {
      dead: withHidden(rows, tombstones),
      deadVersion,
      tombstones: countDead(tombstones),
      hidden: countDead(withHidden(rows)),
      hiddenSince: rows.length === 0 ? null : Math.min(...rows.map(({ time }) => time)),
    };
  }

  #load({ name, isFile, crc }: SegmentRow): SegmentData {
    const data = isFile
      ? loadFileSegment(name, join(this.manifest.folder, `${name}.seg`), this.#owner)
      : loadMemorySegment(name, this.manifest.segmentBytes(name), this.#owner);
    this.#loaded.add(data);
    const isNamed = !isFile || footerSum(data.footer) === crc;
    if (isNamed && data.footer.kind === this.manifest.kind) return data;
    // uncovered: a row of another kind in the manifest: no writer makes it
    const path = isFile ? join(this.manifest.folder, `${name}.seg`) : this.manifest.path;
    throw new StorageError(
      `\`${path}\`: expected the segment \`${name}\` of ${this.manifest.kind}s, found another; run \`colloquy check\``,
    );
  }

  #unloadUnused(): void {
    const used = new Set<SegmentData>();
    for (const view of [this.#current, ...this.#pinned.keys()]) {
      for (const { data } of view.segments) used.add(data);
    }
    for (const data of this.#loaded) {
      if (used.has(data)) continue;
      this.#loaded.delete(data);
      try {
        unloadSegment(data, this.#owner);
      } catch (error) {
        // The descriptor is gone all the same (close(2)), and there was nothing to write.
        // uncovered: a disk that fails to close what was read
        log.warn({ err: error, segment: data.name }, 'closing a segment failed');
      }
    }
  }
}

/** A view, in the form that threads hand to each other. */
export interface ViewData {
  readonly kind: Kind;
  /** Of the manifest. */
  readonly version: number;
  /** The version in which records last came back to life. */
  readonly revived: number;
  /** The arrival of the last records that came in. */
  readonly arrivals: number;
  readonly segments: readonly (SegmentState & { readonly data: SegmentData })[];
}

/** What the manifest says of a segment beside where it is. */
interface SegmentState extends Deaths {
  /** Of its records that have none of their own. */
  readonly arrival: number;
  /** Of the mixes of its live records (model/hash.ts); null: not known yet. */
  readonly sum: Hash64 | null;
}

/** Which records of a segment are dead, and why. */
interface Deaths {
  /** With a tombstone or hidden. */
  readonly dead: DeadDocs;
  readonly deadVersion: number;
  /** How many have a tombstone. */
  readonly tombstones: number;
  /** How many are hidden, with or without a tombstone. */
  readonly hidden: number;
  /** Unix seconds of the first hiding; null if none is hidden. */
  readonly hiddenSince: number | null;
}

export interface ViewSegment extends SegmentState {
  readonly segment: Segment;
  readonly deadCount: number;
  /** Counts that need to be made only once for this segment and these tombstones (counting/breakdown.ts). */
  readonly memo: Map<string, Uint32Array>;
}

export interface View extends Omit<ViewData, 'segments'> {
  /** Newest first, by their last record. */
  readonly segments: readonly ViewSegment[];
}

export interface DocRef {
  readonly source: ViewSegment;
  readonly doc: number;
}

/** Opens what is new in `data`, and reuses the rest from `previous`. */
export function openView(data: ViewData, previous: View | undefined): View {
  const known = new Map(previous?.segments.map((old) => [old.segment.name, old]));
  const segments = data.segments.map(({ data: segmentData, ...state }): ViewSegment => {
    const old = known.get(segmentData.name);
    // A sum that has become known changes nothing else.
    if (old !== undefined && old.deadVersion === state.deadVersion) return { ...old, sum: state.sum };
    const segment = old?.segment ?? new Segment(segmentData);
    return { segment, ...state, deadCount: countDead(state.dead), memo: new Map() };
  });
  segments.sort((a, b) => b.segment.data.footer.lastCreated - a.segment.data.footer.lastCreated);
  const { kind, version, revived, arrivals } = data;
  return { kind, version, revived, arrivals, segments };
}

export function emptyView(kind: Kind) {
  return { kind, version: 0, revived: 0, arrivals: UNCOUNTED, segments: [] };
}

export interface StateOptions {
  readonly folder: string;
  readonly rules: CopyRules;
  /** See EngineOptions. */
  readonly isReadOnly?: boolean | undefined;
}

/** What a thread has of an index, whatever its role: the current views and the manifests. */
export class ThreadState {
  readonly rules: CopyRules;
  readonly manifests: Readonly<Record<Kind, Manifest>>;
  readonly views: Record<Kind, View> = { post: emptyView('post'), comment: emptyView('comment') };

  constructor({ folder, rules, isReadOnly }: StateOptions) {
    this.rules = rules;
    const manifest = (kind: Kind) => new Manifest(folder, kind, isReadOnly);
    this.manifests = { post: manifest('post'), comment: manifest('comment') };
  }

  /** Later calls see this view. */
  show(data: ViewData): void {
    this.views[data.kind] = openView(data, this.views[data.kind]);
  }

  close(): void {
    for (const manifest of Object.values(this.manifests)) manifest.close();
  }
}

/** Number of the commit that brought a record in; UNCOUNTED where nobody knows. */
export function arrivalOf({ segment, arrival }: ViewSegment, doc: number): number {
  return segment.facts.at('arrival', doc) || arrival;
}

export function lastArrival(view: View): LastArrival {
  return view.arrivals === UNCOUNTED && liveCount(view) === 0 ? 0 : view.arrivals;
}

/** null: no live record has this id. */
export function findLive(segments: readonly ViewSegment[], id: string): DocRef | null {
  for (const source of segments) {
    if (!source.segment.mayHold(id)) continue;
    const doc = source.segment.docOf(id);
    if (doc >= 0 && !isDead(source.dead, doc)) return { source, doc };
  }
  return null;
}

/** Records in the files of the view, live or not. */
export function docsOf(view: View): number {
  return view.segments.reduce((sum, { segment }) => sum + segment.docs, 0);
}

export function liveCount(view: View): number {
  return view.segments.reduce((sum, { segment, deadCount }) => sum + segment.docs - deadCount, 0);
}

/** Unix seconds of the first and the last record of the view; null if it is empty. */
export function timeRange(view: View): { readonly first: number | null; readonly last: number | null } {
  let first: number | null = null;
  let last: number | null = null;
  for (const { segment, dead } of view.segments) {
    let low = 0;
    while (low < segment.docs && isDead(dead, low)) low++;
    if (low === segment.docs) continue;
    let high = segment.docs - 1;
    while (isDead(dead, high)) high--;
    first = Math.min(first ?? Infinity, segment.created.at(low));
    last = Math.max(last ?? -Infinity, segment.created.at(high));
  }
  return { first, last };
}
