import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TimelineStep } from '../../model/time.ts';
import { bucketStart, nextBucket } from '../../model/timeline.ts';
import { barsPath, linePath, roundTop, spread, timeAxis, timeTicks } from './charts.ts';

describe('the end of an axis', () => {
  const rows = [
    [0, 1],
    [1, 1],
    [7, 8],
    [13, 15],
    [21, 25],
    [1_001, 1_200],
    [999_999, 1_000_000],
    [0.031, 0.04],
    [0.5, 0.5],
  ] as const;
  for (const [most, top] of rows) {
    it(`of ${most} is ${top}`, () => assert.equal(roundTop(most), top));
  }

  it('of a whole number is whole', () => {
    for (let most = 1; most < 2_000; most++) {
      assert.ok(Number.isInteger(roundTop(most)) && roundTop(most) >= most, String(most));
    }
  });
});

describe('paths', () => {
  it('a bar reaches its share of the height; nothing stands for 0 and null', () => {
    const values = [5, 0, null, 10, ...new Array(20).fill(0)];
    assert.equal(barsPath(values, 10, 60), 'M1 60v-30h8v30zM31 60v-60h8v60z');
  });

  it('the smallest bar can be seen', () => {
    assert.equal(barsPath([1, 0, 0], 1_000_000, 60), 'M4.5 60v-1h1v1z');
  });

  it('a line breaks where there is no value, and a value alone is a stroke', () => {
    assert.equal(linePath([0, 10, null, 5, null], 10, 60), 'M5 60L15 0M33 30h4');
  });
});

describe('names at the ends of lines', () => {
  it('stand on no other, within the picture', () => {
    assert.deepEqual(spread([10, 100]), [10, 100]);
    assert.deepEqual(spread([50, 50, 50]), [50, 65, 80]);
    assert.deepEqual(spread([160, 160]), [145, 160]);
    assert.deepEqual(spread([160, 155, 0]), [160, 145, 0]);
  });
});

describe('labels of the time axis', () => {
  const between = (step: TimelineStep, first: string, last: string) => {
    const starts: number[] = [];
    const end = Date.parse(last) / 1000;
    for (let at = bucketStart(step, Date.parse(first) / 1000); at <= end; at = nextBucket(step, at)) {
      starts.push(at);
    }
    return timeTicks(step, starts).map(({ label }) => label);
  };
  const rows = [
    ['year', '2008-01-01', '2026-12-31', '2008 2013 2018 2023'],
    ['month', '2010-06-01', '2014-06-01', '2011 2012 2013 2014'],
    ['month', '2010-01-01', '2012-02-01', '2010 2011 2012'],
    ['week', '2023-01-15', '2023-12-20', '2023-02 2023-05 2023-08 2023-11'],
    ['day', '2023-03-03', '2023-03-29', '2023-03-03 2023-03-16 2023-03-29'],
    ['day', '2023-03-03', '2023-03-03', '2023-03-03'],
  ] as const;
  for (const [step, first, last, labels] of rows) {
    it(`${step}s from ${first} to ${last}: ${labels}`, () => {
      assert.equal(between(step, first, last).join(' '), labels);
    });
  }

  it('stand at percentages, and stay inside at both ends', () => {
    const days = Array.from({ length: 29 }, (_, i) => Date.UTC(2023, 2, 2 + i) / 1000);
    const axis = timeAxis('day', days).toString();
    assert.match(axis, /x="0%" y="12" text-anchor="start">2023-03-02</);
    assert.match(axis, /x="50%" y="12" text-anchor="middle">2023-03-16</);
    assert.match(axis, /x="100%" y="12" text-anchor="end">2023-03-30</);
  });
});
