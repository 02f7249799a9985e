// The reference engine: a linear scan over records held in memory, written through to disk. It is the specification
// of what an engine answers: every other engine must agree with it, on every corpus and every query.

import { ServiceError } from '../../errors.ts';
import { type Conditions, conditionsOf } from '../../model/conditions.ts';
import { type CopyRules, mergeCopies } from '../../model/copies.ts';
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
import { batchLength, type RecordBatch, recordsOf } from '../../model/packed-records.ts';
import type { Query } from '../../model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../model/record.ts';
import { breakdownOf, pageOf, timelineOf } from './answer.ts';
import { type Commit, Journal } from './journal.ts';
import { broadPrefix, matches } from './matcher.ts';

/** Records looked at between two looks at the clock. */
const CLOCK_EVERY = 256;
const SCAN_BATCH = 1000;

interface KindState {
  readonly records: Map<string, StoredRecord>;
  readonly checkpoints: Map<string, string>;
}

/** Opens the index in this folder, made where there is none. */
export async function openReferenceEngine(
  folder: string,
  options: { readonly rules: CopyRules },
): Promise<SearchEngine> {
  const engine = new ReferenceEngine(await Journal.open(folder), options.rules);
  await engine.refresh();
  return engine;
}

class ReferenceEngine implements SearchEngine {
  readonly #journal: Journal;
  readonly #rules: CopyRules;
  readonly #state: Record<Kind, KindState> = {
    post: { records: new Map(), checkpoints: new Map() },
    comment: { records: new Map(), checkpoints: new Map() },
  };
  /** Made when asked for, dropped by every commit. */
  #evidence: Map<string, CommunityEvidence> | null = null;
  /** Reads and writes of the journal, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(journal: Journal, rules: CopyRules) {
    this.#journal = journal;
    this.#rules = rules;
  }

  index(kind: Kind, batch: RecordBatch, checkpoint?: Checkpoint): Promise<IndexReport> {
    return this.#inTurn(async () => {
      await this.#beginWrite();
      const current = this.#state[kind].records;
      const put = new Map<string, StoredRecord>();
      for (const record of recordsOf(kind, batch)) {
        const known = put.get(record.id) ?? current.get(record.id);
        const merged = known === undefined ? record : mergeCopies(known, record, this.#rules);
        if (merged !== known) put.set(record.id, merged);
      }
      const added = [...put.keys()].filter((id) => !current.has(id)).length;
      const report = { added, replaced: put.size - added, unchanged: batchLength(batch) - put.size };
      await this.#commit({ kind, put: [...put.values()], remove: [], checkpoint: checkpoint ?? null });
      return report;
    });
  }

  remove(kind: Kind, ids: readonly string[]): Promise<number> {
    return this.#inTurn(async () => {
      await this.#beginWrite();
      const remove = [...new Set(ids)].filter((id) => this.#state[kind].records.has(id));
      await this.#commit({ kind, put: [], remove, checkpoint: null });
      return remove.length;
    });
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

  async #commit(commit: Commit): Promise<void> {
    if (commit.put.length === 0 && commit.remove.length === 0 && commit.checkpoint === null) return;
    await this.#journal.append(commit);
    this.#apply(commit);
  }

  async #readNews(): Promise<void> {
    for await (const commit of this.#journal.news()) this.#apply(commit);
  }

  #apply({ kind, put, remove, checkpoint }: Commit): void {
    const { records, checkpoints } = this.#state[kind];
    for (const record of put) records.set(record.id, record);
    for (const id of remove) records.delete(id);
    if (checkpoint !== null) checkpoints.set(checkpoint.source, checkpoint.state);
    this.#evidence = null;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
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
