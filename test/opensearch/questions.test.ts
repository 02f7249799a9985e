// What questions cost the cluster: how many are asked of it at once, by how many requests, and what becomes of those
// that wait or are given up.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { QUESTIONS_AT_ONCE } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { BreakdownRequest, SearchEngine } from '../../src/model/engine.ts';
import { openService } from '../api/service.ts';
import { openExport } from '../engine-export.ts';
import { EVERYTHING, queryOf } from '../engine-suite.ts';
import { comment, post } from '../helpers.ts';
import { comments, inPlace, open } from './place.ts';
import { startProxy, type Verdict } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const QUESTION = { kind: 'comment', query: EVERYTHING } as const;
const MANIFESTS = 'POST /_mget';
const SEARCH = 'POST /_search?allow_partial_search_results=false&filter_path=-pit_id';
const IN_CATS = { community: 'cats', communityId: 'c1' };
const COMMENTS = Array.from({ length: 60 }, (_, i) =>
  comment({ id: `a${i}`, created: 1_000 + i, body: `cat ${i % 2 === 0 ? 'even' : 'odd'}`, ...IN_CATS }),
);

/** Whose community's id is told by others. */
const BARE = comment({ id: 'bare', created: 900, body: 'bare', community: 'cats', communityId: '' });

await onCluster('OpenSearch: questions', (nodes) => {
  it('more than it has places for wait, and are `busy` after their time; all others are answered', () =>
    inPlace(nodes, async (settings) => {
      const held = Promise.withResolvers<void>();
      const full = Promise.withResolvers<void>();
      let searches = 0;
      await using proxy = await startProxy(nodes[0]!, async ({ path }): Promise<Verdict> => {
        if (!path.startsWith('/_search?')) return 'pass';
        if (++searches === QUESTIONS_AT_ONCE) full.resolve();
        await held.promise;
        return 'pass';
      });
      await using engine = await open({ ...settings, nodes: [proxy.address] });
      await engine.index('comment', packRecords(comments(20)));
      await engine.refresh();
      const asked = Array.from({ length: QUESTIONS_AT_ONCE }, () => engine.ask(QUESTION));
      await full.promise;
      const waiting = engine.ask(QUESTION);
      await assert.rejects(engine.ask({ ...QUESTION, timeoutMs: 1 }), {
        ...{ name: 'ServiceError', code: 'busy', status: 503, retryAfter: 1 },
        message: 'expected room for the query at OpenSearch within 1 ms, found 32 others under way',
      });
      const caller = new AbortController();
      const gone = engine.ask(QUESTION, caller.signal);
      caller.abort(new Error('gone'));
      await assert.rejects(gone, { message: 'gone' });
      assert.equal(searches, QUESTIONS_AT_ONCE);
      held.resolve();
      const answers = await Promise.all([...asked, waiting]);
      assert.deepEqual(new Set(answers.map(({ total }) => total)), new Set([20]));
      assert.equal(searches, QUESTIONS_AT_ONCE + 1);
    }));

  /** `held`: a part of the paths that get no answer once `test` says so. */
  function withHeld(
    held: string,
    test: (engine: SearchEngine, hold: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    return inPlace(nodes, async (settings) => {
      let isHolding = false;
      const reached = Promise.withResolvers<void>();
      await using proxy = await startProxy(nodes[0]!, ({ path }) => {
        if (!isHolding || !path.includes(held)) return 'pass';
        reached.resolve();
        return 'hold';
      });
      {
        await using engine = await open(settings);
        await engine.index('comment', packRecords(comments(1)));
      }
      await using engine = await open({ ...settings, nodes: [proxy.address] });
      await test(engine, () => {
        isHolding = true;
        return reached.promise;
      });
      isHolding = false;
    });
  }

  // The promise of the request was returned to the signal, and its rejection ended the process.
  it('a caller who goes in the midst of a search ends that search alone', () =>
    withHeld('_search', async (engine, hold) => {
      assert.equal((await engine.ask(QUESTION)).total, 1);
      const caller = new AbortController();
      const held = hold();
      const asked = assert.rejects(engine.ask(QUESTION, caller.signal), { message: 'gone' });
      await held;
      caller.abort(new Error('gone'));
      await asked;
    }));

  it('the time of a question is over while its view is waited for', () =>
    withHeld('_mget', async (engine, hold) => {
      void hold();
      await assert.rejects(engine.ask({ ...QUESTION, timeoutMs: 200 }), { code: 'query_timeout' });
    }));

  it('a page of 25: the manifests and one search; communities that are new to the view, one more of each kind', () =>
    inPlace(nodes, async (settings) => {
      const requests: string[] = [];
      await using proxy = await startProxy(nodes[0]!, ({ method, path }) => {
        requests.push(`${method} ${path}`);
        return 'pass';
      });
      const behind = { ...settings, nodes: [proxy.address] };
      await using service = await openService([post({ id: 'p', ...IN_CATS })], [...COMMENTS, BARE], () =>
        open(behind),
      );
      const server = await service.build({ archive: {} });
      const headers = { authorization: `Bearer ${service.keys.good}` };
      /** What one page asks for. */
      const asked = async (words: string) => {
        requests.length = 0;
        await pageOf(words);
        return [...requests];
      };
      const pageOf = async (words: string) => {
        const url = `/api/v1/search/comments?query=${encodeURIComponent(words)}&limit=25`;
        const answer = await server.inject({ url, headers });
        assert.equal(answer.statusCode, 200, answer.body);
        return answer.json().data;
      };
      const idOfBare = async () => (await pageOf('bare'))[0].subreddit.id;
      await asked('nothing');
      assert.deepEqual(await asked('cat'), [MANIFESTS, SEARCH, SEARCH, SEARCH]);
      assert.deepEqual(await asked('even'), [MANIFESTS, SEARCH]);
      assert.equal(await idOfBare(), 'c1');
      const more = comment({ id: 'more', created: 5_000, body: 'cat', ...IN_CATS, communityId: 'c0' });
      await service.engine.index('comment', packRecords([more]));
      assert.equal(await idOfBare(), 'c0', 'what the newer view says');
      assert.deepEqual(await asked('odd'), [MANIFESTS, SEARCH]);
    }));

  it('words behind a prefix are listed once for all questions that need them at a time', () =>
    inPlace(nodes, async (settings) => {
      let listed = 0;
      await using proxy = await startProxy(nodes[0]!, ({ path }) => {
        if (path.includes('/_validate/query')) listed++;
        return 'pass';
      });
      await using engine = await open({ ...settings, nodes: [proxy.address] });
      await engine.index('comment', packRecords(comments(20)));
      const question = { kind: 'comment', query: queryOf('sol*') } as const;
      const answers = await Promise.all(Array.from({ length: 8 }, () => engine.ask(question)));
      assert.deepEqual(new Set(answers.map(({ total }) => total)), new Set([20]));
      assert.equal(listed, 1);
    }));

  it('what only the embedded engine answers is refused by name or left out, and each is a row of the manual', () =>
    inPlace(nodes, async (settings) => {
      await using engine = await open(settings);
      await engine.index('comment', packRecords(comments(20)));
      const breakdown = (request: Omit<BreakdownRequest, 'size'>) =>
        engine.ask({ ...QUESTION, breakdowns: [{ ...request, size: 10 }] });
      const ids = Array.from({ length: 50_001 }, (_, i) => ({ id: i.toString(36), of: 'comment' as const }));
      const items = ids.map((record) => ({ kind: 'id', record, negated: false }) as const);
      const refused = {
        'months and gaps': () => engine.coverage({ kind: 'comment', step: 'month', communities: [] }),
        'copies of texts': () => breakdown({ field: 'copies' }),
        'rows by sentiment': () => breakdown({ field: 'sentiment' }),
        'sums of sentiment': () => engine.ask({ ...QUESTION, timeline: { measure: 'sentiment' } }),
        'exports of more than 50,000 ids': () => openExport(engine, { kind: 'comment', query: { items } }),
      };
      for (const [what, ask] of Object.entries(refused)) {
        const message = `expected a question that this engine can answer, found one for ${what}; the embedded engine can`;
        await assert.rejects(ask(), { name: 'EngineLimit', message });
      }
      const { breakdowns } = await breakdown({ field: 'community', measure: 'sentiment' });
      assert.deepEqual(breakdowns![0]!.rows, [
        { name: 'even', count: 10 },
        { name: 'odd', count: 10 },
      ]);
      const compared = { with: [EVERYTHING], communities: 10 };
      assert.equal((await engine.ask({ ...QUESTION, compared })).compared!.ratings, undefined);
      const manual = readFileSync(new URL('../../docs/opensearch.md', import.meta.url), 'utf8');
      const table = manual.split('## What only the embedded engine answers')[1]!.split('##')[0]!;
      const rows = [
        'coverage, copies, rows or sums by sentiment',
        'mean sentiment',
        'list of ids above 50,000',
      ];
      for (const row of rows) assert.ok(table.includes(row), row);
    }));
});
