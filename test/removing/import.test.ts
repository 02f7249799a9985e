// Imports of records that are on the list of removals: what the report, the progress and the log of imports say.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RemovalEntry } from '../../src/model/removals.ts';
import { commentLine, importPlace, postLine } from '../import/import-helpers.ts';

const ENTRIES: readonly RemovalEntry[] = [
  { kind: 'post', name: 'p1' },
  { kind: 'comment', name: 'c1' },
  { kind: 'community', name: 'cats' },
  { kind: 'thread', name: 'p2' },
];

const LINES = [
  ...[postLine('p1'), postLine('p2'), postLine('p3', { subreddit: 'Cats' })],
  ...[commentLine('c1'), commentLine('c2', { link_id: 't3_p2' }), commentLine('c3', { link_id: 't3_p1' })],
  ...[commentLine('c4', { subreddit: 'CATS' }), commentLine('c5', { score: 'many' })],
];

it('what is listed is skipped as `removed`, in the report, the progress and the log', async () => {
  await using place = await importPlace();
  const { removals } = place.catalogue;
  const id = removals.begin('query', true);
  removals.add(id, ENTRIES);
  removals.hold(id);
  const file = place.file('dump.ndjson', LINES.join('\n'));
  let shown = 0;
  const onProgress = ({ removed }: { readonly removed: number }) => {
    shown = removed;
  };
  for (const added of [2, 0]) {
    const report = await place.run([file], { onProgress, batchRecords: 2 });
    assert.deepEqual(
      [report.read, report.added, report.unchanged, report.skipped, report.rejected],
      [8, added, 2 - added, { removed: 5 }, { bad_score: 1 }],
    );
    assert.deepEqual(place.catalogue.listImports().at(-1)?.counts?.skipped, { removed: 5 });
  }
  assert.ok(shown > 0);
});
