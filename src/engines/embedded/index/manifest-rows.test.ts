import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../../../../test/helpers.ts';
import { EXACT_FOR } from '../../../model/time.ts';
import { createManifest } from './manifest-db.ts';
import { ArrivalTable, addArrival, arrivalTimes, thinArrivals } from './manifest-rows.ts';

const NOW = 1_800_000_000;
const LONG_AGO = NOW - EXACT_FOR;
const HOUR = LONG_AGO - (LONG_AGO % 3_600) - 3_600;

it('times of arrivals are told to the second for 30 days, then to the hour, before and after thinning', () => {
  using folder = temporaryFolder();
  const db = createManifest(join(folder.path, 'posts.db'));
  const rows: readonly [number: number, time: number, told: number][] = [
    [2, HOUR - 7_200 + 5, HOUR - 7_200],
    [3, HOUR + 1, HOUR],
    [4, HOUR + 2, HOUR],
    [5, HOUR + 3_599, HOUR],
    [6, LONG_AGO + 1, LONG_AGO + 1],
    [7, LONG_AGO + 2, LONG_AGO + 2],
    [8, NOW, NOW],
  ];
  for (const [number, time] of rows) addArrival(db, number, time);
  const expected = new Map(rows.map(([number, , told]) => [number, told]));
  const numbers = [0, 1, ...expected.keys(), 9, 5];
  const told = () => {
    const table = new ArrivalTable(db, NOW);
    for (const number of numbers) assert.equal(table.time(number), expected.get(number) ?? null);
    assert.deepEqual(arrivalTimes(db, numbers, NOW), expected);
  };
  told();
  assert.equal(thinArrivals(db, NOW), 2);
  told();
  assert.equal(thinArrivals(db, NOW), 0);
  db.close();
});

it('times that were given go up and down: thinning leaves what is told of each', () => {
  using folder = temporaryFolder();
  const db = createManifest(join(folder.path, 'posts.db'));
  const times = [HOUR + 9, NOW - 5, HOUR + 1, HOUR + 7, HOUR - 3_600, HOUR + 2, NOW];
  for (const [i, time] of times.entries()) addArrival(db, 2 + i, time);
  const numbers = times.map((_, i) => 2 + i);
  const told = [HOUR, NOW - 5, HOUR, HOUR, HOUR - 3_600, HOUR, NOW];
  for (const deleted of [1, 0]) {
    const table = new ArrivalTable(db, NOW);
    for (const [i, number] of numbers.entries()) assert.equal(table.time(number), told[i]);
    assert.deepEqual([...arrivalTimes(db, numbers, NOW).values()], told);
    assert.equal(thinArrivals(db, NOW), deleted);
  }
  db.close();
});
