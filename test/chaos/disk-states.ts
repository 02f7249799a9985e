// What could be on disk after a power cut at some moment: everything that was synced, and of the rest any part, in any
// order. Bytes that were not synced are there, or not, by sectors of 512 bytes or cut anywhere; names that were not
// synced by their folder are the old ones or the new; SQLite's log holds a part of a transaction under way.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseChange, DiskEvent } from './disk-recording.ts';

const SECTOR = 512;

interface DiskFile {
  /** As of the last sync. */
  safe: Buffer;
  /** Since then. */
  pending: { readonly offset: number; readonly bytes: Buffer }[];
}

type NameEvent = Extract<DiskEvent, { kind: 'create' | 'rename' | 'unlink' | 'mkdir' }>;

/** Goes through a recording, and says at each place what could be on disk. */
export class DiskState {
  readonly #files = new Map<number, DiskFile>();
  /** Path → number; folders are −1. */
  #safeNames = new Map<string, number>();
  #numbers = new Map<string, number>();
  #pendingNames: { readonly event: NameEvent; readonly file: number }[] = [];
  readonly #databases = new Map<string, Buffer>();

  /** Moves on behind this event. */
  advance(event: DiskEvent): void {
    switch (event.kind) {
      case 'create':
        this.#files.set(event.file, { safe: Buffer.alloc(0), pending: [] });
        this.#name(event, event.file);
        break;
      case 'rename':
        this.#name(event, this.#numbers.get(event.from) ?? -1);
        break;
      case 'unlink':
      case 'mkdir':
        this.#name(event, -1);
        break;
      case 'write':
        this.#files.get(event.file)!.pending.push({ offset: event.offset, bytes: event.bytes });
        break;
      case 'truncate':
        this.#files.set(event.file, { safe: Buffer.alloc(0), pending: [] });
        break;
      case 'sync': {
        const file = this.#files.get(event.file)!;
        this.#files.set(event.file, { safe: withWrites(file.safe, file.pending), pending: [] });
        break;
      }
      case 'sync folder':
        this.#syncNames(event.path);
        break;
      case 'commit':
        for (const change of event.changes) this.#commit(change);
        break;
      case 'commit begins':
      case 'mark':
        break;
    }
  }

  /**
   * Writes one of the states that are possible here into a fresh folder. `commit`: the one that is under way. Returns
   * what was done to it, in words.
   */
  write(folder: string, random: () => number, commit: readonly DatabaseChange[] | null): string {
    const keep = keepers(random);
    const names = new Map(this.#safeNames);
    for (const { event, file } of this.#pendingNames) if (keep.name()) applyName(names, event, file);
    mkdirSync(folder, { recursive: true });
    for (const [path, number] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      // A folder that is not there takes what is in it along.
      if (dirname(path) !== '.' && names.get(dirname(path)) !== -1) continue;
      if (number === -1) mkdirSync(join(folder, path), { recursive: true });
      else writeFileSync(join(folder, path), keep.bytes(this.#files.get(number)!));
    }
    const databases = new Map(this.#databases);
    if (commit !== null) for (const change of commit) applyTorn(databases, change, commit, random);
    else for (const path of databases.keys()) if (path.endsWith('-wal')) addGarbage(databases, path, random);
    for (const [path, bytes] of databases) writeFileSync(join(folder, path), bytes);
    return keep.words;
  }

  #name(event: NameEvent, file: number): void {
    this.#pendingNames.push({ event, file });
    applyName(this.#numbers, event, file);
  }

  #syncNames(folder: string): void {
    const isHere = ({ event }: { readonly event: NameEvent }) => {
      const path = event.kind === 'rename' ? event.to : event.path;
      return (dirname(path) === '.' ? '' : dirname(path)) === folder;
    };
    for (const pending of this.#pendingNames)
      if (isHere(pending)) applyName(this.#safeNames, pending.event, pending.file);
    this.#pendingNames = this.#pendingNames.filter((pending) => !isHere(pending));
  }

  #commit({ path, before, after }: DatabaseChange): void {
    if (after === null) this.#databases.delete(path);
    else this.#databases.set(path, after);
    // SQLite syncs the folder when it makes a log (os_unix.c, UNIXFILE_DIRSYNC).
    if (before === null && path.endsWith('-wal')) this.#syncNames('');
  }
}

function applyName(names: Map<string, number>, event: NameEvent, file: number): void {
  if (event.kind === 'create') names.set(event.path, file);
  else if (event.kind === 'mkdir') names.set(event.path, -1);
  else if (event.kind === 'unlink') names.delete(event.path);
  else {
    names.delete(event.from);
    names.set(event.to, file);
  }
}

/** How a state deals with what was not synced: one way for names, one for bytes. */
function keepers(random: () => number) {
  const shareOfNames = pick([0, 0.5, 1], random);
  const way = pick(['lost', 'whole', 'sectors', 'cut', 'zeros', 'garbage'] as const, random);
  return {
    words: `names ${shareOfNames}, bytes ${way}`,
    name: () => random() < shareOfNames,
    bytes: ({ safe, pending }: DiskFile): Buffer => {
      if (pending.length === 0 || way === 'lost') return safe;
      const whole = withWrites(safe, pending);
      if (way === 'whole') return whole;
      if (way === 'cut')
        return whole.subarray(0, safe.length + Math.floor(random() * (whole.length - safe.length)));
      return bySectors(safe, whole, random, way === 'garbage');
    },
  };
}

function withWrites(safe: Buffer, writes: DiskFile['pending']): Buffer {
  const size = writes.reduce((most, { offset, bytes }) => Math.max(most, offset + bytes.length), safe.length);
  const whole = Buffer.alloc(size);
  safe.copy(whole);
  for (const { offset, bytes } of writes) bytes.copy(whole, offset);
  return whole;
}

/** Each changed sector old or new, in the size of the new; where there was no old one zeros, or garbage. */
function bySectors(before: Buffer, after: Buffer, random: () => number, isGarbage: boolean): Buffer {
  const mixed = Buffer.alloc(Math.max(before.length, after.length));
  after.copy(mixed);
  const share = pick([0.1, 0.5, 0.9, 0.99], random);
  for (let at = 0; at < after.length; at += SECTOR) {
    if (random() < share) continue;
    const end = Math.min(at + SECTOR, after.length);
    mixed.fill(0, at, end);
    if (isGarbage) for (let i = at; i < end; i++) mixed[i] = random() * 256;
    if (at < before.length) before.copy(mixed, at, at, Math.min(end, before.length));
  }
  return mixed;
}

/**
 * A transaction under way. First the log grows; when all of it is synced, the database may be brought up to it, and a
 * log whose content is all in the database may be gone or written from its beginning.
 */
function applyTorn(
  databases: Map<string, Buffer>,
  { path, before, after }: DatabaseChange,
  all: readonly DatabaseChange[],
  random: () => number,
): void {
  const log = all.find((change) => change.path === `${path}-wal`);
  if (path.endsWith('-wal')) {
    const database = all.find((change) => `${change.path}-wal` === path);
    // Where the database changes too, that comes behind the log.
    if (database === undefined && after !== null)
      databases.set(path, torn(before ?? Buffer.alloc(0), after, random));
    else if (after !== null) databases.set(path, after);
  } else if (before !== null && after !== null && path.endsWith('.db')) {
    const hasWholeLog =
      log !== undefined ? log.after !== null || log.before !== null : databases.has(`${path}-wal`);
    if (hasWholeLog) databases.set(path, bySectors(before, after, random, false));
  }
}

function torn(before: Buffer, after: Buffer, random: () => number): Buffer {
  if (random() < 0.3) {
    const size = before.length + Math.floor(random() * Math.max(0, after.length - before.length));
    return after.length > before.length ? after.subarray(0, size) : before;
  }
  return bySectors(before, after, random, random() < 0.3);
}

/** Behind the last commit of a log there may be anything. */
function addGarbage(databases: Map<string, Buffer>, path: string, random: () => number): void {
  if (random() < 0.5) return;
  const garbage = Buffer.alloc(Math.floor(random() * 3 * 4120));
  for (let i = 0; i < garbage.length; i++) garbage[i] = random() * 256;
  databases.set(path, Buffer.concat([databases.get(path)!, garbage]));
}

function pick<T>(values: readonly T[], random: () => number): T {
  return values[Math.floor(random() * values.length)]!;
}
