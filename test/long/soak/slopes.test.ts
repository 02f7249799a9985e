// Slopes and the ledger of a soak.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ledger } from './ledger.ts';
import { byMinute, judge, slopeOf } from './slopes.ts';

/** An hour, every 5 seconds: `base`, `grows` an hour, and a saw of 10 with a period of 35 seconds. */
function hour(base: number, grows: number) {
  return Array.from({ length: 720 }, (_, i) => {
    const seconds = i * 5;
    return { seconds, value: base + (grows * seconds) / 3600 + 10 * ((seconds % 35) / 35) };
  });
}

describe('slopes of a soak', () => {
  it('find what grows below a saw, and what does not', () => {
    const flat = slopeOf(byMinute(hour(300, 0)));
    assert.ok(Math.abs(flat.slope) <= flat.margin, `${flat.slope} ± ${flat.margin}`);
    const growing = slopeOf(byMinute(hour(300, 20)));
    assert.ok(Math.abs(growing.slope - 20) <= growing.margin, `${growing.slope} ± ${growing.margin}`);
    assert.equal(judge(growing, 1), 'missed');
    assert.equal(judge(slopeOf(byMinute(hour(300, -20))), 1), 'met');
  });

  it('a few minutes tell nothing', () => {
    assert.equal(judge(slopeOf(byMinute(hour(300, 20).slice(0, 100))), 1), 'not told by so short a run');
    assert.equal(judge(slopeOf([]), 1), 'not told by so short a run');
  });

  it('one peak in a minute does not bend them; what could not be read is left out', () => {
    const points = [1, 1, 500, 1, Number.NaN].map((value, i) => ({ seconds: 10 * i, value }));
    assert.deepEqual(byMinute(points), [{ seconds: 30, value: 1 }]);
  });
});

describe('the ledger of a soak', () => {
  it('allows what was so at any time between question and answer, and no more', () => {
    const ledger = new Ledger();
    ledger.set('a', 10);
    const before = ledger.moment();
    ledger.set('a', 10, 15);
    const during = ledger.moment();
    ledger.set('a', 15);
    assert.deepEqual(ledger.allowed('a', before), { least: 10, most: 15 });
    assert.deepEqual(ledger.allowed('a', during), { least: 10, most: 15 });
    assert.deepEqual(ledger.allowed('a', ledger.moment()), { least: 15, most: 15 });
    assert.deepEqual(
      [before, during, ledger.moment()].map((moment) => ledger.isSteady('a', moment)),
      [false, false, true],
    );
    assert.equal(ledger.allowed('b', before), null);
    assert.deepEqual(ledger.steadyQuestions(), ['a']);
  });
});
