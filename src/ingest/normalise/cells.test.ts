import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoSeconds } from './cells.ts';

/** 2021-01-31T18:30:15Z. */
const TIME = 1_612_117_815;

const TIMES: [text: string, seconds: number | null][] = [
  ['2021-01-31T18:30:15Z', TIME],
  ['2021-01-31 18:30:15', TIME],
  ['2021-01-31T18:30:15', TIME],
  ['2021-01-31 18:30:15 UTC', TIME],
  ['2021-01-31 18:30:15+00:00', TIME],
  ['2021-01-31T20:30:15+02:00', TIME],
  ['2021-01-31T20:30:15+0200', TIME],
  ['2021-01-31 20:30:15+02', TIME],
  ['2021-01-31T13:00:15-05:30', TIME],
  ['2021-01-31T18:30:15.999Z', TIME],
  ['2021-01-31 18:30:15.123456', TIME],
  ['2021-01-31 18:30', TIME - 15],
  ['2024-02-29T00:00:00Z', 1_709_164_800],
  ['1970-01-01 00:00:00', 0],
  ['1969-12-31 23:59:59', -1],
  ['2021-01-31', null],
  ['2021-02-29 00:00:00', null],
  ['2021-04-31 00:00:00', null],
  ['2021-13-01 00:00:00', null],
  ['2021-00-10 00:00:00', null],
  ['2021-01-00 00:00:00', null],
  ['0021-01-31 18:30:15', null],
  ['2021-01-31 24:00:00', null],
  ['2021-01-31 18:60:00', null],
  ['2021-01-31 18:30:60', null],
  ['2021-01-31 18:30:15+24:00', null],
  ['2021-01-31 18:30:15 CET', null],
  ['2021-01-31 6:30:15 PM', null],
  ['2021-1-31 18:30:15', null],
  ['31.01.2021 18:30:15', null],
  ['01/31/2021 18:30:15', null],
  [' 2021-01-31 18:30:15', null],
  ['2021-01-31 18:30:15\n', null],
  ['2021-01-31  18:30:15', null],
  ['yesterday', null],
  ['', null],
];

for (const [text, seconds] of TIMES) {
  test(`time ${JSON.stringify(text)}: ${seconds ?? 'none'}`, () => assert.equal(isoSeconds(text), seconds));
}

test('every second that a Date prints comes back', () => {
  for (let time = 0; time <= 4_294_967_295; time += 86_399_991) {
    assert.equal(isoSeconds(new Date(time * 1000).toISOString()), time);
  }
});
