import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Circuit, UNANSWERED } from './circuit.ts';

const PAUSE_MS = 5_000;

describe('a cluster that does not answer', () => {
  it('is asked once every few seconds after several requests in a row without an answer, until one has one', () => {
    let now = 0;
    const circuit = new Circuit(PAUSE_MS, () => now);
    for (let i = 1; i < UNANSWERED; i++) circuit.unanswered();
    assert.equal(circuit.waitMs(), 0);
    circuit.answered();
    for (let i = 0; i < UNANSWERED; i++) {
      assert.equal(circuit.waitMs(), 0);
      circuit.unanswered();
    }
    assert.equal(circuit.waitMs(), PAUSE_MS);
    now += PAUSE_MS - 1;
    assert.equal(circuit.waitMs(), 1);
    now += 1;
    assert.deepEqual([circuit.waitMs(), circuit.waitMs()], [0, PAUSE_MS], 'one is sent, the others are not');
    circuit.unanswered();
    assert.equal(circuit.waitMs(), PAUSE_MS, 'its failure makes no difference');
    now += PAUSE_MS;
    assert.equal(circuit.waitMs(), 0);
    circuit.answered();
    assert.deepEqual([circuit.waitMs(), circuit.waitMs()], [0, 0]);
  });
});
