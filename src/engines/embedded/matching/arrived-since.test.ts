import assert from 'node:assert/strict';
import { it } from 'node:test';
import { comment, temporaryFolder } from '../../../../test/helpers.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { Searcher } from '../answering/searcher.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { KindStore } from '../index/kind-store.ts';
import { lastArrival, openView } from '../index/view.ts';
import { Deadline } from './deadline.ts';

it('a segment of nothing new is not read: neither its lists nor its columns', async () => {
  using folder = temporaryFolder();
  const rules = { keepOriginals: false };
  await using engine = await openEmbeddedEngine(folder.path, { rules, workers: 0 });
  const batch = (from: number) =>
    packRecords(Array.from({ length: 50 }, (_, i) => comment({ id: `c${from + i}`, body: 'solar wind' })));
  await engine.index('comment', batch(0));
  const store = new KindStore(folder.path, 'comment');
  store.refresh();
  const since = lastArrival(openView(store.current, undefined));
  await engine.index('comment', batch(100));
  store.refresh();
  const view = openView(store.current, undefined);
  const [old] = view.segments.filter(({ arrival }) => arrival <= since);
  const readers = ['list', 'readFacts', 'record', 'texts', 'arrivalAt'] as const;
  for (const name of readers) {
    Object.defineProperty(old!.segment, name, {
      value: () => assert.fail(`the old segment was read: ${name}`),
    });
  }
  const words = {
    kind: 'words',
    words: [{ kind: 'term', token: 'solar', typed: 'solar' }],
    negated: false,
  } as const;
  for (const items of [[], [words]]) {
    const question = { kind: 'comment', query: { items }, since, timeline: {} } as const;
    assert.equal(new Searcher().ask(view, question, Deadline.never()).total, 50);
  }
  const news = { limit: 10, maxAge: null };
  const timesOf = (_: unknown, numbers: readonly number[]) => store.manifest.arrivalTimes(numbers);
  const answer = new Searcher(undefined, undefined, timesOf).ask(
    view,
    { kind: 'comment', query: { items: [] }, news },
    Deadline.never(),
  );
  assert.deepEqual([answer.total, answer.news!.records.length, answer.news!.hasMore], [100, 10, true]);
  store.close();
});
