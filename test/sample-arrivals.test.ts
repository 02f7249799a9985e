import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { sampleUntilFilled } from '../src/folder/sample.ts';
import { exported } from './engine-export.ts';
import { comment, jsonLines, temporaryFolder } from './helpers.ts';
import { openReferenceEngine } from './reference/reference-engine.ts';

it('the sample has not come in: whoever asked it gets all of the first import', async () => {
  using folder = temporaryFolder();
  const rules = { keepOriginals: false };
  await using sample = await openReferenceEngine(`${folder.path}/sample`, { rules });
  for (const id of ['x', 'y', 'z']) await sample.index('comment', packRecords([comment({ id })]));
  await using real = await openReferenceEngine(`${folder.path}/real`, { rules });
  const engine = await sampleUntilFilled(real, sample);
  const everything = { kind: 'comment', query: { items: [] } } as const;
  const arrivals = async () => [
    (await engine.ask(everything)).arrival,
    (await engine.askAll([everything])).arrival,
    (await exported(engine, { kind: 'comment' })).head.arrival,
    (await engine.lastArrivals()).comment,
  ];
  assert.deepEqual(await arrivals(), [0, 0, 0, 0]);
  await real.index('comment', packRecords([comment({ id: 'a' })]));
  await engine.refresh();
  const now = (await arrivals()) as number[];
  assert.ok(now[0]! > 0);
  assert.equal(new Set(now).size, 1);
});

it('the sample has real threads: a deep one, a broad one, and what each community says from good to bad', () => {
  const rows = (name: string) =>
    jsonLines(readFileSync(new URL(`../sample/${name}.ndjson`, import.meta.url), 'utf8'));
  const [posts, comments] = [rows('posts'), rows('comments')];
  const byName = new Map([
    ...posts.map((row) => [`t3_${row.id}`, row] as const),
    ...comments.map((row) => [`t1_${row.id}`, row] as const),
  ]);
  const depthOf = (row: (typeof comments)[number]): number => {
    const parent = byName.get(row.parent_id);
    assert.ok(
      parent !== undefined && parent.created_utc <= row.created_utc,
      `${row.id} answers something older`,
    );
    assert.equal(row.link_id, byName.has(`t3_${parent.id}`) ? `t3_${parent.id}` : parent.link_id);
    return row.parent_id === row.link_id ? 0 : 1 + depthOf(parent);
  };
  assert.ok(Math.max(...comments.map(depthOf)) >= 12);
  const sizes = Map.groupBy(comments, ({ link_id }) => link_id);
  assert.ok(Math.max(...[...sizes.values()].map(({ length }) => length)) >= 60);
  assert.ok(new Set(posts.map(({ subreddit }) => subreddit)).size >= 5);
  assert.ok(posts.some(({ over_18 }) => over_18) && comments.some(({ score }) => score < 0));
});
