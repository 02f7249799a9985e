import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRangeOf, readRange } from './streamed-answer.ts';

describe('which part of a file of 1,000 bytes is asked for', () => {
  const whole = null;
  const cases: readonly (readonly [string | undefined, ReturnType<typeof readRange>])[] = [
    [undefined, whole],
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-499', { start: 0, end: 500 }],
    ['bytes=500-', { start: 500, end: 1000 }],
    ['bytes=999-', { start: 999, end: 1000 }],
    ['bytes=0-99999999999999999999', { start: 0, end: 1000 }],
    ['bytes=-1', { start: 999, end: 1000 }],
    ['bytes=-1000', { start: 0, end: 1000 }],
    ['bytes=-5000', { start: 0, end: 1000 }],
    ['Bytes=0-9', { start: 0, end: 10 }],
    ['bytes=1000-', 'unsatisfiable'],
    ['bytes=1000-2000', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-5', whole],
    ['bytes=-', whole],
    ['bytes=', whole],
    ['bytes=a-b', whole],
    ['bytes=0-1,5-6', whole],
    ['lines=0-1', whole],
  ];
  for (const [header, range] of cases) {
    it(`${header}`, () => assert.deepEqual(readRange(header, 1000), range));
  }

  it('a file without bytes has no part', () => {
    assert.equal(readRange('bytes=0-', 0), 'unsatisfiable');
    assert.equal(readRange('bytes=-5', 0), 'unsatisfiable');
  });
});

describe('a range holds under If-Range', () => {
  const [etag, modified] = ['"abc"', 'Sun, 22 Nov 2026 10:40:05 GMT'];
  const cases: readonly (readonly [string | undefined, boolean])[] = [
    [undefined, true],
    ['"abc"', true],
    ['W/"abc"', false],
    ['"abd"', false],
    [modified, true],
    ['Sun, 22 Nov 2026 10:40:06 GMT', false],
    ['', false],
  ];
  for (const [header, holds] of cases) {
    it(`${header}: ${holds}`, () => assert.equal(isRangeOf(header, etag, modified), holds));
  }
});
