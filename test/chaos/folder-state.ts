// A data folder looked at from outside: what it holds, how long it takes to open, which files nothing names.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { KindStore } from '../../src/engines/embedded/kind-store.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS } from '../../src/model/record.ts';
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
  for (const kind of KINDS) await engine.index(kind, [], { source: 'nothing', state: '{}' });
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
