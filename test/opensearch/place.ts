// A place of its own on a cluster: comments of two communities, who looks at them, and processes that work there.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { OpenSearchClient, OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { ManifestStore } from '../../src/engines/opensearch/state/manifest.ts';
import { Batch } from '../../src/engines/opensearch/writing/batch.ts';
import type { IndexReport, SearchEngine } from '../../src/model/engine.ts';
import type { StoredComment, StoredRecord } from '../../src/model/record.ts';
import type { Hidden, RemovalList } from '../../src/model/removals.ts';
import { EVERYTHING, everything, RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { type CommandResult, colloquy } from '../one-process.ts';
import { deleteIndices, freshSettings } from './harness.ts';
import { type Passing, startProxy, type Verdict } from './proxy.ts';

/** Comments c0, c1 … (from `from` on) of the communities `even` and `odd`. */
export function comments(count: number, fields: Partial<StoredComment> = {}, from = 0): StoredComment[] {
  return Array.from({ length: count }, (_, n) => {
    const i = from + n;
    const community = i % 2 ? 'odd' : 'even';
    return comment({ id: `c${i}`, created: 1_000 + i, community, body: 'solar', ...fields });
  });
}

export const BEFORE = comments(20);

/** What is hidden, and which of the comments that is. */
export const REMOVALS: readonly [Hidden, (id: string) => boolean][] = [
  [{ community: 'odd' }, (id) => Number(id.slice(1)) % 2 === 1],
  [{ ids: ['c3', 'c4', 'c25', 'c90'] }, (id) => ['c3', 'c4', 'c25', 'c90'].includes(id)],
];

/** Runs `test` with settings of a place of its own. `shards`: more where one behind the other is the point. */
export async function inPlace<Found = void>(
  nodes: readonly string[],
  test: (settings: OpenSearchSettings) => Promise<Found>,
  shards = 1,
): Promise<Found> {
  const settings = { ...freshSettings(nodes), shards };
  try {
    return await test(settings);
  } finally {
    await deleteIndices(settings);
  }
}

export function open(settings: OpenSearchSettings, removals?: RemovalList): Promise<SearchEngine> {
  return openOpenSearchEngine(settings, { rules: RULES, ...(removals && { removals }) });
}

/** Ids that a process finds which looks now, in a total and in a scan. */
export async function idsIn(engine: SearchEngine): Promise<readonly string[]> {
  await engine.refresh();
  const ids = idsOf(await everything(engine, 'comment'));
  assert.equal((await engine.ask({ kind: 'comment', query: EVERYTHING })).total, ids.length);
  return ids;
}

export function idsOf(records: readonly StoredRecord[]): string[] {
  return records.map(({ id }) => id);
}

/** What several batches did. */
export function sumOf(reports: readonly IndexReport[]): IndexReport {
  const sum = { added: 0, replaced: 0, unchanged: 0, removed: 0 };
  for (const report of reports) {
    for (const name of ['added', 'replaced', 'unchanged', 'removed'] as const) sum[name] += report[name];
  }
  return sum;
}

/** The manifest of the comments. */
export function manifestIn(client: OpenSearchClient, settings: OpenSearchSettings): ManifestStore {
  return new ManifestStore(client, indexNames(settings).control, 'comment');
}

/** Writes a part of a batch, which no reader is shown, and breaks off. Returns the manifest. */
export async function breakOff(
  client: OpenSearchClient,
  settings: OpenSearchSettings,
  records: readonly StoredComment[],
): Promise<ManifestStore> {
  const manifest = manifestIn(client, settings);
  const writing = manifest.writing(async ({ began: { generation: visible } }) => {
    const target = { client, index: indexNames(settings).comment, rules: RULES, visible };
    await new Batch(records).write({ ...target, before: async () => undefined });
    throw new Error('broken off');
  });
  await assert.rejects(writing, /broken off/);
  return manifest;
}

/** Resolves when so many wait in the manifest until they may write. */
export async function waitingIn(manifest: ManifestStore, count: number): Promise<void> {
  while ((await manifest.read()).waiting.length < count) await sleep(10);
}

/** For commands. */
export function environmentOf(settings: OpenSearchSettings): Record<string, string> {
  return {
    COLLOQUY_ENGINE: 'opensearch',
    COLLOQUY_OPENSEARCH_NODES: settings.nodes.join(','),
    COLLOQUY_OPENSEARCH_PREFIX: settings.prefix,
    COLLOQUY_OPENSEARCH_SHARDS: `${settings.shards}`,
    COLLOQUY_OPENSEARCH_REPLICAS: `${settings.replicas}`,
  };
}

/** Runs a command to its end, in the process that commands of a test share. */
export function run(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const settings = { ...(process.env as Readonly<Record<string, string>>), ...environment };
  return colloquy(words, '', { settings });
}

/** Changes what is in the cluster, or shows it to searches. */
export function isWrite({ method, path }: Passing): boolean {
  return method === 'PUT' || method === 'DELETE' || /_(bulk|refresh|flush|forcemerge)/.test(path);
}

/**
 * Runs one of the programs of this folder, given these settings and what is behind them as JSON, and kills it at the
 * first of its requests that `where` says something of: before the node gets it, or once the node has done it. False:
 * it was through before.
 */
export async function dieWhere(
  program: 'engine-process.ts' | 'move-process.ts',
  settings: OpenSearchSettings,
  given: readonly unknown[],
  where: (passing: Passing) => 'before' | 'behind' | null,
): Promise<boolean> {
  const reached = Promise.withResolvers<void>();
  let place: ReturnType<typeof where> = null;
  const judge = (passing: Passing): Verdict => {
    if (place !== null) return 'hold';
    place = where(passing);
    if (place === null) return 'pass';
    return async (body, ask) => {
      if (place === 'behind') await ask(body);
      reached.resolve();
      return await new Promise<never>(() => undefined);
    };
  };
  await using proxy = await startProxy(settings.nodes[0]!, judge);
  const words = [{ ...settings, nodes: [proxy.address] }, ...given].map((word) => JSON.stringify(word));
  const script = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([reached.promise, ended]);
  child.kill('SIGKILL');
  const [code, signal] = await ended;
  assert.ok(code === 0 || signal === 'SIGKILL', `exit code ${code}`);
  return code === null;
}
