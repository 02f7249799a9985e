import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { describedFigures, type Family } from '../../metrics.ts';
import { lastKnown } from './figures.ts';
import { registryOf } from './watcher.ts';

describe('the text of metrics', () => {
  it('escapes backslashes, line breaks and, in labels, quotes', async () => {
    const samples = [{ labels: { a: 'x"\\\n' }, value: 1.5 }];
    assert.equal(
      await registryOf([{ name: 'n', help: 'a "b"\\\n', samples }]).metrics(),
      '# HELP n a "b"\\\\\\n\n# TYPE n gauge\nn{a="x\\"\\\\\\n"} 1.5\n',
    );
  });

  it('leaves out a family without samples; what only rises is a counter', async () => {
    const families = [
      { name: 'none', help: 'h', samples: [] },
      { name: 'n_total', help: 'h', samples: [{ value: 0 }] },
    ];
    assert.equal(
      await registryOf(families).metrics(),
      '# HELP n_total h\n# TYPE n_total counter\nn_total 0\n',
    );
  });
});

describe('plain figures', () => {
  it('are read when they are asked for', async () => {
    let waiting = 1;
    const table = { waiting: ['n', 'h'] } as const;
    const source = describedFigures(table, () => ({ waiting }));
    waiting = 7;
    assert.deepEqual(await source(), [{ name: 'n', help: 'h', samples: [{ value: 7 }] }]);
  });
});

describe('figures that take their time', () => {
  const family: Family = { name: 'n', help: 'h', samples: [{ value: 1 }] };

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
