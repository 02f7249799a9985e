// `GET /api/v1/coverage`: what the index covers, for programs.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { CoverageAnswer } from '../../src/features/coverage/coverage.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineLimit } from '../../src/model/engine-errors.ts';
import { DAY } from '../../src/model/time.ts';
import { comment, NO_SOURCE_FACTS, post, START_OF_2008 } from '../helpers.ts';
import { Api } from './asking.ts';

const at = (day: number) => START_OF_2008 + day * DAY;

/** 100 on one day, none on the next, 100 on the third. */
const BUSY = [0, 2].flatMap((day) =>
  Array.from({ length: 100 }, (_, i) =>
    comment({ id: `${day}x${i}`, created: at(day) + i, sentiment: i < 40 ? 0.5 : null, community: 'busy' }),
  ),
);
const COMMENTS = [
  ...BUSY,
  comment({ id: 'late', created: at(40), retrieved: at(42), body: '[deleted]', withdrawn: true }),
  comment({ id: 'early', created: at(40), retrieved: at(41) }),
  comment({ id: 'soon', created: at(40), retrieved: at(40), community: 'busy' }),
];

describe('coverage', () => {
  const api = new Api([post({ id: 'p', created: at(3) })], COMMENTS);

  before(() => {
    const { catalogue } = api.service;
    catalogue.addImports([
      {
        ...{ file: '/home/ann/dumps/RC.zst', checksum: 'c', where: null, counts: { read: 3 } },
        ...{ started: 1, finished: 2, ...NO_SOURCE_FACTS },
      },
      {
        ...{ file: '/home/ann/d.zip/RS.csv', checksum: 'c', where: '/r/energy', counts: { read: 1 } },
        ...{ started: 5, finished: null, name: 'd.zip/RS.csv', sha256: null, bytes: null },
        ...{ format: 'csv.zip', kind: 'posts', first: at(3), last: at(3) },
      },
    ]);
    for (const isUndone of [false, true]) {
      const removal = catalogue.removals.begin('posts', false);
      catalogue.removals.add(removal, [{ kind: 'post', name: 'elsewhere' }]);
      catalogue.removals.hold(removal);
      catalogue.removals.finish(removal);
      if (!isUndone) continue;
      catalogue.removals.beginUndo(removal);
      catalogue.removals.finishUndo(removal);
    }
  });

  const told = (parameters = ''): Promise<CoverageAnswer> => api.answer(`coverage${parameters}`);

  it('begins as every analysis does, and is as the schema says', async () => {
    const found = await told('?subreddit=busy');
    assert.deepEqual(Object.entries(found).slice(0, 5), [
      ['type', 'coverage'],
      ...['kind', 'query', 'index'].map((name) => [name, null]),
      ['step', 'month'],
    ]);
  });

  it('has months and gaps of both kinds, each with its fingerprint', async () => {
    const { kinds } = await told();
    const fingerprints = await api.service.engine.fingerprints();
    const [first, last] = [at(0), at(40)];
    assert.deepEqual(kinds.comments, {
      ...{ index: fingerprints.comment, records: 203, first, last },
      months: [
        { start: at(0), records: 200, communities: 1, withdrawn: 0, unrated: 120, score_at_capture: null },
        { start: at(31), records: 3, communities: 2, withdrawn: 1, unrated: 3, score_at_capture: 0.666667 },
      ],
      gaps: [{ from: at(1), to: at(2) }],
    });
    const months = kinds.posts.months.map(({ records, unrated }) => [records, unrated]);
    assert.deepEqual(months, [[1, null]]);
  });

  it('has days with step=day, and communities in the order asked for, each once', async () => {
    const { step, kinds } = await told('?step=day&subreddit=r/Busy,nowhere,busy');
    assert.equal(step, 'day');
    const days = kinds.comments.months.map(({ start, records }) => `${(start - at(0)) / DAY}: ${records}`);
    assert.deepEqual(days, ['0: 100', '2: 100', '40: 3']);
    assert.deepEqual(kinds.comments.subreddits, [
      {
        ...{ name: 'busy', records: 201, first: at(0), last: at(40) },
        months: [
          { start: at(0), records: 100 },
          { start: at(2), records: 100 },
          { start: at(40), records: 1 },
        ],
      },
      { name: 'nowhere', records: 0, first: null, last: null, months: [] },
    ]);
  });

  it('names files without their folders, and says of removals when and nothing else', async () => {
    const { sources, removals } = await told();
    const named = sources.map(({ name, where, kind, finished }) => [name, where, kind, finished]);
    assert.deepEqual(named, [
      ['RC.zst', null, null, 2],
      ['d.zip/RS.csv', '/r/energy', 'posts', null],
    ]);
    assert.ok(!JSON.stringify(sources).includes('ann'));
    assert.equal(removals.number, 1);
    assert.deepEqual(Object.keys(removals), ['number', 'dates']);
    assert.deepEqual(removals.dates, [api.service.catalogue.removals.all()[0]!.begun]);
  });

  it('takes 100 names and no more, and no other step, parameter or key', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`).join(',');
    await told(`?subreddit=${names(100)}`);
    const REFUSED = [
      [`?subreddit=${names(101)}`, 'bad_value'],
      ['?subreddit=a,,b', 'bad_value'],
      ['?step=week', 'bad_value'],
      ['?query=cats', 'unknown_parameter'],
      ['?step=day&step=day', 'repeated_parameter'],
    ] as const;
    for (const [parameters, code] of REFUSED) await api.refused(`coverage${parameters}`, 400, code);
  });

  it('needs a key, has a HEAD, and is a 304 where nothing has changed', () =>
    api.expectKeyTagAndHead('coverage'));

  it('an engine that cannot tell is a 501 that says so', async () => {
    const engine = {
      refresh: async () => undefined,
      coverage: async () => {
        throw new EngineLimit({ limit: 'not_here', what: 'months and gaps' });
      },
    };
    const other = await api.service.build({ archive: { engine: engine as unknown as SearchEngine } });
    await api.refused('coverage', 501, 'not_on_this_engine', other);
  });
});
