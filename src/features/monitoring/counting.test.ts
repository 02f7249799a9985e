import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { describedFigures, type Family } from '../../metrics/families.ts';
import { lastKnown } from './figures.ts';
import { Counter, Histogram } from './request-watch.ts';
import { exposition } from './watcher.ts';

describe('the text of metrics', () => {
  it('escapes backslashes, line breaks and, in labels, quotes', () => {
    const samples = [{ labels: { a: 'x"\\\n' }, value: 1.5 }];
    assert.equal(
      exposition([{ name: 'n', help: 'a "b"\\\n', type: 'gauge', samples }]),
      '# HELP n a "b"\\\\\\n\n# TYPE n gauge\nn{a="x\\"\\\\\\n"} 1.5\n',
    );
  });

  it('leaves out a family without samples, and writes infinities as Prometheus does', () => {
    const family = (name: string, ...values: number[]): Family => {
      return { name, help: 'h', type: 'gauge', samples: values.map((value) => ({ value })) };
    };
    assert.equal(exposition([family('none')]), '');
    assert.match(exposition([family('n', Infinity, -Infinity, NaN)]), /n \+Inf\nn -Inf\nn NaN\n$/);
  });
});

describe('tallies', () => {
  it('a counter without labels is there from the start, one with labels once it was met', () => {
    assert.equal(
      exposition([new Counter('n_total', 'h').family()]),
      '# HELP n_total h\n# TYPE n_total counter\nn_total 0\n',
    );
    const counter = new Counter('n_total', 'h', ['a', 'b']);
    assert.deepEqual(counter.family().samples, []);
    counter.add(1, 'x', 'y');
    counter.add(2, 'x', 'y');
    counter.add(1, 'x', 'z');
    assert.match(exposition([counter.family()]), /\nn_total\{a="x",b="y"\} 3\nn_total\{a="x",b="z"\} 1\n$/);
  });

  it('a bucket of a histogram counts all values up to its bound', () => {
    const histogram = new Histogram('n', 'h', [1, 2], ['a']);
    for (const value of [0.5, 1, 1.5, 3]) histogram.observe(value, 'x');
    const buckets = 'n_bucket{a="x",le="1"} 2\nn_bucket{a="x",le="2"} 3\nn_bucket{a="x",le="+Inf"} 4\n';
    const text = exposition([histogram.family()]);
    assert.ok(text.endsWith(`${buckets}n_sum{a="x"} 6\nn_count{a="x"} 4\n`), text);
  });
});

describe('plain figures', () => {
  it('are read when they are asked for', async () => {
    let waiting = 1;
    const table = { waiting: ['n', 'h'] } as const;
    const source = describedFigures(table, () => ({ waiting }));
    waiting = 7;
    assert.deepEqual(await source(), [{ name: 'n', help: 'h', type: 'gauge', samples: [{ value: 7 }] }]);
  });
});

describe('figures that take their time', () => {
  const family: Family = { name: 'n', help: 'h', type: 'gauge', samples: [{ value: 1 }] };

  it('figures that cannot be had in time are the last ones, and are asked for once', async () => {
    let asked = 0;
    let answer = Promise.withResolvers<readonly Family[]>();
    const source = lastKnown(() => {
      asked++;
      return answer.promise;
    }, 1);
    assert.deepEqual(await source(), []);
    assert.deepEqual(await source(), []);
    assert.equal(asked, 1);
    answer.resolve([family]);
    await answer.promise;
    await sleep(0);
    answer = Promise.withResolvers();
    assert.deepEqual(await source(), [family]);
    assert.equal(asked, 2);
    answer.resolve([]);
  });
});
