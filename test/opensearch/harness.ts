// How the contract of an engine gets at the one in OpenSearch: a place is a fresh prefix on a cluster that several
// tests share, and its indices are deleted at the end.

import { randomUUID } from 'node:crypto';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { indexNames } from '../../src/engines/opensearch/indices.ts';
import type { OpenSearchSettings } from '../../src/engines/opensearch/settings.ts';
import type { EngineHarness, EnginePlace } from '../engine-harness.ts';

/** As few as can differ in more than who is first. */
const SHARDS = 3;

/** The suite asks what is erased, not when: a purge that waits for the cluster is in erased.test.ts. */
const SOON = { erasingMs: 0 };

/** Over the cluster with these nodes, as `testCluster` (cluster.ts) gives them. */
export function openSearchHarness(nodes: readonly string[], replicas = 0): EngineHarness {
  return {
    ...{ name: 'OpenSearch', damages: 'the cluster keeps the files' },
    place: () => openSearchPlace(nodes, replicas),
    knows: { sentiment: false, copies: false, coverage: false },
  };
}

/** Settings of a place of its own: a prefix that nobody has. */
export function freshSettings(nodes: readonly string[], replicas = 0): OpenSearchSettings {
  const prefix = `test-${randomUUID()}`;
  return { nodes, prefix, shards: SHARDS, replicas, signIn: null, ca: null };
}

function openSearchPlace(nodes: readonly string[], replicas: number): EnginePlace {
  const settings = freshSettings(nodes, replicas);
  return {
    open: (options) => openOpenSearchEngine(settings, options, SOON),
    damage: () => {
      throw new Error('nothing is damaged here');
    },
    copy: () => {
      throw new Error('nothing is copied here');
    },
    [Symbol.asyncDispose]: () => deleteIndices(settings),
  };
}

/** All that were made under this prefix. */
export async function deleteIndices(settings: OpenSearchSettings): Promise<void> {
  const names = Object.values(indexNames(settings)).join(',');
  const address = new URL(`/${names}?ignore_unavailable=true`, settings.nodes[0]);
  const answer = await fetch(address, { method: 'DELETE' });
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}
