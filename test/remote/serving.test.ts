// The service over an engine that is far away: callers are told when it is out of reach, and when to come again.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { log } from '../../src/log.ts';
import { openService } from '../api/service.ts';
import { RULES } from '../engine-suite.ts';
import { comment, post } from '../helpers.ts';
import { remoteHarness } from './harness.ts';

const POSTS = [post({ id: 'p1', title: 'solar' }), post({ id: 'p2', title: 'solar', community: 'cats' })];
const COMMENTS = [comment({ id: 'c1', body: 'solar' })];

describe('a server over a far engine', () => {
  it('answers as over any engine, whatever befalls the messages', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      await using place = remoteHarness(seed).place();
      await using service = await openService(POSTS, COMMENTS, () => place.open({ rules: RULES }));
      await using near = await openService(POSTS, COMMENTS);
      const [server, other] = [await service.build(), await near.build()];
      for (const url of [
        'posts?query=solar',
        'posts?query=&limit=1',
        'comments?query=solar',
        'posts?query=nothing',
      ]) {
        const [answer, expected] = await Promise.all(
          (
            [
              [server, service.keys.good],
              [other, near.keys.good],
            ] as const
          ).map(([one, key]) =>
            one.inject({ url: `/api/v1/search/${url}`, headers: { authorization: `Bearer ${key}` } }),
          ),
        );
        assert.deepEqual([answer!.statusCode, answer!.body], [expected!.statusCode, expected!.body], url);
      }
    }
  });

  it('is 503 `engine_unavailable` with Retry-After while the engine is out of reach, and so is readiness', async () => {
    log.level = 'silent';
    await using place = remoteHarness(1).place();
    await using service = await openService(POSTS, COMMENTS, () => place.open({ rules: RULES }));
    const server = await service.build();
    const headers = { authorization: `Bearer ${service.keys.good}` };
    const search = () => server.inject({ url: '/api/v1/search/posts?query=solar', headers });
    const ready = () => server.inject({ url: '/readyz' });
    assert.deepEqual([(await search()).statusCode, (await ready()).statusCode], [200, 200]);
    place.faults.isDown = true;
    for (const response of [await search(), await ready()]) {
      assert.equal(response.statusCode, 503);
      assert.ok(Number(response.headers['retry-after']) >= 1);
      assert.equal(response.json().code, 'engine_unavailable');
    }
    place.faults.isDown = false;
    assert.deepEqual([(await search()).statusCode, (await ready()).statusCode], [200, 200]);
  });
});
