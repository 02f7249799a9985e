import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../errors.ts';
import { EngineLimit, EngineUnavailable, IndexDamage } from '../model/engine-errors.ts';
import { orDamage, orGiveUp } from './search-service.ts';

const damage = new IndexDamage('post', 'a file is cut');
const limits = [
  ...(['query_timeout', 'busy'] as const).map((code) => new ServiceError(code, 'x')),
  new EngineLimit({ limit: 'prefix_tokens', word: { kind: 'prefix', prefix: 'a', typed: 'a' } }),
];
const others = [
  new ServiceError('bad_cursor', 'x'),
  new EngineUnavailable('nobody is there'),
  new TypeError('a fault of ours'),
];

describe('orGiveUp', () => {
  it('is the answer; null at a limit or with damage; rejects for all else', async () => {
    assert.equal(await orGiveUp(Promise.resolve(7)), 7);
    for (const error of [...limits, damage]) assert.equal(await orGiveUp(Promise.reject(error)), null);
    for (const error of others) await assert.rejects(orGiveUp(Promise.reject(error)), error);
  });
});

describe('orDamage', () => {
  it('is the answer, or the damage; rejects for all else, limits among it', async () => {
    assert.equal(await orDamage(Promise.resolve(7)), 7);
    assert.equal(await orDamage(Promise.reject(damage)), damage);
    for (const error of [...limits, ...others]) await assert.rejects(orDamage(Promise.reject(error)), error);
  });
});
