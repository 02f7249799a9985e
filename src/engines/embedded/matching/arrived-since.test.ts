import assert from 'node:assert/strict';
import { it } from 'node:test';
import { embeddedEngine, openKind } from '../../../../test/embedded-index.ts';
import { EVERYTHING, queryOf } from '../../../../test/engine-suite.ts';
import { comment } from '../../../../test/helpers.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { Searcher } from '../answering/searcher.ts';
import { lastArrival } from '../index/view.ts';
import { Deadline } from './deadline.ts';

it('a segment of nothing new is not read: neither its lists nor its columns', async () => {
  const batch = (from: number) =>
    Array.from({ length: 50 }, (_, i) => comment({ id: `c${from + i}`, body: 'solar wind' }));
  await using engine = await embeddedEngine(batch(0));
  using before = openKind(engine.path);
  const since = lastArrival(before.view);
  await engine.index('comment', packRecords(batch(100)));
  using now = openKind(engine.path);
  const { view, store } = now;
  const [old] = view.segments.filter(({ arrival }) => arrival <= since);
  for (const name of ['list', 'readFacts', 'record', 'texts', 'arrivalAt'] as const) {
    Object.defineProperty(old!.segment, name, {
      value: () => assert.fail(`the old segment was read: ${name}`),
    });
  }
  for (const query of [EVERYTHING, queryOf('solar')]) {
    const question = { kind: 'comment', query, since, timeline: {} } as const;
    assert.equal(new Searcher().ask(view, question, Deadline.never()).total, 50);
  }
  const news = { limit: 10, maxAge: null };
  const timesOf = (_: unknown, numbers: readonly number[]) => store.manifest.arrivalTimes(numbers);
  const searcher = new Searcher(undefined, undefined, timesOf);
  const answer = searcher.ask(view, { kind: 'comment', query: EVERYTHING, news }, Deadline.never());
  assert.deepEqual([answer.total, answer.news!.records.length, answer.news!.hasMore], [100, 10, true]);
});
