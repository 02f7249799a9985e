import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeAll } from '../../src/engines/opensearch/cluster/bulk.ts';
import { OpenSearchClient, type OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { arrivalOf, documentOf, type RecordSource } from '../../src/engines/opensearch/cluster/documents.ts';
import { multiGet } from '../../src/engines/opensearch/cluster/documents-walk.ts';
import { indexNames, makeIndex } from '../../src/engines/opensearch/cluster/indices.ts';
import { refreshIndex } from '../../src/engines/opensearch/cluster/refreshing.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { findIndices } from '../../src/engines/opensearch/state/index-check.ts';
import { Batch } from '../../src/engines/opensearch/writing/batch.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { IndexReport } from '../../src/model/engine.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import { madeAnew } from '../engine-fingerprints.ts';
import { EVERYTHING, everything, RULES } from '../engine-suite.ts';
import { comment, post } from '../helpers.ts';
import { breakOff, comments, dieWhere, inPlace, isWrite, manifestIn, open, sumOf } from './place.ts';
import { type Passing, startProxy, type Verdict } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const writing = (nodes: readonly string[]) => {
  it('a record whose first answer was lost is counted as added, and is there once', () =>
    inPlace(nodes, async (settings) => {
      let lost = 0;
      const judge = ({ path }: { readonly path: string }): Verdict =>
        path.includes('/_bulk') && lost++ < 3 ? 'lose answer' : 'pass';
      await using proxy = await startProxy(nodes[0]!, judge);
      await using engine = await open({ ...settings, nodes: [proxy.address] });
      const added = { added: 3_000, replaced: 0, unchanged: 0, removed: 0 };
      assert.deepEqual(await engine.index('comment', packRecords(comments(3_000))), added);
      assert.ok(lost > 3, 'the answers were lost');
      lost = 0;
      const replaced = { added: 500, replaced: 3_000, unchanged: 0, removed: 0 };
      assert.deepEqual(await engine.index('comment', packRecords(comments(3_500, { score: 2 }))), replaced);
      assert.ok(lost > 3, 'the answers were lost again');
      assert.deepEqual(await everything(engine, 'comment'), comments(3_500, { score: 2 }));
    }));

  it('a slow refresh makes an import slow: it ended with "Request timed out"', () =>
    inPlace(nodes, async (settings) => {
      await using proxy = await startProxy(nodes[0]!, async ({ path }): Promise<Verdict> => {
        if (path.endsWith('/_refresh')) await sleep(2_500);
        return 'pass';
      });
      const slow = { ...settings, nodes: [proxy.address] };
      await using engine = await openOpenSearchEngine(slow, { rules: RULES }, { requestMs: 2_000 });
      assert.equal((await engine.index('comment', packRecords(comments(5)))).added, 5);
    }));

  it('shards are as many as are set of each kind, few for what is hidden; other settings are refused by name', () =>
    inPlace(nodes, async (place) => {
      const settings = { ...place, shards: { post: 1, comment: 17 } };
      await using engine = await open(settings);
      await engine.index('post', packRecords([post({ id: 'p' })]));
      await engine.index('comment', packRecords(comments(9)));
      await engine.hide(1, 'post', { ids: ['p'] });
      await engine.hide(2, 'comment', { community: 'odd' });
      await using client = new OpenSearchClient(settings);
      const { control: _, ...names } = indexNames(settings);
      const found = await findIndices(client, settings);
      const shards = Object.values(names).map((name) => found.get(name)?.settings['index.number_of_shards']);
      assert.deepEqual(shards, ['1', '17', '1', '2']);
      const even = comments(9).filter((_, i) => i % 2 === 0);
      assert.deepEqual(await everything(engine, 'comment'), even);
      await engine.restore(2);
      assert.deepEqual(await everything(engine, 'comment'), comments(9));
      await assert.rejects(open({ ...place, shards: 2 }), /SHARDS` to posts:1,comments:17/);
    }));

  it('a commit refreshes once, counts once and opens no view: an import opened two behind each', () =>
    inPlace(nodes, async (settings) => {
      const asked: string[] = [];
      await using proxy = await startProxy(nodes[0]!, ({ path }): Verdict => {
        asked.push(path.replace(/\?.*|.*-comments/g, ''));
        return 'pass';
      });
      await using engine = await open({ ...settings, nodes: [proxy.address] });
      for (let batch = 1; batch <= 3; batch++) {
        asked.length = 0;
        await engine.index('comment', packRecords(comments(10 * batch)));
        assert.deepEqual(await engine.lastArrivals(), { post: 0, comment: arrivalOf(batch) });
        const costly = asked.filter((path) => /refresh|search|point_in_time/.test(path));
        assert.deepEqual(costly, ['/_refresh', '/_search'], `${batch}`);
      }
      assert.equal((await everything(engine, 'comment')).length, 30);
    }));

  describe('several writers', () => {
    it('of two that write the same 2,000 ids at once the higher copies stay', () =>
      inPlace(nodes, async (settings) => {
        await using one = await open(settings);
        await using other = await open(settings);
        const higher = (i: number, writer: number) => (i % 2 === writer ? 9 : 1);
        const copies = [0, 1].map((writer) =>
          comments(2_000).map((record, i) => ({ ...record, score: higher(i, writer) })),
        );
        const reports = await Promise.all(
          [one, other].map((engine, i) => engine.index('comment', packRecords(copies[i]!))),
        );
        const { added, replaced, unchanged } = sumOf(reports);
        assert.deepEqual([added, replaced, unchanged], [2_000, 1_000, 1_000]);
        await one.refresh();
        assert.deepEqual(await everything(one, 'comment'), comments(2_000, { score: 9 }));
      }));

    it('a batch that waits for its turn is prepared meanwhile: its copies are merged, its documents made', () =>
      inPlace(nodes, async (settings) => {
        await using client = new OpenSearchClient(settings);
        const manifest = manifestIn(client, settings);
        let looks = 0;
        const rules = {
          get keepOriginals() {
            looks++;
            return false;
          },
        };
        await using engine = await openOpenSearchEngine(settings, { rules });
        await engine.index('comment', packRecords(comments(1)));
        const copies = [false, true].flatMap((withdrawn) => comments(100, { withdrawn }, 1));
        looks = 0;
        let indexing: Promise<IndexReport> | undefined;
        await manifest.writing(async () => {
          indexing = engine.index('comment', packRecords(copies));
          // A batch that waits looks often.
          for (let waits = 0; looks < 100 && waits < 200; waits++) await sleep(20);
          assert.ok(looks >= 100, `${looks} of 100 records were merged`);
        });
        assert.equal((await indexing!).added, 100);
      }));

    it('documents that were prepared are written without a look at their records', () =>
      inPlace(nodes, async (settings) => {
        await using client = new OpenSearchClient(settings);
        const { post: index } = indexNames(settings);
        await makeIndex(client, settings, 'post');
        let looks = 0;
        const records = Array.from({ length: 100 }, (_, i) => {
          const record = post({ id: `p${i}`, score: i });
          const { title } = record;
          return Object.defineProperty(record, 'title', {
            enumerable: true,
            get: () => {
              looks++;
              return title;
            },
          });
        });
        const batch = new Batch([...records, ...records.map((record) => ({ ...record, score: -1 }))]);
        await batch.prepare(RULES, new AbortController().signal);
        assert.ok(looks >= 100);
        looks = 0;
        await batch.write({ client, index, rules: RULES, visible: 0, before: async () => undefined });
        assert.equal(looks, 0);
        const ids = records.map(({ id }) => id);
        const found = await multiGet<RecordSource>(client, index, ids);
        const sources = ids.map((id) => found.get(id)!.source.r);
        assert.deepEqual(
          sources,
          records.map((record) => ({ ...record })),
        );
      }));

    it('who reads beside a writer sees whole batches alone', () => {
      const test = async (settings: OpenSearchSettings) => {
        await using writer = await open(settings);
        await using reader = await open(settings);
        let isWriting = true;
        const seen = new Set<number>();
        const reading = (async () => {
          while (isWriting) {
            await reader.refresh();
            seen.add((await reader.ask({ kind: 'comment', query: EVERYTHING })).total);
          }
        })();
        for (let batch = 0; batch < 5; batch++) {
          await writer.index('comment', packRecords(comments(1_000, {}, batch * 1_000)));
        }
        isWriting = false;
        await reading;
        const parts = [...seen].filter((total) => total % 1_000 !== 0);
        assert.deepEqual(parts, []);
        assert.ok(seen.size > 2, `it was read while batches came in: ${[...seen]}`);
      };
      return inPlace(nodes, test, 2);
    });
  });

  describe('the sum over all records', () => {
    it('is carried on by batches, removals and their undoing: a record by its id waited for a pass over all', () =>
      inPlace(nodes, async (settings) => {
        const refused = { status: 400, body: '{"error":{"type":"pass over all"}}' };
        const judge = ({ path }: Passing): Verdict =>
          path.startsWith('/_search?')
            ? async (body, ask) => (body.includes('"m0"') ? refused : await ask(body))
            : 'pass';
        await using proxy = await startProxy(nodes[0]!, judge);
        await using reader = await open({ ...settings, nodes: [proxy.address] });
        await using remover = await open(settings);
        let isBeside = false;
        await using refreshes = await startProxy(nodes[0]!, async ({ path }): Promise<Verdict> => {
          if (path.endsWith('-comments/_refresh') && isBeside) {
            isBeside = false;
            await remover.hide(2, 'comment', { community: 'beside' });
          }
          return 'pass';
        });
        await using writer = await open({ ...settings, nodes: [refreshes.address] });
        const expectKnown = async (records: number) => {
          await reader.refresh();
          const request = { kind: 'comment', ids: ['c5'], timeoutMs: 2_000 } as const;
          const { index } = await reader.records(request);
          await writer.refresh();
          assert.deepEqual(index, await madeAnew(writer, 'comment'));
          assert.equal(index.records, records);
        };
        const write = (records: readonly StoredRecord[]) => writer.index('comment', packRecords(records));
        await write(comments(50));
        await expectKnown(50);
        await write([...comments(30, { score: 7, community: 'beside' }), ...comments(20, {}, 50)]);
        await expectKnown(70);
        await writer.hide(1, 'comment', { ids: ['c40', 'c41'] });
        await writer.hide(3, 'comment', { ids: ['c41', 'c42'] });
        await expectKnown(67);
        await writer.restore(1);
        await expectKnown(68);
        // Some of what it replaces, and some of what it brings, is hidden by the time it is shown.
        await remover.refresh();
        isBeside = true;
        await write([
          ...comments(10, { score: 9, community: 'elsewhere' }),
          ...comments(5, { score: 9, community: 'beside' }, 45),
        ]);
        assert.equal(isBeside, false);
        await expectKnown(43);
        await writer.maintain();
        await expectKnown(43);
      }));

    it('is not known where a writer broke off, and is made once, by upkeep or who asks, however many batches come', () =>
      inPlace(nodes, async (settings) => {
        await using client = new OpenSearchClient(settings);
        const manifest = manifestIn(client, settings);
        const isKnown = async () => (await manifest.read()).sum.short === null;
        await using engine = await open(settings);
        const write = (records: readonly StoredRecord[]) => engine.index('comment', packRecords(records));
        const expectMadeAnew = async () => {
          const { comment: found } = await engine.fingerprints();
          assert.deepEqual(found, await madeAnew(engine, 'comment'));
        };
        await write(comments(20));
        await breakOff(client, settings, comments(20, { score: 2 }, 10));
        await write(comments(5, {}, 100));
        await write(comments(7, { score: 3 }, 3));
        assert.equal(await isKnown(), false);
        await expectMadeAnew();
        assert.equal(await isKnown(), true);
        await breakOff(client, settings, comments(3, {}, 200));
        await write(comments(1, {}, 300));
        assert.equal(await isKnown(), false);
        await engine.maintain();
        assert.equal(await isKnown(), true);
        await write(comments(2, {}, 400));
        await expectMadeAnew();
        // A document that nobody has written, as in a snapshot that was restored.
        const stray = documentOf(comment({ id: 'x' }), { arrived: 1, batch: 'b', generation: 1 });
        await client.request({ method: 'PUT', path: `/${indexNames(settings).comment}/_doc/x`, body: stray });
        await write(comments(1, {}, 500));
        assert.equal(await isKnown(), false);
        await expectMadeAnew();
      }));
  });

  describe('writes that broke off', () => {
    it('a record that is refused since, of a request whose outcome nobody knows, is taken back', () =>
      inPlace(nodes, async (settings) => {
        await using client = new OpenSearchClient(settings);
        const { comment: index } = indexNames(settings);
        await makeIndex(client, settings, 'comment');
        // More than one request carries.
        const batch = new Batch(comments(5, { body: 'solar '.repeat(200_000) }));
        let requests = 0;
        const before = async () => {
          if (requests++ > 0) throw new Error('the claim is lost');
        };
        await assert.rejects(
          batch.write({ client, index, rules: RULES, visible: 0, before }),
          /claim is lost/,
        );
        const ids = comments(5).map(({ id }) => id);
        const written = [...(await multiGet(client, index, ids)).keys()];
        assert.ok(written.length > 0 && written.length < 5, `${written} were written`);
        batch.leaveOut((records) => records.map(({ id }) => written.includes(id)));
        await batch.write({ client, index, rules: RULES, visible: 0, before: async () => undefined });
        const left = ids.filter((id) => !written.includes(id));
        assert.deepEqual([...(await multiGet(client, index, ids)).keys()], left);
        const { added, removed } = batch.report({ rules: RULES });
        assert.deepEqual({ added, removed }, { added: left.length, removed: written.length });
        assert.equal(batch.hasUnseen, true);
      }));

    async function totalIn(settings: OpenSearchSettings): Promise<number> {
      await using fresh = await open(settings);
      return (await fresh.ask({ kind: 'comment', query: EVERYTHING })).total;
    }

    it('a part of a batch is seen only by who looks first and finds that shards show it, until something is published', () =>
      inPlace(nodes, async (settings) => {
        await using client = new OpenSearchClient(settings);
        await using engine = await open(settings);
        await engine.index('comment', packRecords(comments(2)));
        const seen = async () => (await engine.ask({ kind: 'comment', query: EVERYTHING })).total;
        const manifest = await breakOff(client, settings, comments(1, {}, 2));
        assert.deepEqual([await seen(), await totalIn(settings)], [2, 2]);
        // As a shard that starts anew.
        await refreshIndex(client, indexNames(settings).comment);
        await engine.refresh();
        assert.deepEqual([await seen(), await totalIn(settings)], [2, 3]);
        // Who writes nothing, or what is there already, shows nothing.
        await manifest.writing(async () => undefined);
        await engine.maintain();
        await engine.refresh();
        assert.equal(await seen(), 2);
        await engine.index('comment', packRecords(comments(3)));
        assert.equal(await totalIn(settings), 3);
        assert.equal((await manifest.read()).phase, 'open');
      }));

    it('folding a removal in tells readers when it refreshes a part of a batch, and shows all of it', () =>
      inPlace(nodes, async (settings) => {
        await using client = new OpenSearchClient(settings);
        await using engine = await open(settings);
        await engine.index('comment', packRecords(comments(2)));
        const manifest = await breakOff(client, settings, comments(1, {}, 2));
        const phases: string[] = [];
        const judge = async ({ path }: Passing): Promise<Verdict> => {
          if (path.includes('/_refresh') && path.includes(indexNames(settings).comment)) {
            phases.push((await manifest.read()).phase);
          }
          return 'pass';
        };
        await using proxy = await startProxy(nodes[0]!, judge);
        await using hiding = await open({ ...settings, nodes: [proxy.address] });
        assert.equal((await hiding.hide(1, 'comment', { ids: ['c0'] })).records, 1);
        assert.deepEqual([...new Set(phases)], ['refreshing']);
        const { phase, generation } = await manifest.read();
        assert.deepEqual({ phase, generation }, { phase: 'open', generation: 2 });
        assert.equal(await totalIn(settings), 2);
      }));

    it('a record that came in behind its generation is seen once a batch with it is acknowledged', () =>
      inPlace(nodes, async (settings) => {
        await using client = new OpenSearchClient(settings);
        await using engine = await open(settings);
        // Who writes at generation 1 writes documents of 2; another takes over, and shows 2.
        for (const from of [0, 1]) await engine.index('comment', packRecords(comments(1, {}, from)));
        const { comment: index } = indexNames(settings);
        const [late] = comments(1, {}, 2);
        const document = () => documentOf(late!, { arrived: 1, batch: 'late', generation: 2 });
        await writeAll(client, index, [{ kind: 'create', id: late!.id, document }], async () => undefined);
        const whole = { source: 'dump', state: 'whole' };
        const { unchanged } = await engine.index('comment', packRecords([late!]), whole);
        assert.equal(unchanged, 1);
        await engine.refresh();
        assert.deepEqual(await everything(engine, 'comment'), comments(3));
        assert.equal((await engine.checkpoints('comment')).get(whole.source), whole.state);
      }));
  });

  // Each waits until it is taken for dead.
  describe('a writer that dies', () => {
    const BEFORE = comments(10, { score: 1 });
    const BATCH = comments(40, { score: 2 });
    const FIRST = { source: 'dump', state: 'first' };
    const WHOLE = { source: 'dump', state: 'whole' };
    const WORK = ['index', 'comment', BATCH, WHOLE];

    /** How many the batch takes. */
    async function countWrites(): Promise<number> {
      let writes = 0;
      await inPlace(nodes, async (settings) => {
        await using other = await open(settings);
        await other.index('comment', packRecords(BEFORE), FIRST);
        await using proxy = await startProxy(nodes[0]!, (passing) => {
          if (isWrite(passing)) writes++;
          return 'pass';
        });
        await using engine = await open({ ...settings, nodes: [proxy.address] });
        await engine.index('comment', packRecords(BATCH), WHOLE);
      });
      return writes;
    }

    /** Once the node has done so many of its writes; before any of them: 0. False: the batch was through before. */
    function dieBehind(settings: OpenSearchSettings, writes: number): Promise<boolean> {
      let done = 0;
      return dieWhere('engine-process.ts', settings, [WORK], (passing) => {
        if (!isWrite(passing)) return null;
        if (writes === 0) return 'before';
        return ++done === writes ? 'behind' : null;
      });
    }

    it('upkeep brings to an end what it was showing, though nothing was ever hidden', () =>
      inPlace(nodes, async (settings) => {
        await using other = await open(settings);
        await other.index('comment', packRecords(BEFORE), FIRST);
        const isRefresh = ({ path }: Passing) => (path.includes('/_refresh') ? 'behind' : null);
        assert.equal(await dieWhere('engine-process.ts', settings, [WORK], isRefresh), true);
        await using client = new OpenSearchClient(settings);
        const manifest = manifestIn(client, settings);
        assert.equal((await manifest.read()).phase, 'refreshing');
        await using upkeep = await open(settings);
        await upkeep.maintain();
        await upkeep.maintain();
        const { phase, writer, generation } = await manifest.read();
        assert.deepEqual({ phase, writer, generation }, { phase: 'open', writer: null, generation: 2 });
        assert.deepEqual(await everything(upkeep, 'comment'), BATCH);
      }));

    // What it reads between two writes changes nothing that others find.
    it('behind whichever write it is killed, the next one takes over, and the same batch comes to the same', async () => {
      const killedBehind = (writes: number) => {
        const test = async (settings: OpenSearchSettings) => {
          await using other = await open(settings);
          await other.index('comment', packRecords(BEFORE), FIRST);
          await using reader = await open(settings);
          await reader.refresh();
          const wasKilled = await dieBehind(settings, writes);
          await reader.refresh();
          const there = (await everything(reader, 'comment')).length;
          const state = (await reader.checkpoints('comment')).get(WHOLE.source);
          assert.ok(state === 'first' || there === BATCH.length, `${state} with ${there} records`);
          assert.ok(there === BEFORE.length || there === BATCH.length, `a part of a batch: ${there}`);
          // Who has not looked before sees all that was acknowledged, and may see a part of what was not.
          await using fresh = await open(settings);
          const found = new Set((await everything(fresh, 'comment')).map(({ id }) => id));
          const missing = BEFORE.filter(({ id }) => !found.has(id));
          assert.deepEqual(missing, []);
          assert.equal((await fresh.ask({ kind: 'comment', query: EVERYTHING })).total, found.size);
          const { added, replaced, unchanged } = await other.index('comment', packRecords(BATCH), WHOLE);
          assert.equal(added + replaced + unchanged, BATCH.length);
          await reader.refresh();
          assert.deepEqual(await everything(reader, 'comment'), BATCH);
          assert.equal((await reader.checkpoints('comment')).get(WHOLE.source), 'whole');
          assert.deepEqual((await reader.fingerprints()).comment, await madeAnew(reader, 'comment'));
          return wasKilled;
        };
        return inPlace(nodes, test, 2);
      };
      const places = Array.from({ length: 1 + (await countWrites()) }, (_, writes) => writes);
      const killed = (await Promise.all(places.map(killedBehind))).filter((was) => was).length;
      // Before all, and behind the making of an index, claim, documents, `refreshing`, refresh and publish.
      assert.ok(killed >= 7, `${killed} were killed`);
    });
  });
};

await onCluster('OpenSearch: writing', writing, { concurrency: true });
