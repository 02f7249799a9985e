// The reference engine: a linear scan over records held in memory, written through to disk. It is the specification
// of what an engine answers: every other engine must agree with it, on every corpus and every query.

import { ServiceError } from '../../errors.ts';
import { type Conditions, conditionsOf } from '../../model/conditions.ts';
import { type CopyRules, compareCopies, mergeCopies } from '../../model/copies.ts';
import type { IndexDamage } from '../../model/damage.ts';
import type {
  Answer,
  Checkpoint,
  CommunityEvidence,
  IndexReport,
  KindStats,
  Question,
  SearchEngine,
} from '../../model/engine.ts';
import { comparator, compareIds, type Order } from '../../model/order.ts';
import { type RecordBatch, recordsOf } from '../../model/packed-records.ts';
import type { Query } from '../../model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../model/record.ts';
import {
  type Hidden,
  hiddenOf,
  KEPT_AFTER_HIDING,
  NO_REMOVALS,
  type RemovalList,
} from '../../model/removals.ts';
import { breakdownOf, pageOf, timelineOf } from './answer.ts';
import { type Commit, type HideCommit, Journal } from './journal.ts';
import { broadPrefix, matches } from './matcher.ts';

/** Records looked at between two looks at the clock. */
const CLOCK_EVERY = 256;
const SCAN_BATCH = 1000;

interface KindState {
  /** By id: what is found. */
  readonly records: Map<string, StoredRecord>;
  /** What removals hide and is not erased yet, in the order of hiding. */
  hidden: readonly HiddenCopy[];
  readonly checkpoints: Map<string, string>;
}

interface HiddenCopy {
  readonly record: StoredRecord;
  /** Numbers of the removals, never empty. */
  readonly by: ReadonlySet<number>;
  /** Unix seconds of the first hiding. */
  readonly time: number;
}

export interface ReferenceOptions {
  readonly rules: CopyRules;
  /** Default: nothing is refused. */
  readonly removals?: RemovalList;
}

/** Opens the index in this folder, made where there is none. */
export async function openReferenceEngine(folder: string, options: ReferenceOptions): Promise<SearchEngine> {
  const engine = new ReferenceEngine(await Journal.open(folder), options);
  await engine.refresh();
  return engine;
}

class ReferenceEngine implements SearchEngine {
  readonly #journal: Journal;
  readonly #rules: CopyRules;
  readonly #removals: RemovalList;
  readonly #state: Record<Kind, KindState> = {
    post: { records: new Map(), hidden: [], checkpoints: new Map() },
    comment: { records: new Map(), hidden: [], checkpoints: new Map() },
  };
  /** Made when asked for, dropped by every commit. */
  #evidence: Map<string, CommunityEvidence> | null = null;
  /** Reads and writes of the journal, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(journal: Journal, { rules, removals = NO_REMOVALS }: ReferenceOptions) {
    this.#journal = journal;
    this.#rules = rules;
    this.#removals = removals;
  }

  index(kind: Kind, batch: RecordBatch, checkpoint?: Checkpoint): Promise<IndexReport> {
    return this.#inTurn(async () => {
      await this.#beginWrite();
      const current = this.#state[kind].records;
      const records = recordsOf(kind, batch);
      const refused = this.#removals.refused(records);
      const kept = records.filter((_, i) => !refused[i]);
      const put = new Map<string, StoredRecord>();
      for (const record of kept) {
        const known = put.get(record.id) ?? current.get(record.id);
        const merged = known === undefined ? record : mergeCopies(known, record, this.#rules);
        if (merged !== known) put.set(record.id, merged);
      }
      const added = [...put.keys()].filter((id) => !current.has(id)).length;
      const report = {
        added,
        replaced: put.size - added,
        unchanged: kept.length - put.size,
        removed: records.length - kept.length,
      };
      if (put.size > 0 || checkpoint !== undefined) {
        await this.#commit({ kind, put: [...put.values()], ...(checkpoint && { checkpoint }) });
      }
      return report;
    });
  }

  hide(removal: number, kind: Kind, what: Hidden): Promise<number> {
    return this.#inTurn(async () => {
      await this.#readNews();
      const { records, hidden } = this.#state[kind];
      const live = [...records.values()];
      const isMeant = hiddenOf(live, what);
      const ids = live.filter((_, i) => isMeant[i]).map(({ id }) => id);
      const copies = hiddenOf(
        hidden.map(({ record }) => record),
        what,
      ).flatMap((isMeantToo, i) => (isMeantToo ? [i] : []));
      await this.#commit({ kind, hide: { removal, time: unixNow(), ids, copies } });
      return ids.length;
    });
  }

  restore(removal: number): Promise<number> {
    return this.#inTurn(async () => {
      await this.#readNews();
      let back = 0;
      for (const kind of KINDS) {
        const before = new Set(this.#state[kind].records.values());
        await this.#commit({ kind, restore: removal });
        for (const record of this.#state[kind].records.values()) if (!before.has(record)) back++;
      }
      return back;
    });
  }

  async present(kind: Kind, ids: readonly string[]): Promise<number> {
    return [...new Set(ids)].filter((id) => this.#state[kind].records.has(id)).length;
  }

  async hiddenCount(): Promise<number> {
    return KINDS.reduce((sum, kind) => sum + this.#state[kind].hidden.length, 0);
  }

  /** The journal, a line a commit, goes on holding the text: it is no index that serves. */
  purge(): Promise<void> {
    return this.#erase(unixNow());
  }

  maintain(): Promise<void> {
    return this.#erase(unixNow() - KEPT_AFTER_HIDING);
  }

  refresh(): Promise<void> {
    return this.#inTurn(() => this.#readNews());
  }

  async ask(question: Question): Promise<Answer> {
    const conditions = conditionsOf(question.query);
    const matching = this.#matching(question.kind, conditions, question.timeoutMs ?? Infinity);
    return {
      total: matching.length,
      ...(question.page && { page: pageOf(matching, question.page) }),
      ...(question.breakdowns && {
        breakdowns: question.breakdowns.map((request) => breakdownOf(matching, request)),
      }),
      ...(question.timeline && { timeline: timelineOf(matching, conditions) }),
    };
  }

  async *scan(kind: Kind, query: Query, order: Order): AsyncIterable<readonly StoredRecord[]> {
    const matching = this.#matching(kind, conditionsOf(query), Infinity).sort(comparator(order));
    for (let at = 0; at < matching.length; at += SCAN_BATCH) yield matching.slice(at, at + SCAN_BATCH);
  }

  async communities(names: readonly string[]): Promise<ReadonlyMap<string, CommunityEvidence>> {
    this.#evidence ??= evidenceOf(KINDS.flatMap((kind) => [...this.#state[kind].records.values()]));
    const found = new Map<string, CommunityEvidence>();
    for (const name of names) {
      const evidence = this.#evidence.get(name);
      if (evidence !== undefined) found.set(name, evidence);
    }
    return found;
  }

  async checkpoint(kind: Kind, source: string): Promise<string | null> {
    return this.#state[kind].checkpoints.get(source) ?? null;
  }

  async stats(): Promise<Record<Kind, KindStats>> {
    return { post: this.#kindStats('post'), comment: this.#kindStats('comment') };
  }

  async damages(): Promise<Record<Kind, IndexDamage | null>> {
    return { post: null, comment: null };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#inTurn(() => this.#journal[Symbol.asyncDispose]());
    return this.#closed;
  }

  #matching(kind: Kind, conditions: Conditions, timeoutMs: number): StoredRecord[] {
    const deadline = performance.now() + timeoutMs;
    const { records } = this.#state[kind];
    const broad = broadPrefix(records.values(), conditions);
    if (broad !== undefined) {
      throw new ServiceError(
        'prefix_too_broad',
        `expected at most 100,000 different words behind a prefix, found more behind \`${broad.typed}*\``,
      );
    }
    const matching: StoredRecord[] = [];
    let looked = 0;
    for (const record of records.values()) {
      if (looked++ % CLOCK_EVERY === 0 && performance.now() >= deadline) {
        throw new ServiceError('query_timeout', `the query took longer than ${timeoutMs} ms`, {
          retryAfter: 1,
        });
      }
      if (matches(record, conditions)) matching.push(record);
    }
    return matching;
  }

  #kindStats(kind: Kind): KindStats {
    const records = [...this.#state[kind].records.values()].sort(comparator('oldest'));
    return {
      records: records.length,
      communities: new Set(records.map((record) => record.community)).size,
      first: records[0]?.created ?? null,
      last: records.at(-1)?.created ?? null,
      segments: records.length === 0 ? 0 : 1,
      bytes: this.#journal.bytes,
    };
  }

  async #beginWrite(): Promise<void> {
    this.#journal.lock();
    await this.#readNews();
    await this.#journal.trim();
  }

  #erase(until: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#readNews();
      for (const kind of KINDS) await this.#commit({ kind, erase: until });
    });
  }

  async #commit(commit: Commit): Promise<void> {
    await this.#journal.append(commit);
    await this.#readNews();
  }

  async #readNews(): Promise<void> {
    for await (const commit of this.#journal.news()) this.#apply(commit);
  }

  #apply({ kind, put = [], checkpoint, hide, restore, erase }: Commit): void {
    const state = this.#state[kind];
    for (const record of put) state.records.set(record.id, record);
    if (checkpoint !== undefined) state.checkpoints.set(checkpoint.source, checkpoint.state);
    if (hide !== undefined) applyHide(state, hide);
    if (restore !== undefined) applyRestore(state, restore, this.#rules);
    if (erase !== undefined) state.hidden = state.hidden.filter(({ time }) => time > erase);
    this.#evidence = null;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function applyHide(state: KindState, { removal, time, ids, copies }: HideCommit): void {
  const again = new Set(copies);
  const known = state.hidden.map((copy, i) =>
    again.has(i) ? { ...copy, by: new Set([...copy.by, removal]) } : copy,
  );
  const fresh = ids.map((id) => ({ record: state.records.get(id)!, by: new Set([removal]), time }));
  for (const id of ids) state.records.delete(id);
  state.hidden = [...known, ...fresh];
}

/** A copy that no removal hides any more is found again, unless one that ranks higher has come in meanwhile. */
function applyRestore(state: KindState, removal: number, rules: CopyRules): void {
  const left = state.hidden.map((copy) =>
    copy.by.has(removal) ? { ...copy, by: new Set([...copy.by].filter((other) => other !== removal)) } : copy,
  );
  for (const { record, by } of left) {
    const other = state.records.get(record.id);
    const isBack = by.size === 0 && (other === undefined || compareCopies(record, other, rules) > 0);
    if (isBack) state.records.set(record.id, record);
  }
  state.hidden = left.filter(({ by }) => by.size > 0);
}

function unixNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** What the records say of every community. */
function evidenceOf(records: Iterable<StoredRecord>): Map<string, CommunityEvidence> {
  const evidence = new Map<string, CommunityEvidence>();
  for (const record of records) {
    const known = evidence.get(record.community) ?? { id: '', judgedPosts: 0, adultPosts: 0 };
    const judged = record.kind === 'post' && record.adult !== null;
    evidence.set(record.community, {
      id: lesserId(known.id, record.communityId),
      judgedPosts: known.judgedPosts + (judged ? 1 : 0),
      adultPosts: known.adultPosts + (judged && record.adult ? 1 : 0),
    });
  }
  return evidence;
}

function lesserId(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  return compareIds(a, b) <= 0 ? a : b;
}
