// Small things that several tests need: folders that go away, records by hand, ids of a page.

import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceFacts } from '../src/model/coverage.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { StoredComment, StoredPost } from '../src/model/record.ts';

/** A fresh folder that is removed with its content at the end of the scope (`using folder = temporaryFolder()`). */
export function temporaryFolder(): Disposable & { readonly path: string } {
  return folderIn(tmpdir());
}

/** The same in memory, where the system has room for it: for many small steps whose syncing plays no part. */
export function folderInMemory(): Disposable & { readonly path: string } {
  return folderIn(hasRoomInMemory() ? MEMORY : tmpdir());
}

export const MEMORY = '/dev/shm';
/** Containers often have 64 MB. */
const ROOM = 2 ** 29;

export function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM;
}

function folderIn(parent: string): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(parent, 'colloquy-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Of an import before anything was noted of its source. */
export const NO_SOURCE_FACTS: SourceFacts = {
  ...{ name: null, sha256: null, bytes: null, format: null, kind: null, first: null, last: null },
};

/** 2008-01-01 00:00:00 UTC. */
export const START_OF_2008 = 1_199_145_600;

/** A text post; name what matters. */
export function post(fields: Partial<StoredPost> & { readonly id: string }): StoredPost {
  const community = fields.community ?? 'energy';
  return {
    kind: 'post',
    community,
    communityId: '',
    created: START_OF_2008,
    permalink: `/r/${community}/comments/${fields.id}/`,
    score: 1,
    retrieved: 0,
    withdrawn: false,
    lent: [],
    domain: `self.${community}`,
    title: '',
    selftext: '',
    url: null,
    adult: null,
    ...fields,
  };
}

/** A link post to `https://<domain>/`. */
export function linkPost(
  fields: Partial<StoredPost> & { readonly id: string; readonly domain: string },
): StoredPost {
  return post({ url: `https://${fields.domain}/`, ...fields });
}

export function comment(fields: Partial<StoredComment> & { readonly id: string }): StoredComment {
  const community = fields.community ?? 'energy';
  return {
    kind: 'comment',
    community,
    communityId: '',
    created: START_OF_2008,
    permalink: `/r/${community}/comments/_/_/${fields.id}/`,
    score: 1,
    retrieved: 0,
    withdrawn: false,
    lent: [],
    body: '',
    sentiment: null,
    post: '',
    parent: '',
    ratings: [],
    ...fields,
  };
}

/** So many, by time: ids `0`, `1` …, a second apart; name what matters. */
export function someComments(count: number, fieldsOf: (i: number) => Partial<StoredComment> = () => ({})) {
  const at = (i: number) => ({ id: `${i}`, created: START_OF_2008 + i });
  return Array.from({ length: count }, (_, i) => comment({ ...at(i), ...fieldsOf(i) }));
}

/** The engine, but for one method. */
export function instead(engine: SearchEngine, method: keyof SearchEngine, call: unknown): SearchEngine {
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === method) return call;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The same engine, which asks for batches of so many records. */
export function inBatchesOf(records: number, engine: SearchEngine): SearchEngine {
  return instead(engine, 'batchRecords', () => records);
}

/** A value a line. */
export function jsonLines(text: string) {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

/** The content in pieces of so many bytes. */
export async function* chunked(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

/** How often others get their turn while this runs. */
export async function turnsWhile(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns++;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await run();
  isRunning = false;
  return turns;
}
