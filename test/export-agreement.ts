// Whole results of an engine and of the reference engine, compared: part of engine-agreement.ts.

import assert from 'node:assert/strict';
import type { Question, SearchEngine } from '../src/model/engine.ts';
import { EngineLimit } from '../src/model/engine-errors.ts';
import { ORDERS } from '../src/model/pages.ts';
import { exported, openExport } from './engine-export.ts';

/** Every so many queries are exported: the records of many of them are few, and their totals were compared. */
const EVERY = 4;

type Asked = Pick<Question, 'kind' | 'query' | 'under' | 'since'>;

/** Hides something of the last one in both. */
export async function compareExports(
  engine: SearchEngine,
  reference: SearchEngine,
  queries: readonly Asked[],
  seed: number,
): Promise<void> {
  for (let i = seed % EVERY; i < queries.length; i += EVERY) {
    await compareExport(engine, reference, queries[i]!, seed + i);
  }
  await compareWithheld(engine, reference, queries[0]!.kind, seed);
}

/** Whole, or behind the place where a page ended; with and without some passed over, and a limit. */
async function compareExport(
  engine: SearchEngine,
  reference: SearchEngine,
  asked: Asked,
  seed: number,
): Promise<void> {
  const order = ORDERS[seed % 3]!;
  const limit = [1, 2, 7, 100][seed % 4]!;
  const page = { order, limit, after: null };
  let after = null;
  try {
    after = seed % 2 === 0 ? null : (await reference.ask({ ...asked, page })).page!.next;
  } catch (error) {
    if (error instanceof EngineLimit) return;
    throw error;
  }
  const request = {
    ...asked,
    ...{ order, after, skip: [0, 1, 30][seed % 3]!, limit: [null, null, 3, 90][seed % 4]! },
    ...(seed % 5 === 0 && { sample: { size: 1 + (seed % 50), seed: '1' } }),
  };
  const [own, expected] = [await whole(engine, request), await whole(reference, request)];
  assert.deepEqual(own, expected, `seed ${seed}: export ${JSON.stringify(request)}`);
}

async function whole(engine: SearchEngine, request: Parameters<typeof exported>[1]) {
  try {
    const { head, text, last } = await exported(engine, request);
    return { head, text, records: last.records };
  } catch (error) {
    if (error instanceof EngineLimit) return error.reached;
    throw error;
  }
}

/** A removal of records of every segment, behind the view of an export. */
async function compareWithheld(
  engine: SearchEngine,
  reference: SearchEngine,
  kind: Asked['kind'],
  seed: number,
): Promise<void> {
  const order = ORDERS[seed % 3]!;
  const answer = await reference.ask({ kind, query: { items: [] }, page: { order, limit: 90, after: null } });
  const ids = answer.page!.records.filter((_, i) => i % 3 === seed % 3).map(({ id }) => id);
  const [own, expected] = await Promise.all(
    [engine, reference].map(async (one) => {
      await using run = await openExport(one, { kind, order });
      // A larger number than those of the removals before.
      await one.hide(Number.MAX_SAFE_INTEGER, kind, { ids });
      const texts: string[] = [];
      let withheld = 0;
      for await (const block of run.blocks) {
        texts.push(Buffer.concat(block.bytes).toString());
        withheld = block.withheld;
      }
      return { head: run.head, text: texts.join(''), withheld };
    }),
  );
  assert.equal(own!.withheld, ids.length);
  assert.deepEqual(own, expected, `seed ${seed}: what is withheld in ${order}`);
}
