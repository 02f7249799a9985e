// Limits and steps that take tens of thousands of records, asked of one index: part of the contract of an engine, for
// those that are not held against one of the others.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { MAX_CELLS, MAX_IN_GROUPS } from '../src/model/analyses.ts';
import type { Question } from '../src/model/engine.ts';
import { EXPORT_STEP, type ExportBlock } from '../src/model/export.ts';
import type { ThreadRequest } from '../src/model/pages.ts';
import { MAX_POSTS_UNDER, MAX_PREFIX_TOKENS } from '../src/model/query.ts';
import { exported, openExport } from './engine-export.ts';
import type { EngineHarness } from './engine-harness.ts';
import { firstPage, idsOf, queryOf, testsOver } from './engine-suite.ts';
import { comment, post } from './helpers.ts';
import { lineOf, lineShaper } from './line-shaper.ts';

const DAY = 86_400;
const secondOf = (year: number) => Date.UTC(year, 0, 1) / 1000;

/** Days, and links on each of them, whose buckets are just as many as may be. */
const DAYS = 200;
const LINKS = Array.from({ length: MAX_CELLS / DAYS }, (_, i) => `https://d${i}.example/`).join(' ');

const words = (prefix: string) => Array.from({ length: MAX_PREFIX_TOKENS }, (_, i) => `${prefix}${i}`);

/** One more than are looked under, one a second from 1970 on. */
const posts = () => Array.from({ length: MAX_POSTS_UNDER + 1 }, (_, i) => post({ id: `q${i}`, created: i }));

/** A chain, and what answers its end in one second. */
const thread = () => [
  ...Array.from({ length: 10_000 }, (_, i) =>
    comment({ id: `c${i}`, post: 'p1', parent: i === 0 ? 'p1' : `c${i - 1}`, created: 10 + i }),
  ),
  ...Array.from({ length: 2_000 }, (_, i) =>
    comment({ id: `t${i}`, post: 'p1', parent: 'c9999', created: 50_000 }),
  ),
];

export function largeConformance(harness: EngineHarness): void {
  describe(`${harness.name}: limits of many records`, () => {
    const records = [
      ...posts(),
      ...[7, 99_999].map((i) => comment({ id: `u${i}`, post: `q${i}`, created: i })),
      post({ id: 'p1', title: 'solar roof' }),
      ...thread(),
      post({ id: 'v1', selftext: words('vv').slice(0, 60_000).join(' ') }),
      post({ id: 'v2', selftext: `${words('vv').slice(60_000).join(' ')} vvmore` }),
      comment({ id: 'w1', body: `wz1 ${words('www').slice(0, 60_000).join(' ')}` }),
      comment({ id: 'w2', body: `wz2 ${words('www').slice(50_000).join(' ')}` }),
      comment({ id: 'w3', body: 'wwmore' }),
      ...Array.from({ length: DAYS }, (_, i) =>
        comment({ id: `d${i}`, body: LINKS, created: secondOf(1980) + i * DAY }),
      ),
      comment({ id: 'dmore', body: 'https://one.more/', created: secondOf(1981) - 1 }),
      ...Array.from({ length: MAX_IN_GROUPS + 1 }, (_, i) =>
        comment({ id: `s${i}`, community: `c${i}`, created: secondOf(1985) }),
      ),
    ];
    const test = testsOver(harness, records);

    test('a prefix with more than 100,000 words behind it is refused, 100,000 are not', async (engine) => {
      const ask = (text: string) => engine.ask({ kind: 'comment', query: queryOf(text) });
      assert.equal((await ask('wz* Www*')).total, 2);
      const word = { kind: 'prefix', prefix: 'ww', typed: 'Ww' };
      await assert.rejects(ask('wz* Ww*'), { reached: { limit: 'prefix_tokens', word } });
    });

    const under = (query: string, text: string): Question => ({
      ...{ kind: 'comment', query: queryOf(query), under: queryOf(text), page: firstPage('oldest', 100) },
    });

    test('a prefix of the posts that is too broad says that it is theirs', async (engine) => {
      const word = { kind: 'prefix', prefix: 'vv', typed: 'vv' };
      const reached = { limit: 'prefix_tokens', word, isUnder: true };
      await assert.rejects(engine.ask(under('vv*', 'vv*')), { reached });
      assert.equal((await engine.ask(under('vv*', 'wind'))).total, 0);
    });

    test('100,000 posts are looked under, one more is an EngineLimit that says how many', async (engine) => {
      const just = await engine.ask(under('', 'before:1970-01-02T03:46:40'));
      assert.deepEqual(idsOf(just), ['u7', 'u99999']);
      const oneMore = 'before:1970-01-02T03:46:41';
      const reached = { limit: 'posts_under', posts: MAX_POSTS_UNDER + 1 };
      await assert.rejects(engine.ask(under('', oneMore)), { reached });
      assert.equal((await engine.ask(under('', `${oneMore} -id:t3_q5`))).total, 2);
    });

    test('100,000 buckets of all rows are given, one more is an EngineLimit', async (engine) => {
      const rowsOf = async (text: string, size: number) => {
        const breakdowns = [{ field: 'domain', size, by: 'day' }] as const;
        const answer = await engine.ask({ kind: 'comment', query: queryOf(text), breakdowns });
        return answer.breakdowns![0]!.rows;
      };
      const rows = await rowsOf('after:1980-01-01 before:1980-12-31', 501);
      assert.deepEqual([rows.length, rows[0]!.by?.length], [500, DAYS]);
      assert.deepEqual(rows[0]!.by?.at(-1), { start: secondOf(1980) + (DAYS - 1) * DAY, count: 1 });
      const more = 'after:1980-01-01 before:1981-01-01';
      await assert.rejects(rowsOf(more, 501), { reached: { limit: 'breakdown_cells' } });
      assert.equal((await rowsOf(more, 500)).length, 500);
    });

    test('samples of more than 10,000 records of all groups are an EngineLimit, 10,000 are not', async (engine) => {
      const draw = (text: string) => {
        const page = { order: 'sample', size: 1, seed: '1', per: 'community' } as const;
        const query = queryOf(`after:1985-01-01 before:1986-01-01 ${text}`);
        return engine.ask({ kind: 'comment', query, page });
      };
      assert.equal((await draw('-/r/c7')).page!.records.length, MAX_IN_GROUPS);
      await assert.rejects(draw(''), { reached: { limit: 'sample_groups' } });
    });

    test('threads have 12,000 comments, a chain among them, and 2,000 of one second', async (engine) => {
      const ask = (request: ThreadRequest) =>
        engine.ask({ kind: 'comment', query: queryOf('post:p1'), thread: request });
      const deep = await ask({ order: 'tree', from: 9998, limit: 3 });
      assert.deepEqual(idsOf(deep), ['c9998', 'c9999', 't0']);
      assert.deepEqual(deep.thread!.places.at(-1), { depth: 10_000, level: 10_000 });
      const near = await ask({ order: 'oldest', after: null, around: 'c9999', limit: 1 });
      assert.deepEqual([near.thread!.listed, idsOf(near)], [12_000, ['c0']]);
      const after = { second: 50_000, given: 999 };
      const rest = await ask({ order: 'oldest', after, limit: 1, maxBytes: 5000 });
      assert.deepEqual([rest.page!.records.length, rest.page!.hasMore], [1001, false]);
    });

    test('exports stop for steps, where they give all they kept and a state; what is withheld counts towards one', async (engine) => {
      const shaper = lineShaper({ keepsBack: true });
      // EXPORT_STEP and 700 more.
      const asked = { kind: 'post', query: queryOf('before:1970-01-01T14:05'), shaper } as const;
      await using run = await openExport(engine, asked);
      await engine.hide(1, 'post', { ids: ['q0', 'q7'] });
      const blocks: ExportBlock[] = [];
      const lines: number[] = [];
      for await (const block of run.blocks) {
        lines.push(Buffer.concat(block.bytes).toString().split('\n').length - 1);
        blocks.push({ ...block, bytes: [] });
      }
      assert.deepEqual(lines, [EXPORT_STEP - 2, 700]);
      assert.deepEqual(blocks[0], {
        ...{ bytes: [], records: EXPORT_STEP - 2, withheld: 2, state: { count: EXPORT_STEP - 2 } },
      });
      const { report, ...last } = blocks[1]!;
      assert.deepEqual(last, { bytes: [], records: EXPORT_STEP + 698, withheld: 2 });
      assert.equal(report?.cutCells, 0);
      // What goes on comes to the same steps.
      const behind = await exported(engine, { ...asked, limit: EXPORT_STEP + 2, skip: EXPORT_STEP - 1 });
      assert.deepEqual(behind.steps, [EXPORT_STEP]);
      const expected = posts().slice(EXPORT_STEP + 1, EXPORT_STEP + 4);
      assert.equal(behind.text, expected.map(lineOf).join(''));
    });
  });
}
