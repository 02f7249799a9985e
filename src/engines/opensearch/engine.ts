// The engine whose index is in an OpenSearch cluster: what each call of SearchEngine leads to, and in which order.

import { ServiceError } from '../../errors.ts';
import type { Coverage } from '../../model/coverage.ts';
import {
  type Answer,
  type Answers,
  type AskOptions,
  type Checkpoint,
  type IndexReport,
  type KindStats,
  kindOfAll,
  type LastArrival,
  type NamedRecords,
  type NamedRequest,
  type OneOfMany,
  type PurgeReport,
  type Question,
  type SearchEngine,
} from '../../model/engine.ts';
import { EngineLimit, EngineUnavailable, type IndexDamage } from '../../model/engine-errors.ts';
import type { EngineOptions } from '../../model/engine-module.ts';
import type { ExportRequest, ExportRun } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import type { Order } from '../../model/pages.ts';
import { conditionsOf, type Query } from '../../model/query.ts';
import { KINDS, type Kind, type RecordBatch, type StoredRecord } from '../../model/record.ts';
import type { Hidden, MovedRecords } from '../../model/removals.ts';
import type { ArrivalTime } from '../../model/time.ts';
import { Places } from '../../model/waiting.ts';
import { answersIn, kindsOf, namedIn } from './answering/answer.ts';
import { scanHits } from './answering/pages.ts';
import { checkPrefixes, queryIn } from './answering/queries.ts';
import { Fingerprints, isEmptyView, statsOf } from './answering/stats.ts';
import { OpenSearchRefusal, type OpenSearchSettings, type Patience } from './cluster/client.ts';
import { Deadline } from './cluster/deadline.ts';
import { arrivalOf } from './cluster/documents.ts';
import { Searcher } from './cluster/search.ts';
import { Exports } from './exports/exports.ts';
import { Removing } from './removing/removing.ts';
import { CheckedClient } from './state/checked-client.ts';
import { lookAt } from './state/index-check.ts';
import { type AskedKinds, Reader, type ViewsOf } from './state/reader.ts';
import { type Store, storeOf } from './state/store.ts';
import type { View } from './state/views.ts';
import { indexBatch, Pace } from './writing/writer.ts';

/** How long a cluster may take until it is not ready, in milliseconds. */
const READY_MS = 2_000;

/**
 * Makes nothing before the first record. Throws a StorageError for a wrong cluster (state/checked-client.ts). If it is
 * out of reach, the engine opens, and its calls throw. `patience`: absent parts have defaults.
 */
export async function openOpenSearchEngine(
  settings: OpenSearchSettings,
  options: EngineOptions,
  patience?: Partial<Patience>,
): Promise<SearchEngine> {
  const client = await CheckedClient.open(settings, { identity: options.identity, patience });
  return new OpenSearchEngine(storeOf(client, settings, options));
}

class OpenSearchEngine implements SearchEngine {
  readonly #store: Store;
  /** What must see each other in order, such as what changes the index: each begins when the one before has ended. */
  readonly #turns = new Places(1);
  readonly #reader: Reader;
  readonly #places = new Places(QUESTIONS_AT_ONCE, {
    words: { expected: 'room for the query at OpenSearch', found: `${QUESTIONS_AT_ONCE} others under way` },
  });
  readonly #removing: Removing;
  readonly #fingerprints: Fingerprints;
  readonly #exports: Exports;
  readonly #pace = new Pace();
  #closed: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.#reader = new Reader(store, this.#turns);
    this.#removing = new Removing(store, this.#reader.views);
    this.#fingerprints = new Fingerprints(store);
    this.#exports = new Exports(store, this.#reader, this.#fingerprints);
  }

  index(
    kind: Kind,
    packed: RecordBatch,
    checkpoint?: Checkpoint,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport> {
    return this.#change([kind], () =>
      indexBatch(this.#store, this.#pace, { kind, packed, checkpoint, arrived }),
    );
  }

  hide(removal: number, kind: Kind, what: Hidden): Promise<MovedRecords> {
    return this.#change([kind], () => this.#removing.hide(removal, kind, what));
  }

  restore(removal: number, kinds: readonly Kind[] = KINDS): Promise<MovedRecords> {
    return this.#change(kinds, () => this.#removing.restore(removal, kinds));
  }

  buried(kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    const held = this.#turns.run(() => this.#removing.buried(kind));
    // It is told by the iteration.
    held.catch(() => undefined);
    return (async function* () {
      yield* await held;
    })();
  }

  hiddenCount(kinds?: readonly Kind[]): Promise<number> {
    return this.#turns.run(() => this.#removing.hiddenCount(kinds));
  }

  lastRemoval(kind: Kind): Promise<number> {
    return this.#turns.run(() => this.#removing.lastRemoval(kind));
  }

  purge(kinds: readonly Kind[] = KINDS): Promise<PurgeReport> {
    return this.#change(kinds, () => this.#removing.purge(kinds));
  }

  async maintain(): Promise<void> {
    await this.#change([], () => this.#removing.maintain());
    // What the manifests do not know. Where it cannot be made now, whoever asks for it makes it.
    await this.fingerprints().catch(() => undefined);
  }

  refresh(): Promise<void> {
    return this.#reader.refresh();
  }

  async ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    const work = async (searcher: Searcher, views: ViewsOf) => {
      const [answer] = await answersIn(searcher, views, [question]);
      return { ...answer!, arrival: arrivalOf(views.get(question.kind)!.generation) };
    };
    return await this.#question(kindsOf([question]), work, question.timeoutMs, signal);
  }

  records(request: NamedRequest, signal?: AbortSignal): Promise<NamedRecords> {
    const work = async (searcher: Searcher, views: ViewsOf) => {
      const [found, index] = await Promise.all([
        namedIn(searcher, views, request),
        this.#fingerprints.of(searcher, views.get(request.kind)!),
      ]);
      return { ...found, index };
    };
    return this.#question(kindsOf([request]), work, request.timeoutMs, signal);
  }

  async askAll(
    questions: readonly OneOfMany[],
    { timeoutMs }: AskOptions = {},
    signal?: AbortSignal,
  ): Promise<Answers> {
    const kind = kindOfAll(questions);
    const work = async (searcher: Searcher, views: ViewsOf) => {
      const [answers, index] = await Promise.all([
        answersIn(searcher, views, questions),
        this.#fingerprints.of(searcher, views.get(kind)!),
      ]);
      return { answers, index, arrival: arrivalOf(views.get(kind)!.generation) };
    };
    return await this.#question(kindsOf(questions), work, timeoutMs, signal);
  }

  scan(kind: Kind, query: Query, order: Order, signal?: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    const holding = this.#reader.hold(kind);
    // It is told by the iteration.
    holding.catch(() => undefined);
    const searcher = new Searcher(this.#store.client, new Deadline(Infinity, signal));
    const { views } = this.#reader;
    return (async function* () {
      using held = await holding;
      const conditions = conditionsOf(query);
      await checkPrefixes(searcher, held.view, conditions);
      const scan = { query: queryIn(held.view, conditions), order, after: null };
      for await (const hits of scanHits(searcher, views, { view: held, ...scan })) {
        signal?.throwIfAborted();
        yield hits.map(({ _source }) => _source.r);
      }
    })();
  }

  export(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    return this.#exports.open(request, signal);
  }

  async isEmpty(): Promise<boolean> {
    const answers = await this.#ofEach((searcher, view) => isEmptyView(searcher, view));
    return answers.post === true && answers.comment === true;
  }

  async checkpoints(kind: Kind): Promise<ReadonlyMap<string, string>> {
    await this.#store.expectWhole(kind);
    const { checkpoints } = await this.#store.manifests[kind].read();
    return new Map(Object.entries(checkpoints));
  }

  stats(): Promise<Record<Kind, KindStats | IndexDamage>> {
    return this.#ofEach((searcher, view) => statsOf(searcher, this.#store.names, view));
  }

  fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    return this.#ofEach((searcher, view) => this.#fingerprints.of(searcher, view));
  }

  async lastArrivals(): Promise<Record<Kind, LastArrival | IndexDamage>> {
    if (!this.#reader.isStale) return await this.#ofEach(async (_, { generation }) => arrivalOf(generation));
    // An import asks behind each batch, and opens no view for that.
    const { manifests, damages } = await lookAt(this.#store.client, this.#store.settings);
    const of = (kind: Kind) => damages[kind] ?? arrivalOf(manifests[kind].generation);
    return { post: of('post'), comment: of('comment') };
  }

  batchRecords(): number {
    return this.#pace.records;
  }

  /** Whether a text is withdrawn and when its copy was made is in no field that could be counted. */
  async coverage(): Promise<Coverage> {
    throw new EngineLimit({ limit: 'not_here', what: 'months and gaps' });
  }

  /** An index that is not as it must be. Where shards of it are away, the engine is out of reach. */
  async damages(): Promise<Record<Kind, IndexDamage | null>> {
    return this.#reader.views.damages;
  }

  /** Resolves when every shard of both kinds has answered. */
  async warm(): Promise<void> {
    try {
      await this.#ofEach(isEmptyView, new Deadline(READY_MS));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new EngineUnavailable(`OpenSearch: no answer within ${READY_MS} ms`, { cause: error });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#turns.run(async () => {
      await this.#exports[Symbol.asyncDispose]();
      await this.#reader[Symbol.asyncDispose]();
      await this.#store.client[Symbol.asyncDispose]();
    });
    return this.#closed;
  }

  /** In its turn; what comes behind it sees it. What is refused by an index that is not as it must be is damage. */
  #change<T>(kinds: readonly Kind[], work: () => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof OpenSearchRefusal) for (const kind of kinds) await this.#store.expectWhole(kind);
        throw error;
      } finally {
        await this.#reader.changed();
      }
    });
  }

  /** As soon as there is a place: then its time begins. */
  #question<T>(
    kinds: AskedKinds,
    work: (searcher: Searcher, views: ViewsOf) => Promise<T>,
    timeoutMs = Infinity,
    signal?: AbortSignal,
  ): Promise<T> {
    const read = () => this.#reader.read(kinds, work, new Deadline(timeoutMs, signal));
    return this.#places.run(read, { ms: timeoutMs, signal });
  }

  /** In one view of each kind; of one that cannot be read, why. */
  async #ofEach<T>(
    work: (searcher: Searcher, view: View) => Promise<T>,
    deadline?: Deadline,
  ): Promise<Record<Kind, T | IndexDamage>> {
    const ofBoth = async (searcher: Searcher, views: ViewsOf) => {
      const of = async (view: View) => view.damage ?? (await work(searcher, view));
      const [post, comment] = await Promise.all(KINDS.map((kind) => of(views.get(kind)!)));
      return { post: post!, comment: comment! };
    };
    return await this.#reader.read({ needed: [], wanted: KINDS }, ofBoth, deadline);
  }
}

/** Of one process: as many keep several nodes at work, and as many pages are in memory here. The others wait. */
export const QUESTIONS_AT_ONCE = 32;
