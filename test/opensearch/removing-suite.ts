// What tests of removals work on: comments of two communities in a place of its own, and who looks at them.

import assert from 'node:assert/strict';
import type { OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import type { StoredComment } from '../../src/model/record.ts';
import type { Hidden, RemovalList } from '../../src/model/removals.ts';
import { EVERYTHING, everything, RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { deleteIndices, freshSettings } from './harness.ts';

/** Comments c0, c1 … of the communities `even` and `odd`. */
export function comments(count: number, fields: Partial<StoredComment> = {}): StoredComment[] {
  return Array.from({ length: count }, (_, i) =>
    comment({ id: `c${i}`, created: 1_000 + i, community: i % 2 ? 'odd' : 'even', body: 'solar', ...fields }),
  );
}

export const BEFORE = comments(20);

/** What is hidden, and which of the comments that is. */
export const REMOVALS: readonly [Hidden, (id: string) => boolean][] = [
  [{ community: 'odd' }, (id) => Number(id.slice(1)) % 2 === 1],
  [{ ids: ['c3', 'c4', 'c25', 'c90'] }, (id) => ['c3', 'c4', 'c25', 'c90'].includes(id)],
];

/** Runs `test` with settings of a place of its own. */
export async function inPlace(
  nodes: readonly string[],
  test: (settings: OpenSearchSettings) => Promise<void>,
): Promise<void> {
  const settings = freshSettings(nodes);
  try {
    await test(settings);
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
  const ids = (await everything(engine, 'comment')).map(({ id }) => id);
  assert.equal((await engine.ask({ kind: 'comment', query: EVERYTHING })).total, ids.length);
  return ids;
}

export function idsOf(records: readonly StoredComment[]): string[] {
  return records.map(({ id }) => id);
}
