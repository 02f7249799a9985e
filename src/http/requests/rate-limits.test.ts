import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stopClock } from '../../../test/clock.ts';
import { randomBelow } from '../../../test/generators/random.ts';
import { type BucketSize, seconds, TokenBuckets, take, WindowLimit } from './limits.ts';

const clock = stopClock();

describe('seconds to wait', () => {
  for (const [ms, expected] of [
    [0, 1],
    [1, 1],
    [1000, 1],
    [1001, 2],
  ] as const) {
    it(`${ms} ms: ${expected}`, () => assert.equal(seconds(ms), expected));
  }
});

describe('a limit in a window', () => {
  it('so many in any window, and the wait until the oldest leaves it', () => {
    clock.ms = 0;
    const limit = new WindowLimit(2, 1000);
    assert.equal(limit.take('a'), 0);
    clock.ms = 400;
    assert.equal(limit.take('a'), 0);
    assert.equal(limit.take('a'), 600);
    assert.equal(limit.take('b'), 0);
    clock.ms = 1000;
    assert.equal(limit.take('a'), 0);
    assert.equal(limit.take('a'), 400);
  });

  it('what is given back does not count', () => {
    const limit = new WindowLimit(1, 1000);
    limit.take('a');
    limit.giveBack('a');
    assert.equal(limit.take('a'), 0);
    assert.equal(limit.take('a'), 1000);
  });

  it('many names had the first ones forgotten: all of them still count', () => {
    const limit = new WindowLimit(1, 1000, 2 ** 15);
    const names = Array.from({ length: 50_000 }, (_, i) => `name ${i}`);
    const refused = names.filter((name) => limit.take(name) > 0).length;
    assert.ok(refused > 0 && refused < 25_000, `${refused} found no room`);
    for (const name of names) assert.equal(limit.take(name), 1000);
  });
});

/** Counted in tokens, exactly where times are whole and `msOfToken` is a power of two. */
class PlainBucket {
  readonly #size: BucketSize;
  #tokens: number;
  #filledAt = 0;

  constructor(size: BucketSize) {
    this.#size = size;
    this.#tokens = size.burst;
  }

  take(now: number): boolean {
    const { burst, msOfToken } = this.#size;
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#filledAt) / msOfToken);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

describe('buckets of tokens', () => {
  for (const size of [
    { burst: 1, msOfToken: 1024 },
    { burst: 30, msOfToken: 1024 },
    { burst: 100, msOfToken: 128 },
    { burst: 7, msOfToken: 64 },
  ]) {
    it(`${size.burst} at once, then one each ${size.msOfToken} ms, as a bucket that is counted in tokens`, () => {
      clock.ms = 0;
      const buckets = new TokenBuckets(size, 64);
      const plain = new PlainBucket(size);
      let allowed = 0;
      for (let step = 0; step < 5000; step++) {
        clock.ms += step % 500 < 250 ? 0 : (step * 7919) % size.msOfToken;
        const isAllowed = take([{ limit: buckets, name: 'ann' }]) === 0;
        assert.equal(isAllowed, plain.take(clock.ms), `step ${step} at ${clock.ms} ms`);
        if (isAllowed) allowed++;
      }
      assert.ok(allowed > size.burst);
      assert.ok(allowed < 5000);
    });
  }

  it('who waits as told is allowed, and not a moment earlier', () => {
    clock.ms = 0;
    const buckets = new TokenBuckets({ burst: 3, msOfToken: 500 }, 64);
    for (let i = 0; i < 3; i++) buckets.count('ann');
    assert.equal(buckets.waitMs('ann'), 500);
    clock.ms = 499;
    assert.equal(buckets.waitMs('ann'), 1);
    clock.ms = 500;
    assert.deepEqual([buckets.waitMs('ann'), buckets.left('ann'), buckets.msUntil(3, 'ann')], [0, 1, 1000]);
  });

  it('what is given back can be taken again', () => {
    const buckets = new TokenBuckets({ burst: 1, msOfToken: 500 }, 64);
    buckets.count('ann');
    buckets.giveBack('ann');
    assert.deepEqual([buckets.waitMs('ann'), buckets.left('ann')], [0, 1]);
    buckets.giveBack('nobody');
    assert.equal(buckets.left('nobody'), 1);
  });
});

it('an attacker who filled the table made room by having others forgotten: nobody gets more than the limit', () => {
  const burst = 3;
  clock.ms = 0;
  // 64 places for 400 names.
  const buckets = new TokenBuckets({ burst, msOfToken: 1024 }, 64);
  const plain = new Map<string, PlainBucket>();
  const random = randomBelow(1);
  for (let step = 0; step < 20_000; step++) {
    if (random(100) === 0) clock.ms += random(500);
    const name = `name ${random(random(4) === 0 ? 400 : 20)}`;
    const bucket = plain.get(name) ?? new PlainBucket({ burst, msOfToken: 1024 });
    plain.set(name, bucket);
    if (take([{ limit: buckets, name }]) === 0)
      assert.ok(bucket.take(clock.ms), `${name} at ${clock.ms} ms, step ${step}`);
  }
  assert.ok(plain.size > 300, `${plain.size} names`);
});
