import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsedOnce } from './exchange.ts';

describe('forms that are taken once', () => {
  it('the second time is told, for the same account', () => {
    const forms = new UsedOnce();
    const number = forms.newNumber();
    assert.deepEqual([forms.use(1, number), forms.use(1, number), forms.use(2, number)], [true, false, true]);
  });

  it('numbers differ', () => {
    const forms = new UsedOnce();
    assert.equal(new Set(Array.from({ length: 1000 }, () => forms.newNumber())).size, 1000);
  });

  it('a form without a number is not told from others', () => {
    const forms = new UsedOnce();
    assert.deepEqual([forms.use(1, ''), forms.use(1, '')], [true, true]);
  });
});
