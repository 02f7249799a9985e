// Nothing of a query runs on the event loop: what looks into an index is never entered on the main thread while threads
// of the engine answer.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Searcher } from '../src/engines/embedded/answering/searcher.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { Segment } from '../src/engines/embedded/index/segment.ts';
import { AnsweringCalls } from '../src/engines/embedded/threads/answering-calls.ts';
import { WritingCalls } from '../src/engines/embedded/writing/writer.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { ExportBlocks } from '../src/engines/shared/exports.ts';
import {
  type ExportedArchive,
  exportPlan,
  openExport,
  shaperModule,
} from '../src/features/export/export-service.ts';
import { readRecord, readThread } from '../src/features/reading/threads.ts';
import { PageService } from '../src/features/search/service.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { ORDERS } from '../src/model/pages.ts';
import { KINDS, type Kind } from '../src/model/record.ts';
import { readArchive } from './archive.ts';
import { RULES } from './engine-suite.ts';
import { comment, folderInMemory, post } from './helpers.ts';

const WATCHED = [Searcher, AnsweringCalls, WritingCalls, ExportBlocks, Segment];

/** Of an open segment the main thread may know what it is called. */
const ALLOWED: readonly string[] = ['constructor', 'name'];

/** Notes every call and every look at a property that a class makes, in this thread alone. */
function watch(t: TestContext, { name, prototype }: { name: string; prototype: object }, entered: string[]) {
  for (const [member, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (ALLOWED.includes(member)) continue;
    const original = (get ?? value) as (...given: unknown[]) => unknown;
    const noting = function (this: unknown, ...given: unknown[]): unknown {
      entered.push(`${name}.${member}`);
      return original.apply(this, given);
    };
    if (get === undefined) t.mock.method(prototype as Record<string, () => unknown>, member, noting);
    else t.mock.getter(prototype as Record<string, unknown>, member, noting);
  }
}

/** Everything that a server asks an engine for its callers. */
async function askEverything(engine: SearchEngine): Promise<void> {
  const asked = readArchive(engine);
  const { search } = asked;
  const pages = new PageService(asked);
  const exported = { ...asked, catalogue: { path: null, generation: () => 0 } };
  for (const kind of KINDS) {
    for (const query of ['solar', '"solar panel"', 'pan*', '-solar', '/r/energy score:3', '']) {
      for (const order of ['newest', 'oldest', 'top'] as const) {
        const { envelope } = await search.search({
          ...{ kind, query, order, limit: 100, after: null, fields: 'id,arrived_utc' },
        });
        assert.ok(envelope.total_count > 0, query);
      }
      await pages.page({ kind, query, order: 'top', limit: 25, cut: null, after: null });
    }
    assert.ok(await readRecord(asked, kind, '7'));
    for await (const batch of engine.scan(kind, { items: [] }, 'top')) assert.ok(batch.length > 0);
    assert.equal((await engine.records({ kind, ids: ['7', 'x'] })).records.length, 1);
  }
  for (const kind of KINDS) await exportAll(exported, kind);
  assert.ok(await readThread(asked, { post: '7', after: 0, around: '8', limit: 5 }));
  assert.equal((await pages.suggestions.of('/r/en', 5))[0]?.text, '/r/energy');
  assert.notDeepEqual(await pages.suggestions.of('after:20', 5), []);
  await search.stats();
  await search.readiness();
}

async function exportAll(archive: ExportedArchive, kind: Kind): Promise<void> {
  const rest = { under: null, after: null, limit: null, fields: 'id,arrived_utc' } as const;
  for (const [i, format] of (['ndjson', 'csv', 'csv-excel', 'parquet'] as const).entries()) {
    const order = ORDERS[i % ORDERS.length]!;
    const plan = exportPlan({ kind, query: 'solar', order, format, compress: 'none', ...rest });
    await using run = await openExport(archive, plan);
    let bytes = 0;
    for await (const block of run.blocks) for (const piece of block.bytes) bytes += piece.length;
    assert.ok(run.head.total > 0 && bytes > 0);
  }
}

/** Asks for everything of one kind. */
const EVERYTHING = { query: { items: [] }, order: 'oldest', after: null, limit: null } as const;

describe('the event loop', () => {
  it('answers nothing itself, with an import beside', async (t) => {
    using folder = folderInMemory();
    await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 2 });
    const entered: string[] = [];
    for (const one of WATCHED) watch(t, one, entered);
    const batch = (from: number) => {
      const all = Array.from({ length: 300 }, (_, i) => {
        const common = { id: String(from + i), created: from + i, score: i % 9 };
        const body = `${i % 3 === 0 ? 'wind' : 'solar panel'} https://d${i % 20}.example/`;
        return {
          post: post({ ...common, title: `solar panel word${i}` }),
          comment: comment({ ...common, post: '7', body }),
        };
      });
      return Promise.all(KINDS.map((kind) => engine.index(kind, packRecords(all.map((one) => one[kind])))));
    };
    await batch(0);
    const importing = (async () => {
      for (let from = 100; from < 2_000; from += 200) await batch(from);
    })();
    await engine.index('post', packRecords([post({ id: 'other', title: 'wind' })]));
    await askEverything(engine);
    await importing;
    await engine.maintain();
    assert.deepEqual([...new Set(entered)], []);
  });

  it('the same watch notes an engine without threads', async (t) => {
    using folder = folderInMemory();
    await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
    const entered: string[] = [];
    for (const one of WATCHED) watch(t, one, entered);
    await engine.index('post', packRecords([post({ id: '1', title: 'solar' })]));
    const page = { order: 'newest', limit: 1, after: null } as const;
    await engine.ask({ kind: 'post', query: { items: [] }, page });
    const plain = { fields: null, permalinkBase: '', catalogue: null, resume: null, about: {} };
    const shaper = shaperModule({ kind: 'post', format: 'csv', compress: 'none', ...plain });
    await using run = await engine.export({ kind: 'post', shaper, ...EVERYTHING });
    for await (const { report } of run.blocks) if (report !== undefined) break;
    for (const one of [
      ...['AnsweringCalls.ask', 'WritingCalls.prepareBatch', 'ExportBlocks.next', 'Searcher.ask'],
      ...['Segment.record', 'Segment.communityOf'],
    ]) {
      assert.ok(entered.includes(one), one);
    }
  });
});
