import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY, readableDay } from './time.ts';

describe('days as people read them', () => {
  it('each second of a day has its name, before 1970 too, and the second behind it another', () => {
    const rows: readonly (readonly [time: number, name: string])[] = [
      [-1, '1969-12-31'],
      [0, '1970-01-01'],
      [DAY - 1, '1970-01-01'],
      [951_782_400, '2000-02-29'],
      [951_782_400 + DAY, '2000-03-01'],
      [4_294_967_295, '2106-02-07'],
    ];
    for (const [time, name] of rows) assert.equal(readableDay(time), name);
  });

  it('however many have been named', () => {
    for (let day = 0; day < 20_500; day++) {
      assert.equal(readableDay(day * DAY + 5), new Date(day * DAY * 1000).toISOString().slice(0, 10));
    }
    assert.equal(readableDay(0), '1970-01-01');
  });
});
