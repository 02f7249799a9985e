import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callerName } from './caller-name.ts';

it('the keys and the sessions of an account are one caller', () => {
  const names = [
    { keyId: 3, accountId: 7 },
    { keyId: 4, accountId: 7 },
    { sessionId: 1, accountId: 7, email: 'ann@example.org' },
  ].map(callerName);
  assert.deepEqual(new Set(names), new Set(['account:7']));
});

it('whoever is not signed in is known by the network', () => {
  const visitor = {
    address: '192.0.2.7',
    network: '192.0.2.7',
    ownAddress: 'http://localhost',
    isTls: false,
  };
  assert.equal(callerName(visitor), 'network:192.0.2.7');
});
