import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { embeddedEngine, openKind } from '../../../../test/embedded-index.ts';
import { queryOf } from '../../../../test/engine-suite.ts';
import { comment, START_OF_2008, someComments } from '../../../../test/helpers.ts';
import type { Question } from '../../../model/engine.ts';
import { pageRequest } from '../../../model/pages.ts';
import { conditionsOf } from '../../../model/query.ts';
import { Searcher } from '../answering/searcher.ts';
import { WordPool } from '../sets/chunk.ts';
import { Deadline } from './deadline.ts';
import { matchQuery, totalOf } from './matching.ts';
import { planSegment } from './plan.ts';

describe('id:', () => {
  it('costs a look-up, not a scan: at most one list of one record, of the segments that have it', async () => {
    const batches = [0, 40_000_000, 80_000_000].map((from, batch) =>
      someComments(500, (i) => ({ id: `${batch}${1000 + i}`, created: from + i, body: 'solar panel' })),
    );
    await using engine = await embeddedEngine(...batches);
    using opened = openKind(engine.path);
    const { view } = opened;
    assert.ok(view.segments.length > 1, `${view.segments.length} segments`);
    const pool = new WordPool();
    const matchesOf = (text: string) => matchQuery(view, queryOf(text), pool, Deadline.never());
    for (const text of ['id:21400', 'id:t1_21400 solar', 'id:21400 -"solar roof" score:1']) {
      const matching = matchesOf(text);
      assert.equal(matching.segments.length, 1, text);
      assert.equal(totalOf(matching), 1, text);
      // Estimated from the lengths of the lists.
      assert.ok(matching.segments[0]!.cost < matchesOf('solar "solar panel"').segments[0]!.cost / 10, text);
    }
    for (const text of ['id:t3_21400', 'id:nowhere', 'id:t3_21400 solar']) {
      assert.equal(matchesOf(text).segments.length, 0, text);
    }
    pool.releaseAll();
  });
});

describe('score:', () => {
  /** Around thresholds of bands, and between them. */
  const BOUNDS = [
    -21, -20, -19, -6, -5, -4, -2, -1, 0, 1, 2, 6, 7, 8, 9, 99, 100, 101, 150, 199, 200, 5000, 5001,
  ];

  it('between any two bounds, is exact; lists settle all but the scores next to a bound', async () => {
    const records = BOUNDS.flatMap((score) =>
      ['solar', 'wind'].map((body) => comment({ id: `${score + 100}${body}`, score, body })),
    );
    await using engine = await embeddedEngine(records);
    await engine.hide(1, 'comment', { ids: ['250solar'] });
    const live = records.filter(({ id }) => id !== '250solar');
    using opened = openKind(engine.path);
    const { view } = opened;
    const pool = new WordPool();
    const planOf = (text: string) =>
      planSegment(view.segments[0]!.segment, conditionsOf(queryOf(text)), new Map(), pool);
    for (const min of [null, ...BOUNDS]) {
      for (const max of [null, ...BOUNDS]) {
        if ((min === null && max === null) || (min !== null && max !== null && min > max)) continue;
        const range = `score:${min ?? ''}..${max ?? ''}`;
        for (const words of ['', 'solar ', '-solar ']) {
          const found = totalOf(matchQuery(view, queryOf(words + range), pool, Deadline.never()));
          const expected = live.filter(({ score, body }) => {
            const hasWord = words === '' || (body === 'solar') === (words === 'solar ');
            return hasWord && score >= (min ?? -Infinity) && score <= (max ?? Infinity);
          });
          assert.equal(found, expected.length, words + range);
        }
      }
    }
    const cutBy = (text: string) => planOf(text)?.scores?.cut.map(({ min, max }) => [min, max]);
    for (const [text, cut] of [
      ['score:100..', undefined],
      ['score:2', undefined],
      ['score:..-5', undefined],
      ['score:..100', [[100, 199]]],
      ['score:110..120', [[100, 199]]],
      ['score:9', [[8, 9]]],
    ] as const) {
      assert.deepEqual(cutBy(text), cut, text);
    }
    assert.equal(JSON.stringify(cutBy('score:-7..8')), '[[-19,-5],[8,9]]');
    pool.releaseAll();
  });
});

/** Reads of files that other threads of the process have been asked for and that are not over yet. */
function readsUnderWay(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'FSReqCallback').length;
}

async function settled(): Promise<void> {
  while (readsUnderWay() > 0) await setImmediate();
}

const BATCH = 2_500;

describe('reading ahead', () => {
  it('fetches side by side what nobody has read yet, and nothing a second time; answers stay the same', async () => {
    const batches = [0, 40_000_000, 80_000_000].map((from, batch) =>
      someComments(BATCH, (i) => ({
        ...{ id: `${batch}${10_000 + i}`, created: START_OF_2008 + from + i * 3, score: i % 90 },
        body: `solar panel roof of word${i} and word${i % 700} ${'x'.repeat(i % 50)}`,
      })),
    );
    await using engine = await embeddedEngine(...batches);
    const breakdowns = [{ field: 'community', size: 10, distinct: true }] as const;
    const asked: readonly Partial<Question>[] = [
      { page: pageRequest('newest', null, { limit: 25 }) },
      { page: pageRequest('top', null, { limit: 25 }), breakdowns },
      { page: pageRequest('oldest', null, { limit: 25 }), breakdowns, timeline: {} },
      {},
    ];
    const texts = ['solar word7', '"solar panel" -word5', 'word12|word13', 'solar -word3 /r/energy', ''];
    for (const text of texts) {
      for (const what of asked) {
        const question = { kind: 'comment', query: queryOf(text), ...what } as const;
        const { arrival: _, ...expected } = await engine.ask(question);
        await settled();
        using opened = openKind(engine.path);
        const { view } = opened;
        assert.ok(view.segments.filter(({ segment }) => segment.data.file !== null).length > 1);
        const searcher = new Searcher();
        assert.deepEqual(searcher.ask(view, question, Deadline.never()), expected, text);
        // Of everything, the rows of a page stand together, and are read with the first of them.
        if (text !== '') assert.ok(readsUnderWay() > 0, `${text} ${JSON.stringify(what)}`);
        await settled();
        assert.deepEqual(searcher.ask(view, question, Deadline.never()), expected, text);
        assert.equal(readsUnderWay(), 0, text);
      }
    }
  });
});
