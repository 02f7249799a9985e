// Whole results as bytes: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { SearchEngine } from '../src/model/engine.ts';
import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../src/model/export.ts';
import { comparator, ORDERS, type PagePosition } from '../src/model/order.ts';
import type { StoredComment } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import { EVERYTHING, engineMaker, queryOf } from './engine-suite.ts';
import { comment } from './helpers.ts';
import { lineOf, lineShaper } from './line-shaper.ts';

type Asked = Pick<ExportRequest, 'kind'> & Partial<ExportRequest>;

export interface Exported {
  readonly head: ExportHead;
  readonly text: string;
  readonly last: ExportBlock;
  /** Records given at each step. */
  readonly steps: readonly number[];
}

export function openExport(engine: SearchEngine, asked: Asked, signal?: AbortSignal): Promise<ExportRun> {
  const rest = {
    query: EVERYTHING,
    order: 'oldest',
    after: null,
    limit: null,
    shaper: lineShaper(),
  } as const;
  return engine.export({ ...rest, ...asked }, signal);
}

/** All of it. `each` is called behind each block. */
export async function exported(
  engine: SearchEngine,
  asked: Asked,
  each: (block: ExportBlock) => Promise<void> = async () => {},
): Promise<Exported> {
  await using run = await openExport(engine, asked);
  const { head } = run;
  const bytes: Uint8Array[] = [];
  const steps: number[] = [];
  const seen: ExportBlock[] = [];
  for await (const block of run.blocks) {
    assert.equal(seen.at(-1)?.report, undefined, 'nothing comes behind the last block');
    assert.ok(block.bytes.length > 0 || block.state !== undefined || block.report !== undefined);
    bytes.push(...block.bytes.map((piece) => piece.slice()));
    if (block.state !== undefined) steps.push(block.records);
    seen.push({ ...block, bytes: [] });
    await each(block);
  }
  const all = Buffer.concat(bytes);
  const last = seen.at(-1)!;
  assert.equal(last.report?.sha256, createHash('sha256').update(all).digest('hex'));
  return { head, text: all.toString(), last, steps };
}

export function idsIn({ text }: Exported): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).id);
}

/** Ties of thousands: few seconds, few scores. */
function tied(count: number): StoredComment[] {
  return Array.from({ length: count }, (_, i) =>
    comment({
      id: ((i * 7919) % count).toString(36),
      created: 1_000 + Math.floor(i / (count / 3)),
      score: [1, 1, 1, 7, 1_200_000, 2_000_000, -30][i % 7]!,
      body: i % 2 === 0 ? 'solar' : 'wind',
    }),
  );
}

export function exportConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);
  const records = tied(2_500);

  describe(`${name}: exports`, () => {
    it('are every match in the order asked for, ties of thousands included; the head comes first', () =>
      withEngine(records, async (engine) => {
        const solar = records.filter(({ body }) => body === 'solar');
        for (const order of ORDERS) {
          const all = await exported(engine, { kind: 'comment', order });
          assert.deepEqual(all.head, { total: 2_500, matches: 2_500 });
          assert.equal(all.text, [...records].sort(comparator(order)).map(lineOf).join(''), order);
          assert.deepEqual([all.last.records, all.last.withheld], [2_500, 0]);
          const some = await exported(engine, { kind: 'comment', order, query: queryOf('solar') });
          assert.equal(some.text, [...solar].sort(comparator(order)).map(lineOf).join(''), order);
        }
      }));

    it('go on behind a place, pass over records, and end at a limit', () =>
      withEngine(records, async (engine) => {
        const places: Record<string, PagePosition[]> = {
          oldest: [
            { second: 1_001, given: 'all' },
            { second: 1_001, given: 700 },
            { second: 1_001, given: 5_000 },
          ],
          newest: [
            { second: 1_001, given: 'all' },
            { second: 1_001, given: 700 },
            { second: 900, given: 1 },
          ],
          top: [
            { score: 1, second: 1_001 },
            { score: 1_000_000, second: 1_002 },
            { score: -30, second: 0 },
          ],
        };
        for (const order of ORDERS) {
          const all = [...records].sort(comparator(order));
          for (const after of places[order]!) {
            const behind = all.filter((record) => isBehind(record, after, order, all));
            for (const [skip, limit] of [
              [0, null],
              [3, null],
              [0, 10],
              [4, 10],
              [10, 10],
              [5_000, null],
              [0, 0],
            ] as const) {
              const found = await exported(engine, { kind: 'comment', order, after, skip, limit });
              const wanted = behind.slice(0, limit ?? undefined);
              const where = JSON.stringify({ order, after, skip, limit });
              assert.deepEqual(found.head, { total: wanted.length, matches: 2_500 }, where);
              assert.deepEqual(
                idsIn(found),
                wanted.slice(skip).map(({ id }) => id),
                where,
              );
              assert.equal(found.last.records, wanted.length, where);
            }
          }
        }
      }));
  });
}

function isBehind(
  { id, created, score }: StoredComment,
  after: PagePosition,
  order: string,
  all: readonly StoredComment[],
): boolean {
  const ahead = order === 'oldest' ? created - after.second : after.second - created;
  if ('score' in after) {
    const ranking = Math.min(1_000_000, score);
    return ranking < after.score || (ranking === after.score && ahead > 0);
  }
  const inSecond = all.filter((record) => record.created === after.second);
  return (
    ahead > 0 ||
    (ahead === 0 && after.given !== 'all' && inSecond.findIndex((record) => record.id === id) >= after.given)
  );
}
