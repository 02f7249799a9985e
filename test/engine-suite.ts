// What the parts of the engine contract share: an engine in a place of its own, and short ways to ask it.

import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { CopyRules } from '../src/model/copies.ts';
import type { OneAnswer, SearchEngine } from '../src/model/engine.ts';
import { type Order, type PageRequest, pageRequest } from '../src/model/pages.ts';
import { KINDS, type Kind, type StoredRecord } from '../src/model/record.ts';
import { interpretQuery } from '../src/search/language/interpret.ts';
import type { EngineHarness, EnginePlace } from './engine-harness.ts';

export const RULES: CopyRules = { keepOriginals: false };
export const EVERYTHING = { items: [] };

export function queryOf(text: string) {
  return interpretQuery(text, { impliedWindow: 'off' }).query;
}

/** Runs `test` with an engine over these records, in a place of its own. */
export type WithEngine = (
  records: readonly StoredRecord[],
  test: (engine: SearchEngine, place: EnginePlace) => Promise<void>,
  rules?: CopyRules,
) => Promise<void>;

export function engineMaker(harness: EngineHarness): WithEngine {
  return async (records, test, rules = RULES) => {
    await using place = harness.place();
    await using engine = await place.open({ rules });
    await fill(engine, records);
    await test(engine, place);
  };
}

/** `it` with an engine over records that the others of the same `describe` ask too. */
export type EngineTest = (
  rule: string,
  test: (engine: SearchEngine) => Promise<void>,
  options?: { readonly skip?: string | boolean },
) => void;

/**
 * For tests that change nothing, to be called in their `describe`: one engine over these records, until the last of the
 * tests has ended.
 */
export function testsOver(harness: EngineHarness, records: readonly StoredRecord[]): EngineTest {
  const owned = new AsyncDisposableStack();
  after(() => owned.disposeAsync());
  const open = async () => {
    const engine = owned.use(await owned.use(harness.place()).open({ rules: RULES }));
    await fill(engine, records);
    return engine;
  };
  let opening: Promise<SearchEngine> | null = null;
  return (rule, test, options = {}) => {
    it(rule, options, async () => {
      opening ??= open();
      await test(await opening);
    });
  };
}

export function firstPage(order: Order, limit: number): PageRequest {
  return { order, limit, after: null };
}

export function idsOf(answer: OneAnswer): string[] {
  return (answer.page?.records ?? []).map((record) => record.id);
}

/** Of either kind, each in a batch. */
export async function fill(engine: SearchEngine, records: readonly StoredRecord[]): Promise<void> {
  for (const kind of KINDS) {
    const ofKind = records.filter((record) => record.kind === kind);
    if (ofKind.length > 0) await engine.index(kind, packRecords(ofKind));
  }
}

/** Every record of a kind, oldest first. */
export async function everything(engine: SearchEngine, kind: Kind): Promise<readonly StoredRecord[]> {
  return (await Array.fromAsync(engine.scan(kind, EVERYTHING, 'oldest'))).flat();
}

/** Ids of a walk over all pages; fails where a page's total differs or a page but the last is short. */
export async function walk(
  engine: SearchEngine,
  kind: Kind,
  order: Order,
  limit: number,
  maxBytes = Infinity,
): Promise<string[]> {
  const ids: string[] = [];
  let page: PageRequest = { ...firstPage(order, limit), maxBytes };
  for (;;) {
    const answer = await engine.ask({ kind, query: EVERYTHING, page });
    const given = answer.page?.records ?? [];
    ids.push(...given.map((record) => record.id));
    const { next = null, hasMore = false, isShort } = answer.page ?? {};
    assert.ok(!hasMore || isShort || given.length >= limit, 'a page but the last is full');
    assert.equal(hasMore, ids.length < answer.total);
    if (!hasMore) return ids;
    page = pageRequest(order, next, { limit, maxBytes });
  }
}

/** Rows of a breakdown: names with their counts, in this order. */
export function rowsOf(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([name, count]) => ({ name, count }));
}
