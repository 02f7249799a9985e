import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { queryOf } from '../../../../test/engine-suite.ts';
import { comment } from '../../../../test/helpers.ts';
import { segmentOfLists } from '../../../../test/segment-sections.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { MAX_PREFIX_TOKENS } from '../../../model/query.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { CHUNK_DOCS, forEach, WordPool } from '../sets/chunk.ts';
import { Deadline } from './deadline.ts';
import { Prefix } from './prefixes.ts';

describe('prefixes', () => {
  it('words that several segments hold count once towards the limit', async () => {
    let made = 0;
    const holding = (from: number, to: number) => {
      const words = Array.from({ length: to - from }, (_, i) => `wo${from + i}`);
      return comment({ id: `c${(made++).toString(36)}`, created: from, body: words.join(' ') });
    };
    const thousands = (from: number, to: number) =>
      Array.from({ length: (to - from) / 1000 }, (_, i) => holding(from + i * 1000, from + (i + 1) * 1000));
    const query = queryOf('wo*');
    const batches = [thousands(0, 60_000), thousands(50_000, 100_000), thousands(20_000, 30_000)];
    await using engine = await embeddedEngine(...batches);
    assert.equal((await engine.ask({ kind: 'comment', query })).total, 120);
    await engine.index('comment', packRecords([holding(MAX_PREFIX_TOKENS, MAX_PREFIX_TOKENS + 1)]));
    await assert.rejects(engine.ask({ kind: 'comment', query }), EngineLimit);
  });

  it('find lists too long to be read beside their block', () => {
    const docs = 200_000;
    const every = (step: number, from: number) =>
      Uint32Array.from({ length: Math.ceil((docs - from) / step) }, (_, i) => from + i * step);
    // 60 lists of 32 KB in one block; some short ones, and packed ones, behind them.
    const lists = new Map<string, Uint32Array>();
    for (let i = 10; i < 70; i++) lists.set(`tw${i}`, every(3, i % 2));
    for (let i = 10; i < 99; i++) lists.set(`tx${i}`, every(i * 40, 7));
    const segment = segmentOfLists(lists, docs);
    for (const prefix of ['w', 'w1', 'w10', 'x', 'x9', '', 'y']) {
      const pool = new WordPool();
      const list = new Prefix(prefix, Deadline.never()).list(segment, pool);
      const found: number[] = [];
      for (let chunk = 0; chunk < 4; chunk++) {
        if (list !== null) forEach(list.chunk(chunk, pool), (doc) => found.push(chunk * CHUNK_DOCS + doc));
      }
      const expected = new Set<number>();
      for (const [key, list] of lists)
        if (key.startsWith(`t${prefix}`)) for (const doc of list) expected.add(doc);
      assert.equal(found.join(), [...expected].sort((a, b) => a - b).join(), prefix);
    }
  });
});
