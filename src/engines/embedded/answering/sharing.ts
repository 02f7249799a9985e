// A question shared by several threads: whoever is free claims its segments one by one, and puts what it found into
// shared memory. The asked thread invites idle ones, and never waits for one that has not begun.
//
//   shared memory   number of the question × 1024 + next segment to claim, i32; by segment: state i32; by chunk of each
//                   segment: kind, two numbers i32; then for each segment the counters of each breakdown u32, then 8 KB
//                   for each chunk

import type { MessagePort } from 'node:worker_threads';
import type { NameField } from '../../../model/engine.ts';
import type { Query } from '../../../model/query.ts';
import type { Kind } from '../../../model/record.ts';
import type { Segment } from '../index/segment.ts';
import type { TimeLimit } from '../matching/deadline.ts';
import type { SegmentMatches } from '../matching/matching.ts';
import { addTo, CHUNK_WORDS, type Chunk, MAX_ARRAY } from '../sets/chunk.ts';

export interface Task {
  readonly kind: Kind;
  /** The version of the view: a helper with another view declines. */
  readonly version: number;
  /** The asking thread's number of the question; it rises. */
  readonly question: number;
  readonly query: Query;
  readonly since: number | undefined;
  readonly fields: readonly NameField[];
  readonly segments: readonly number[];
  readonly limit: TimeLimit;
  readonly memory: SharedArrayBuffer;
}

interface PeerThread {
  readonly isAlive: boolean;
  /** Returns at once; the helper may begin later or never. */
  invite(task: Task): void;
}

export interface PeerThreads {
  idle(): readonly PeerThread[];
  /** True if the thread has its own work waiting. */
  readonly isWanted: boolean;
}

export const MAX_PEERS = 64;

/** By reader: its current calls; −1: it does not run. The owner of the threads writes them. */
export function peerStates(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(MAX_PEERS * 4)).fill(-1);
}

/** A worker's connections to the other readers. */
export class Peers implements PeerThreads {
  readonly #states: Int32Array;
  readonly #self: number;
  readonly #others = new Map<number, PeerThread>();

  constructor(states: Int32Array, self: number) {
    this.#states = states;
    this.#self = self;
  }

  /** Adds a reader, or its replacement. `help` is called with its invitations. */
  add(number: number, port: MessagePort, help: (task: Task) => void): void {
    const states = this.#states;
    this.#others.set(number, {
      // uncovered: asked only while a thread that was invited has not answered yet
      get isAlive() {
        return Atomics.load(states, number) >= 0;
      },
      invite: (task) => port.postMessage(task),
    });
    port.on('message', help);
    // The port must not keep the thread alive.
    port.unref();
  }

  idle(): PeerThread[] {
    return [...this.#others].flatMap(([number, helper]) =>
      Atomics.load(this.#states, number) === 0 ? [helper] : [],
    );
  }

  get isWanted(): boolean {
    return Atomics.load(this.#states, this.#self) > 0;
  }
}

const CHUNK_BYTES = CHUNK_WORDS * 4;
/** Numbers that describe a chunk. */
const CHUNK_ENTRY = 3;
/** The most segments of a shared question. */
export const MAX_PARTS = 1024;
/** Numbers of questions start again here. */
const MAX_QUESTION = 2 ** 20;
const OPEN = 0;
const DONE = 1;
const FAILED = 2;
/** The asking thread sleeps this long before it looks whether its helpers are alive. */
const WAIT_MS = 50;

export class SharedParts {
  readonly #segments: readonly Segment[];
  readonly #fields: readonly NameField[];
  readonly #layout: ReturnType<typeof layoutOf>;
  readonly #words: Int32Array;
  readonly #memory: SharedArrayBuffer;

  readonly #question: number;

  /**
   * The asked thread calls `begin` before it invites. The memory serves one question after the other: a late invitation
   * finds another question's number in it.
   */
  constructor(
    memory: SharedArrayBuffer,
    question: number,
    segments: readonly Segment[],
    fields: readonly NameField[],
  ) {
    this.#question = question & (MAX_QUESTION - 1);
    this.#segments = segments;
    this.#fields = fields;
    this.#layout = layoutOf(segments, fields);
    this.#words = new Int32Array(memory);
    this.#memory = memory;
  }

  static bytesFor(segments: readonly Segment[], fields: readonly NameField[]): number {
    return layoutOf(segments, fields).bytes;
  }

  begin(): void {
    this.#words.fill(OPEN, 1, 1 + this.#segments.length);
    Atomics.store(this.#words, 0, this.#question * MAX_PARTS);
  }

  /** Claims a segment for the caller and returns its number; −1: none is left. */
  claim(): number {
    for (;;) {
      const next = Atomics.load(this.#words, 0);
      const number = next % MAX_PARTS;
      if (Math.floor(next / MAX_PARTS) !== this.#question || number >= this.#segments.length) return -1;
      if (Atomics.compareExchange(this.#words, 0, next, next + 1) === next) return number;
    }
  }

  /** A helper stores what it found in its segment. */
  put(number: number, matches: SegmentMatches): void {
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      this.#putChunk(this.#layout.firstChunks[number]! + chunk, matches.chunk(chunk));
    }
    for (const field of this.#fields) this.#countersOf(number, field).set(matches.given(field)!);
    this.#settle(number, DONE);
  }

  /** A helper could not search its segment. */
  giveUp(number: number): void {
    this.#settle(number, FAILED);
  }

  /** The asked thread stops claims and waits for those at work. False: one of them died. */
  finish(own: ReadonlySet<number>, isAnyDead: () => boolean): boolean {
    const end = this.#question * MAX_PARTS + this.#segments.length;
    const claimed = Atomics.exchange(this.#words, 0, end) % MAX_PARTS;
    for (let number = 0; number < claimed; number++) {
      if (own.has(number)) continue;
      while (Atomics.load(this.#words, 1 + number) === OPEN) {
        if (Atomics.wait(this.#words, 1 + number, OPEN, WAIT_MS) === 'timed-out' && isAnyDead()) return false;
      }
    }
    return true;
  }

  /** After `finish`: hands on what another thread found in the segment. Valid until the memory is used again. */
  give(number: number, matches: SegmentMatches): void {
    if (Atomics.load(this.#words, 1 + number) !== DONE) return;
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      matches.giveChunk(chunk, this.#chunk(this.#layout.firstChunks[number]! + chunk));
    }
    for (const field of this.#fields) matches.giveCounts(field, this.#countersOf(number, field));
  }

  #settle(number: number, state: number): void {
    Atomics.store(this.#words, 1 + number, state);
    Atomics.notify(this.#words, 1 + number);
  }

  #countersOf(number: number, field: NameField): Uint32Array {
    const at = number * this.#fields.length + this.#fields.indexOf(field);
    const [from, to] = [this.#layout.counters[at]!, this.#layout.counters[at + 1]!];
    return new Uint32Array(this.#memory, from * 4, to - from);
  }

  #putChunk(place: number, docs: Chunk): void {
    const entry = this.#layout.chunkTable + place * CHUNK_ENTRY;
    const offset = this.#layout.chunkBytes + place * CHUNK_BYTES;
    if (docs.kind === 'run') this.#words.set([0, docs.from, docs.to], entry);
    else if (docs.kind === 'array' && docs.values.length <= MAX_ARRAY) {
      new Uint16Array(this.#memory, offset, docs.values.length).set(docs.values);
      this.#words.set([1, docs.values.length, 0], entry);
    } else {
      const words = new Uint32Array(this.#memory, offset, CHUNK_WORDS);
      if (docs.kind === 'bits') words.set(docs.words);
      // uncovered: no operation leaves so long a list of numbers; the type allows it
      else addTo(words.fill(0), docs);
      // uncovered: as above
      this.#words.set([2, docs.kind === 'bits' ? docs.count : docs.values.length, 0], entry);
    }
  }

  #chunk(place: number): Chunk {
    const entry = this.#layout.chunkTable + place * CHUNK_ENTRY;
    const offset = this.#layout.chunkBytes + place * CHUNK_BYTES;
    const kind = this.#words[entry];
    const first = this.#words[entry + 1]!;
    if (kind === 0) return { kind: 'run', from: first, to: this.#words[entry + 2]! };
    if (kind === 1) return { kind: 'array', values: new Uint16Array(this.#memory, offset, first) };
    return { kind: 'bits', words: new Uint32Array(this.#memory, offset, CHUNK_WORDS), count: first };
  }
}

/** Where the parts of a question are in the memory, the same in every thread. */
function layoutOf(segments: readonly Segment[], fields: readonly NameField[]) {
  /** By segment: the number of its first chunk among all chunks. */
  const firstChunks: number[] = [];
  let chunks = 0;
  for (const segment of segments) {
    firstChunks.push(chunks);
    chunks += segment.chunks;
  }
  const chunkTable = 1 + segments.length;
  /** By segment and field: where its counters begin, in words; finally their end. */
  const counters: number[] = [];
  let words = chunkTable + chunks * CHUNK_ENTRY;
  for (const { names } of segments) {
    for (const field of fields) {
      counters.push(words);
      words += field === 'community' ? names.placeCount : names.domainCount;
    }
  }
  counters.push(words);
  const chunkBytes = Math.ceil(words / 2) * 8;
  return { firstChunks, counters, chunkTable, chunkBytes, bytes: chunkBytes + chunks * CHUNK_BYTES };
}
