// A data folder looked at from outside: what it holds, how long it takes to open, which files nothing names.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { Manifest } from '../../src/engines/embedded/index/manifest.ts';
import {
  loadFileSegment,
  loadMemorySegment,
  Segment,
  type SegmentData,
  unloadSegment,
} from '../../src/engines/embedded/index/segment.ts';
import { KindStore } from '../../src/engines/embedded/index/view.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS, NO_RECORDS, searchedTexts } from '../../src/model/record.ts';
import { type Contents, contentsOf } from './acknowledged.ts';

const RULES = { keepOriginals: false };

export function openEngine(data: string): Promise<SearchEngine> {
  return openEmbeddedEngine(data, { rules: RULES, workers: 0 });
}

/** Milliseconds until a command that opens the folder has its first answers. */
export async function timeToOpen(data: string): Promise<number> {
  const started = performance.now();
  await using app = await openApp({ ...readConfig({}), dataFolder: data });
  for (const kind of KINDS) await app.engine.ask({ kind, query: { items: [] } });
  return performance.now() - started;
}

export async function contentsIn(data: string): Promise<Contents> {
  await using engine = await openEngine(data);
  return await contentsOf(engine);
}

/** A write that changes no record: whoever writes first tidies up. */
export async function writeNothing(data: string): Promise<void> {
  await using engine = await openEngine(data);
  for (const kind of KINDS) await engine.index(kind, NO_RECORDS, { source: 'nothing', state: '{}' });
}

/**
 * Which of these words stand in a file of the folder: in the texts of every record of every segment, live or dead, in
 * use or left over; and in the bytes of all files as they are. Names of the files.
 */
export function filesWithWords(data: string, words: readonly string[]): string[] {
  const wanted = new Set(words);
  const isThere = (text: string) => (text.match(/mark\w+?mark/g) ?? []).some((word) => wanted.has(word));
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const found = files.filter((path) => isThere(readFileSync(path, 'latin1')));
  for (const path of files.filter((file) => file.endsWith('.seg'))) {
    const segment = loadFileSegment(path, path);
    if (textsOf(segment).some(isThere)) found.push(path);
    unloadSegment(segment);
  }
  for (const kind of KINDS) {
    const manifest = new Manifest(data, kind);
    for (const { name, isFile } of manifest.segments()) {
      if (isFile) continue;
      const segment = loadMemorySegment(name, manifest.segmentBytes(name));
      if (textsOf(segment).some(isThere)) found.push(`${manifest.path}, segment ${name}`);
    }
    manifest.close();
  }
  return found;
}

function textsOf(data: SegmentData): string[] {
  const segment = new Segment(data);
  return Array.from({ length: segment.docs }, (_, doc) => searchedTexts(segment.record(doc)).join(' '));
}

/** Files that belong to no state of the folder: of broken-off writes and merges. Paths inside the folder. */
export function leftovers(data: string): string[] {
  const found: string[] = [];
  for (const kind of KINDS) {
    const store = new KindStore(data, kind);
    try {
      const { folder } = store.manifest;
      if (!existsSync(folder)) continue;
      const isCommitted = store.manifest.version() > 0;
      const named = new Set(isCommitted ? store.manifest.segments().map(({ name }) => `${name}.seg`) : []);
      for (const file of readdirSync(folder)) if (!named.has(file)) found.push(join(`${kind}s`, file));
    } finally {
      store.close();
    }
  }
  return found;
}
