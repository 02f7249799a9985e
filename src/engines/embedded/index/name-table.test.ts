import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { someComments } from '../../../../test/helpers.ts';
import type { SearchEngine } from '../../../model/engine.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { NameTable, type SegmentNames, stringStarts } from './names.ts';
import { KindStore, openView } from './view.ts';

function given(table: NameTable, names: readonly string[]): number[] {
  const bytes = Buffer.from(JSON.stringify(names));
  const written = () => ({ bytes, starts: stringStarts(bytes) });
  return Array.from(table.mapOf({ names: { written } as unknown as SegmentNames }));
}

const ODD = ['', '"', '\\', '\\"', 'a\\', 'é', '日本', '\ud800', '\0\n', 'a', 'ab', 'b', '[","]', 'a","b'];

it('as a Map has them, of many; any string may be a name', () => {
  const table = new NameTable('domain');
  const known = new Map(ODD.map((name, number) => [name, number]));
  assert.deepEqual(given(table, ODD), [...ODD.keys()]);
  for (let round = 0; round < 20; round++) {
    const names = Array.from(
      { length: 2_000 },
      (_, i) => `n${(i * 7_919 + round * 31) % 9_000}${ODD[round % ODD.length]}`,
    );
    for (const name of names) if (!known.has(name)) known.set(name, known.size);
    const expected = names.map((name) => known.get(name));
    assert.deepEqual(given(table, names), expected);
  }
  assert.equal(table.size, known.size);
  for (const [name, number] of known)
    assert.deepEqual([table.numberOf(name), table.name(number)], [number, name]);
});

const NAMES = 1_000;

/** Every record moves to a community of its own, of this round. */
async function moveAll(engine: SearchEngine, round: number): Promise<void> {
  const records = someComments(NAMES, (i) => ({ community: `community${round}x${i}`, retrieved: round }));
  await engine.index('comment', packRecords(records));
}

describe('names of breakdowns', () => {
  it('names of dropped segments do not stay for ever', async () => {
    await using engine = await embeddedEngine();
    const store = new KindStore(engine.path, 'comment');
    const table = new NameTable('community');
    for (let round = 1; round <= 12; round++) {
      await moveAll(engine, round);
      store.refresh();
      const segments = openView(store.current, undefined).segments.map(({ segment }) => segment);
      table.forgetDropped(segments);
      const names = segments.flatMap((segment) => Array.from(table.mapOf(segment), (n) => table.name(n)));
      const places = segments.flatMap((segment) => segment.names.places());
      assert.equal(names.join(), places.map(({ community }) => community).join());
      assert.ok(table.size <= 2 * names.length + 2 * NAMES + 1_024, `round ${round}: ${table.size} names`);
    }
    store.close();
  });
});
