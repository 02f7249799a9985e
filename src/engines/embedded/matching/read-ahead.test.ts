import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { comment, START_OF_2008, temporaryFolder } from '../../../../test/helpers.ts';
import type { Question } from '../../../model/engine.ts';
import { pageRequest } from '../../../model/pages.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { interpretQuery } from '../../../search/language/interpret.ts';
import { Searcher } from '../answering/searcher.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { KindStore } from '../index/kind-store.ts';
import { openView } from '../index/view.ts';
import { Deadline } from './deadline.ts';

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
    using folder = temporaryFolder();
    await using engine = await openEmbeddedEngine(folder.path, {
      rules: { keepOriginals: false },
      workers: 0,
    });
    for (let batch = 0; batch < 3; batch++) {
      const records = Array.from({ length: BATCH }, (_, i) =>
        comment({
          id: `${batch}${10_000 + i}`,
          created: START_OF_2008 + batch * 40_000_000 + i * 3,
          score: i % 90,
          body: `solar panel roof of word${i} and word${i % 700} ${'x'.repeat(i % 50)}`,
        }),
      );
      await engine.index('comment', packRecords(records));
    }
    const breakdowns = [{ field: 'community', size: 10, distinct: true }] as const;
    const asked: readonly Partial<Question>[] = [
      { page: pageRequest('newest', null, { limit: 25 }) },
      { page: pageRequest('top', null, { limit: 25 }), breakdowns },
      { page: pageRequest('oldest', null, { limit: 25 }), breakdowns, timeline: {} },
      {},
    ];
    for (const text of [
      'solar word7',
      '"solar panel" -word5',
      'word12|word13',
      'solar -word3 /r/energy',
      '',
    ]) {
      const { query } = interpretQuery(text, { impliedWindow: 'off' });
      for (const what of asked) {
        const question = { kind: 'comment', query, ...what } as const;
        const { arrival: _, ...expected } = await engine.ask(question);
        await settled();
        const store = new KindStore(folder.path, 'comment');
        store.refresh();
        const view = openView(store.current, undefined);
        assert.ok(view.segments.filter(({ segment }) => segment.data.file !== null).length > 1);
        const searcher = new Searcher();
        assert.deepEqual(searcher.ask(view, question, Deadline.never()), expected, text);
        // Of everything, the rows of a page stand together, and are read with the first of them.
        if (text !== '') assert.ok(readsUnderWay() > 0, `${text} ${JSON.stringify(what)}`);
        await settled();
        assert.deepEqual(searcher.ask(view, question, Deadline.never()), expected, text);
        assert.equal(readsUnderWay(), 0, text);
        store.close();
      }
    }
  });
});
