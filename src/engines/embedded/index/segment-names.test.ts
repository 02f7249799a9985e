import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sharedFact, sharedNames } from './names.ts';

it('facts and names are those that were given, and equal ones of several segments are one', () => {
  const fact = (community: string, communityId: string, adult: boolean | null) => {
    return { community, communityId, adult };
  };
  const rows = () => [fact('energy', 't5_1', null), fact('energy', 't5_1', true), fact('energy', '', null)];
  const [one, other] = [rows().map(sharedFact), rows().reverse().map(sharedFact)];
  assert.deepEqual(one, rows());
  assert.deepEqual(other, rows().reverse());
  for (const [i, found] of one.entries()) assert.equal(found, other[2 - i]);
  assert.deepEqual(sharedNames(['a.example', '', 'a.example']), ['a.example', '', 'a.example']);
});
