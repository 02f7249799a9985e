// What becomes of a question whose view the cluster has lost, or of which it gives a part.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import type { Question, SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { EVERYTHING, firstPage, queryOf, RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { deleteIndices, freshSettings } from './harness.ts';
import { onCluster } from './test-cluster.ts';

const RECORDS = 2_500;
/** More than one step of a scan. */
const QUESTION: Question = { kind: 'comment', query: EVERYTHING, page: firstPage('newest', 9) };

interface Answered {
  readonly status: number;
  readonly text: string;
}

interface State {
  /** What is made of an answer; null: nothing. */
  change: ((path: string, answer: Answered) => Answered | 'cut') | null;
  searches: number;
  /** Views that were opened. */
  readonly pits: string[];
}

const isSearch = (path: string) => path.startsWith('/_search?');

await onCluster('OpenSearch: views that are lost', (nodes) => {
  /** Runs `test` with an engine behind a proxy that changes answers as `change` says, once it is set. */
  async function behindProxy(test: (engine: SearchEngine, state: State) => Promise<void>): Promise<void> {
    const settings = freshSettings(nodes);
    const state: State = { change: null, searches: 0, pits: [] };
    const server = createServer((incoming, response) => {
      void (async () => {
        const path = incoming.url ?? '/';
        const { method = 'GET', headers } = incoming;
        const onward = request(new URL(path, nodes[0]), { method, headers, agent: false });
        onward.end(await buffer(incoming));
        const [answer] = await once(onward, 'response');
        const answered = { status: answer.statusCode as number, text: `${await buffer(answer)}` };
        if (isSearch(path)) state.searches++;
        if (method === 'POST' && path.includes('/_search/point_in_time')) {
          state.pits.push(JSON.parse(answered.text).pit_id);
        }
        const told = state.change?.(path, answered) ?? answered;
        response.writeHead(told === 'cut' ? 200 : told.status, {
          'Content-Type': 'application/json',
          ...(told === 'cut' && { 'Content-Length': Buffer.byteLength(answered.text) }),
        });
        if (told !== 'cut') response.end(told.text);
        else response.write(answered.text.slice(0, -20), () => response.destroy());
      })().catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await using engine = await openOpenSearchEngine({ ...settings, nodes: [address] }, { rules: RULES });
      const records = Array.from({ length: RECORDS }, (_, i) => comment({ id: String(i), created: i }));
      await engine.index('comment', packRecords(records));
      await engine.refresh();
      await test(engine, state);
    } finally {
      server.closeAllConnections();
      await once(server.close(), 'close');
      await deleteIndices(settings);
    }
  }

  /** Closes every view that the engine has opened. */
  async function loseViews({ pits }: State): Promise<void> {
    const answer = await fetch(new URL('/_search/point_in_time', nodes[0]), {
      ...{ method: 'DELETE', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ pit_id: pits.splice(0) }),
    });
    await answer.arrayBuffer();
  }

  const edited = (answer: Answered, edit: (body: Record<string, never>) => object): Answered => ({
    ...answer,
    text: JSON.stringify({ ...JSON.parse(answer.text), ...edit(JSON.parse(answer.text)) }),
  });
  const PARTIAL: readonly (readonly [what: string, change: (answer: Answered) => Answered])[] = [
    ['that ran out of time', (answer) => edited(answer, () => ({ timed_out: true }))],
    [
      'of which a shard failed',
      (answer) => edited(answer, () => ({ _shards: { total: 2, successful: 1, skipped: 0, failed: 1 } })),
    ],
    [
      'of which a shard is nowhere',
      (answer) => edited(answer, () => ({ _shards: { total: 2, successful: 1, skipped: 0, failed: 0 } })),
    ],
    ['that tells of no shards', (answer) => edited(answer, () => ({ _shards: undefined }))],
    ['without hits', (answer) => edited(answer, () => ({ hits: undefined }))],
    [
      'whose total is a lower bound',
      (answer) => edited(answer, () => ({ hits: { total: { value: 7, relation: 'gte' }, hits: [] } })),
    ],
  ];

  describe('an answer', () => {
    for (const [what, change] of PARTIAL) {
      it(`${what} is passed on by no call`, () =>
        behindProxy(async (engine, state) => {
          const calls: Record<string, () => Promise<unknown>> = {
            total: () => engine.ask({ kind: 'comment', query: EVERYTHING }),
            page: () => engine.ask(QUESTION),
            under: () =>
              engine.ask({ ...QUESTION, breakdowns: [{ field: 'domain', size: 3, distinct: true }] }),
            present: () => engine.present('comment', ['1']),
            stats: () => engine.stats(),
          };
          state.change = (path, answer) => (isSearch(path) ? change(answer) : answer);
          for (const [name, call] of Object.entries(calls))
            await assert.rejects(call(), EngineUnavailable, name);
          state.change = null;
          for (const call of Object.values(calls)) await call();
        }));
    }

    it('that breaks off is asked for again', () =>
      behindProxy(async (engine, state) => {
        let cut = 0;
        state.change = (path, answer) => (isSearch(path) && cut++ === 0 ? 'cut' : answer);
        assert.equal((await engine.ask(QUESTION)).total, RECORDS);
        assert.ok(cut > 1, 'it broke off');
      }));

    it('to a question with a time budget that is over is too slow, and not unavailable', () =>
      behindProxy(async (engine, state) => {
        state.change = (path, answer) =>
          isSearch(path) ? edited(answer, () => ({ timed_out: true })) : answer;
        await assert.rejects(engine.ask({ ...QUESTION, timeoutMs: 30_000 }), { code: 'query_timeout' });
      }));

    it('about a prefix of which a shard is missing is passed on by nobody', () =>
      behindProxy(async (engine, state) => {
        state.change = (path, answer) =>
          path.includes('/_validate/query')
            ? edited(answer, () => ({ _shards: { total: 2, successful: 1, failed: 0 } }))
            : answer;
        const ask = () => engine.ask({ kind: 'comment', query: queryOf('so*') });
        await assert.rejects(ask(), EngineUnavailable);
        state.change = null;
        assert.equal((await ask()).total, 0);
      }));
  });

  describe('a view that the cluster has closed', () => {
    it('is opened anew by the question that meets it', () =>
      behindProxy(async (engine, state) => {
        await engine.ask(QUESTION);
        await loseViews(state);
        state.searches = 0;
        assert.equal((await engine.ask(QUESTION)).total, RECORDS);
        assert.equal(state.searches, 2);
        assert.equal((await engine.ask(QUESTION)).total, RECORDS);
        assert.equal(state.searches, 3);
      }));

    it('under a scan: it goes on, with every record once', () =>
      behindProxy(async (engine, state) => {
        const ids: string[] = [];
        for await (const batch of engine.scan('comment', EVERYTHING, 'oldest')) {
          ids.push(...batch.map(({ id }) => id));
          await loseViews(state);
        }
        assert.deepEqual(
          ids,
          Array.from({ length: RECORDS }, (_, i) => String(i)),
        );
      }));

    it('under a scan, and the index has changed since: the scan fails, and gives no part for the whole', () =>
      behindProxy(async (engine, state) => {
        let scanned = 0;
        await assert.rejects(async () => {
          for await (const batch of engine.scan('comment', EVERYTHING, 'oldest')) {
            scanned += batch.length;
            await engine.index('comment', packRecords([comment({ id: 'more', created: 1 })]));
            await loseViews(state);
          }
        }, EngineUnavailable);
        assert.ok(scanned > 0 && scanned < RECORDS);
      }));
  });
});
