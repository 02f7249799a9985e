// How the contract of an engine gets at the one in OpenSearch: a place is a fresh prefix on a cluster that several
// tests share, and its indices are deleted at the end.

import { randomUUID } from 'node:crypto';
import type { OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import type { EngineHarness, EnginePlace } from '../engine-harness.ts';

/** As few as can differ in more than who is first. */
const SHARDS = 2;

/** The suite asks what is erased, not when: a purge that waits for the cluster is in erased.ts. */
const SOON = { erasingMs: 0 };

/** Over the cluster with these nodes, as `testCluster` (cluster.ts) gives them. */
export function openSearchHarness(nodes: readonly string[], replicas = 0): EngineHarness {
  return {
    ...{ name: 'OpenSearch', damages: [{ name: 'its index is closed' }] },
    place: () => openSearchPlace(nodes, replicas),
    knows: { sentiment: false, copies: false, coverage: false },
  };
}

/** Settings of a place of its own: a prefix that nobody has. */
export function freshSettings(nodes: readonly string[], replicas = 0): OpenSearchSettings {
  const prefix = `test-${randomUUID()}`;
  return { nodes, prefix, shards: SHARDS, replicas, signIn: null };
}

/** `from`: whose indices it has copies of, as a snapshot would bring them back. */
function openSearchPlace(
  nodes: readonly string[],
  replicas: number,
  from: OpenSearchSettings | null = null,
): EnginePlace {
  const settings = freshSettings(nodes, replicas);
  let made: Promise<unknown> = from === null ? Promise.resolve() : copyIndices(from, settings);
  return {
    open: async (options) => {
      await made;
      return await openOpenSearchEngine(settings, options, SOON);
    },
    damage: (_way, kind) => {
      const path = `/${indexNames(settings)[kind]}`;
      made = made.then(() => call(settings, 'POST', `${path}/_close`));
      return () => void call(settings, 'POST', `${path}/_open`);
    },
    copy: () => openSearchPlace(nodes, replicas, settings),
    [Symbol.asyncDispose]: () => deleteIndices(settings),
  };
}

async function copyIndices(from: OpenSearchSettings, to: OpenSearchSettings): Promise<void> {
  const [names, copies] = [indexNames(from), indexNames(to)];
  await Promise.all(
    (Object.keys(names) as (keyof typeof names)[]).map(async (role) => {
      await call(from, 'PUT', `/${names[role]}/_settings`, { 'index.blocks.write': true });
      const settings = { 'index.blocks.write': null };
      await call(from, 'POST', `/${names[role]}/_clone/${copies[role]}`, { settings });
    }),
  );
}

/** All that were made under this prefix. */
export async function deleteIndices(settings: OpenSearchSettings): Promise<void> {
  const names = Object.values(indexNames(settings)).join(',');
  await call(settings, 'DELETE', `/${names}?ignore_unavailable=true`);
}

/** What the cluster answers. Throws where it refuses it. */
export async function call<Answer = unknown>(
  { nodes }: Pick<OpenSearchSettings, 'nodes'>,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const answer = await fetch(new URL(path, nodes[0]), { method, ...sent });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Answer;
}
