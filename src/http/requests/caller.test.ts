import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authenticate, callerName, headerValues, type KeyChecker } from './caller.ts';

it('the keys and the sessions of an account are one caller', () => {
  const names = [
    { keyId: 3, accountId: 7 },
    { keyId: 4, accountId: 7 },
    { sessionId: 1, accountId: 7, email: 'ann@example.org' },
  ].map(callerName);
  assert.deepEqual(new Set(names), new Set(['account:7']));
});

it('whoever is not signed in is known by the network', () => {
  const where = { address: '192.0.2.7', network: '192.0.2.7' };
  const visitor = { ...where, ownAddress: 'http://localhost', isTls: false };
  assert.equal(callerName(visitor), 'network:192.0.2.7');
});

const owner = { keyId: 1, accountId: 2 };
const keys: KeyChecker = {
  check: (presented) => (presented === 'good' ? owner : null),
  isLive: () => true,
};

describe('authentication', () => {
  const rows: readonly [rule: string, headers: readonly string[], code: string | null][] = [
    ['the key', ['Bearer good'], null],
    ['the scheme in any case', ['bEARER good'], null],
    ['several spaces before the key', ['Bearer   good '], null],
    ['no header', [], 'missing_key'],
    ['an empty header', [''], 'missing_key'],
    ['the scheme alone', ['Bearer'], 'missing_key'],
    ['another scheme', ['Basic good'], 'missing_key'],
    ['a key without scheme', ['good'], 'missing_key'],
    ['a key that is not known', ['Bearer bad'], 'invalid_key'],
    ['a key with something behind it', ['Bearer good, x'], 'invalid_key'],
    ['two headers, even alike', ['Bearer good', 'Bearer good'], 'invalid_key'],
    ['a second header of another scheme', ['Bearer good', 'Basic x'], 'invalid_key'],
  ];
  for (const [rule, headers, code] of rows) {
    it(`${rule}: ${code ?? 'its owner'}`, () => {
      if (code === null) assert.deepEqual(authenticate(headers, keys), owner);
      else assert.throws(() => authenticate(headers, keys), { code });
    });
  }

  it('a message never holds the key', () => {
    assert.throws(
      () => authenticate(['Bearer clq_secret'], keys),
      ({ message }: Error) => !message.includes('secret'),
    );
  });

  it('the values of a header are found under its name in any case', () => {
    const raw = ['Host', 'a', 'X', 'host', 'hOST', 'b'];
    assert.deepEqual(headerValues(raw, 'host'), ['a', 'b']);
  });
});
