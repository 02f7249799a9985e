// What an engine is: the one interface behind which records are kept and found.
// The contract in full is test/engine-conformance.ts: an engine is what passes it.

import type {
  Compared,
  ComparedRequest,
  CopiesFound,
  SamplePage,
  ScaleField,
  WordCounts,
  WordsRequest,
} from './analyses.ts';
import type { CommunityEvidence } from './community.ts';
import type { Coverage, CoverageRequest } from './coverage.ts';
import type { IndexDamage } from './engine-errors.ts';
import type { ExportRequest, ExportRun, PrintedRecords, PrintOptions } from './export.ts';
import type { IndexFingerprint } from './hash.ts';
import type {
  News,
  NewsRequest,
  Order,
  PagePosition,
  PageRequest,
  ThreadPart,
  ThreadRequest,
} from './pages.ts';
import type { Query } from './query.ts';
import type { Kind, RecordBatch, StoredRecord } from './record.ts';
import type { Hidden, MovedRecords } from './removals.ts';
import type { ArrivalTime, TimelineStep } from './time.ts';

/**
 * Kinds are independent: if one cannot be read, calls for it throw an IndexDamage. A call for several kinds handles the
 * readable ones, then throws. Any call throws an EngineUnavailable if the engine is out of reach; repeat it.
 */
export interface SearchEngine extends AsyncDisposable {
  /**
   * Adds records of one kind; they are synced to disk when it resolves. Copies of an id that is in the index,
   * or twice in the batch, are ranked and merged by `mergeCopies` (copies.ts). Records that the list of
   * removals refuses are left out and counted.
   *
   * If it rejects, any part of the batch may be in the index. The same call again leads to the same index as
   * a call that succeeds at once. `checkpoint` never takes effect before all records of the batch are in.
   *
   * `arrived`: when each record of the batch came in, as another engine tells it; absent: now.
   */
  index(
    kind: Kind,
    batch: RecordBatch,
    checkpoint?: Checkpoint,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport>;

  /**
   * Hides records from every answer at once, for good or until `restore`; works while another process writes. `removal`
   * is a number that the caller chooses, from 1; more can be hidden under it later. Returns which live records it hid,
   * by number. Synced when it resolves. If it rejects, part may be hidden, and the same call again hides the rest.
   *
   * Once it has resolved, even if it found nothing, no batch of any process brings in a record that the list of
   * removals refused when it was called: a batch that had begun before is checked against the list again. A later batch
   * may bring back what the list does not refuse.
   */
  hide(removal: number, kind: Kind, what: Hidden): Promise<MovedRecords>;

  /**
   * Shows again what was hidden under this number, of these kinds (absent: of both), unless it is erased or another
   * removal hides it. `purge` and `maintain` erase; `index` does not, save where an engine would keep too much of what
   * is hidden. If another copy has come in meanwhile, the one that ranks higher (copies.ts) stays. Returns the numbers
   * of records that are back. If it rejects, part may be back, and the same call again brings back the rest.
   */
  restore(removal: number, kinds?: readonly Kind[]): Promise<MovedRecords>;

  /**
   * Every copy of a record that no answer contains but whose text is still in the index: copies that removals
   * hide, and copies replaced by others as far as the engine knows them. In batches, in no order, from the
   * view at the call. Errors are thrown by the iteration; files of the view stay until it ends.
   */
  buried(kind: Kind): AsyncIterable<readonly StoredRecord[]>;

  /** Hidden records of these kinds (absent: both) that may still be in a file; each copy counts. */
  hiddenCount(kinds?: readonly Kind[]): Promise<number>;

  /** The largest number under which anything of this kind is hidden and not erased; 0: nothing is. */
  lastRemoval(kind: Kind): Promise<number>;

  /**
   * Erases what is hidden of these kinds (absent: of both) from every file of the index, or makes the engine
   * do so later. If another process is writing, asks that process and waits.
   */
  purge(kinds?: readonly Kind[]): Promise<PurgeReport>;

  /**
   * Merges, and erases records hidden longer than KEPT_AFTER_HIDING. Does nothing while another process writes, and
   * skips an unreadable kind. Servers call it every few minutes, imports at their end.
   */
  maintain(options?: MaintainOptions): Promise<void>;

  /**
   * Shows the commits of other processes to the next question. Cheap without changes. Never rejects for damage
   * (`damages`).
   */
  refresh(): Promise<void>;

  /**
   * Answers everything from one view of the index. Throws `query_timeout` if the work takes longer than the time
   * budget, `busy` if the question waits longer than that, an EngineLimit or an EngineUnavailable. If `signal` is
   * aborted, it rejects with the reason at once, and the work stops.
   */
  ask(question: Question, signal?: AbortSignal): Promise<Answer>;

  records(request: NamedRequest, signal?: AbortSignal): Promise<NamedRecords>;

  /**
   * Answers questions about one kind, in their order, from one view of each kind and within one time budget. Their
   * timelines share buckets (timeline.ts). Throws what `ask` throws, and a TypeError if there is no question or they
   * are of two kinds.
   */
  askAll(questions: readonly OneOfMany[], options?: AskOptions, signal?: AbortSignal): Promise<Answers>;

  /**
   * Gives every match in the order asked for, in batches, from the view at the call. Errors are thrown by the
   * iteration; a lost view is an EngineUnavailable, never a shorter result. The files of the view are kept until the
   * iteration ends, so every caller must iterate. If `signal` is aborted, it throws the reason.
   */
  scan(kind: Kind, query: Query, order: Order, signal?: AbortSignal): AsyncIterable<readonly StoredRecord[]>;

  /**
   * Every match as bytes, which a shaper makes in the engine's thread (export.ts). Resolves when the matches are
   * counted and the shaper is open. From the view at the call; there is no time budget. Throws what `ask` throws, a
   * TypeError where `after` does not belong to the order, and whatever the shaper throws. If `signal` is aborted, it
   * throws its reason, and the export ends. Closing the engine ends every export with an EngineUnavailable.
   */
  export(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun>;

  /** Whether neither kind has a record; an unreadable kind counts as having some. Cheap. Never rejects for damage. */
  isEmpty(): Promise<boolean>;

  /** The state of every import of this kind that is not complete, by source, in no order. */
  checkpoints(kind: Kind): Promise<ReadonlyMap<string, string>>;

  /** For an unreadable kind, the damage stands in place of its figures. */
  stats(): Promise<Record<Kind, KindStats | IndexDamage>>;

  /**
   * Equal for equal records, whatever the order and the batches of imports. From one view of each kind, as the last
   * `refresh` found it; for an unreadable kind, the damage.
   */
  fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>>;

  /** From one view of each kind, as the last `refresh` found it; for an unreadable kind, the damage. Cheap. */
  lastArrivals(): Promise<Record<Kind, LastArrival | IndexDamage>>;

  /**
   * The coverage of one view of a kind. Throws the kind's IndexDamage, `query_timeout`, or an EngineLimit if the engine
   * cannot tell. If `signal` is aborted, it throws the reason.
   */
  coverage(request: CoverageRequest, signal?: AbortSignal): Promise<Coverage>;

  /** Why a kind cannot be read, as the last `refresh` found it; null: it can. Never rejects for damage. */
  damages(): Promise<Record<Kind, IndexDamage | null>>;

  /** Memory that the process uses for the index. Absent, or null: the engine does not count it. */
  memoryUse?(): MemoryUse | null;

  /**
   * Starts the answering threads and resolves after a first answer. Rejects if questions cannot be answered. Cheap
   * later.
   */
  warm(): Promise<void>;

  /** Announces large batches: threads that take them start if that takes a while, also in a brief engine. */
  expectBatches?(): void;

  /** Records that a batch should have next, by what the last ones cost. Absent: as many as the caller likes. */
  batchRecords?(): number;

  [Symbol.asyncDispose](): Promise<void>;
}

export interface MemoryUse {
  readonly held: number;
  readonly budget: number;
  readonly wanted: number;
  /** Threads that answer, tables that stay in memory, and cached columns. */
  readonly parts: { readonly threads: number; readonly tables: number; readonly columns: number };
  /** Evictions since the index was opened. */
  readonly evictions: number;
}

/** How far an import has come. `state`: the importer's own text; null: complete, the checkpoint goes. */
export interface Checkpoint {
  readonly source: string;
  readonly state: string | null;
}

export interface IndexReport {
  readonly added: number;
  readonly replaced: number;
  readonly unchanged: number;
  /** Records that the list of removals refuses. All four counts add up to the batch. */
  readonly removed: number;
}

export interface PurgeReport {
  /** `now`: no file contains it. `scheduled`: it is erased later; if the engine does so, `hiddenCount` is 0 by then. */
  readonly erased: 'now' | 'scheduled';
}

/** Everything that one call asks of one kind; one pass over the matches can answer it. */
export interface Question {
  readonly kind: Kind;
  readonly query: Query;
  /**
   * Only comments whose post is in the index and matches this query, in one view of posts. Throws an EngineLimit above
   * MAX_POSTS_UNDER posts, or the IndexDamage of posts. Absent: no such condition.
   */
  readonly under?: Query;
  /**
   * Only records with an arrival above this one, which is the `arrival` of an earlier answer; absent or 0: all. Costs
   * what came in, not what is there. Records with an unknown arrival match only 0.
   */
  readonly since?: number;
  /**
   * A second query of the same kind, of which the matches are a share: its matches are counted too. `under` and `since`
   * apply to both.
   */
  readonly of?: Query;
  readonly page?: PageRequest | SamplePage;
  /** A page of the thread of one post, in place of `page`; of comments only. */
  readonly thread?: ThreadRequest;
  readonly breakdowns?: readonly BreakdownRequest[];
  readonly timeline?: TimelineRequest;
  /** The words of a sample, with an `of` also those of a sample of its matches. */
  readonly words?: WordsRequest;
  readonly compared?: ComparedRequest;
  readonly evidence?: boolean;
  readonly arrived?: boolean;
  /**
   * Allows the engine to give the page's records as text (`printed`), if it has a printer and another thread answers.
   * Absent: no text. Only for `ask`.
   */
  readonly print?: PrintOptions;
  readonly news?: NewsRequest;
  /**
   * Time budget in milliseconds, from the moment that a thread takes the question (0: too late); it is also the longest
   * wait for a thread. Absent: no limit.
   */
  readonly timeoutMs?: number;
}

/** A question among others; all of them share one time budget. */
export type OneOfMany = Omit<Question, 'timeoutMs'>;

export interface AskOptions {
  readonly timeoutMs?: number;
}

/** Breakdowns by name. A post has one domain; a comment has each domain that it links to. */
export type NameField = 'community' | 'domain';

export function isName(field: BreakdownField): field is NameField {
  return field === 'community' || field === 'domain';
}

/**
 * What a breakdown counts by. `copies`: texts that occur at least twice, in any spelling (`foldedText`); withdrawn
 * texts and those too short for a `textHash` are left out.
 */
export type BreakdownField = NameField | ScaleField | 'copies';

export interface BreakdownRequest {
  readonly field: BreakdownField;
  /** The most rows. A scale always has all of its rows, also those without records. */
  readonly size: number;
  /** Rows to leave out at the top; absent: none. Not for a scale. */
  readonly skip?: number;
  /** In lower case. Counts only names that start with it, in any case; `distinct` too. Absent: all. Only for names. */
  readonly prefix?: string;
  /** Also counts the different values, which is expensive for an engine of several machines. */
  readonly distinct?: boolean;
  /** Also sums up this measure, if the engine stores it; absent: nothing. */
  readonly measure?: 'sentiment';
  /**
   * Also counts each row by time, in buckets of this step. More than MAX_CELLS buckets with a record, in all rows
   * given, throw an EngineLimit. Absent, and always for `copies`: no buckets.
   */
  readonly by?: TimelineStep;
}

export interface TimelineRequest {
  /**
   * Absent: the finest with at most MAX_BUCKETS buckets. If given, more than MAX_GIVEN_BUCKETS buckets throw an
   * EngineLimit.
   */
  readonly step?: TimelineStep;
  readonly measure?: TimelineMeasure;
  /**
   * Gives the buckets between the bounds of the queries even if nothing matches, if there are both bounds. Absent:
   * none.
   */
  readonly keepsBounds?: boolean;
}

/** `fingerprint` tells whether a bucket still has the same matches; it takes a pass over all of them. */
export type TimelineMeasure = 'score' | 'sentiment' | 'fingerprint';

export function beginsWith(name: string, prefix: string): boolean {
  return name.slice(0, prefix.length).toLowerCase() === prefix;
}

export interface Answer extends OneAnswer {
  readonly arrival: LastArrival;
}

/**
 * The greatest arrival of the kind in the view that answered. As `since`, it asks for what comes in later. It rises
 * with every commit that adds records, and never falls while the index lasts. 0: nothing ever came in.
 */
export type LastArrival = number;

export interface OneAnswer {
  readonly total: number;
  readonly ofTotal?: number;
  readonly page?: Page;
  readonly thread?: ThreadPart;
  /** In the order asked for. */
  readonly breakdowns?: readonly Breakdown[];
  readonly timeline?: Timeline;
  readonly words?: WordCounts;
  readonly compared?: Compared;
  /** What records of both kinds say of the page's communities, or those of this kind if the other is unreadable. */
  readonly evidence?: ReadonlyMap<string, CommunityEvidence>;
  /** One for each record on the page, in its order, unless they are printed; none without a page. */
  readonly arrived?: readonly ArrivalTime[];
  /** The records on the page as text; the page itself has none then. */
  readonly printed?: PrintedRecords;
  readonly news?: News;
}

export interface Answers {
  /** In the order of the questions. */
  readonly answers: readonly OneAnswer[];
  /** The fingerprint of the kind in the view that answered. */
  readonly index: IndexFingerprint;
  readonly arrival: LastArrival;
}

export interface Page {
  /** In the order asked for; more than `limit` if the page would otherwise end inside a tie that may not be split. */
  readonly records: readonly StoredRecord[];
  /** Where the next page goes on; null on a page without records. */
  readonly next: PagePosition | null;
  readonly hasMore: boolean;
  readonly isShort: boolean;
}

export function namesOn(page: Page | undefined): Set<string> {
  return namesOf(page?.records ?? []);
}

export function namesOf(records: readonly StoredRecord[]): Set<string> {
  return new Set(records.map(({ community }) => community));
}

export const EMPTY_PAGE: Page = { records: [], next: null, hasMore: false, isShort: false };

export interface Breakdown {
  readonly field: BreakdownField;
  /**
   * By count descending, name (code units), and for copies the time and id of the example. A scale has its own order.
   */
  readonly rows: readonly BreakdownRow[];
  /** Number of different values of all records, in `rows` or not; absent if it was not asked for. */
  readonly distinct?: number;
}

export interface BreakdownRow {
  readonly name: string;
  readonly count: number;
  readonly of?: number;
  /** Sum and number of the ratings of the row (copies.ts), exact. Absent if they were not asked for. */
  readonly sum?: number;
  readonly rated?: number;
  /** Buckets that are not empty, ascending; absent if they were not asked for. */
  readonly by?: readonly BreakdownBucket[];
  readonly copies?: CopiesFound;
}

export interface BreakdownBucket {
  /** Unix seconds. */
  readonly start: number;
  readonly count: number;
  readonly of?: number;
}

export interface Timeline {
  readonly step: TimelineStep;
  /** Ascending, without gaps; empty if nothing matches. */
  readonly buckets: readonly TimelineBucket[];
}

export interface TimelineBucket {
  /** Unix seconds; the first one may be before the bound. */
  readonly start: number;
  readonly count: number;
  readonly of?: number;
  /**
   * Exact sum of the scores or ratings of the bucket, ratings in ten-thousandths (copies.ts). Absent if it was not
   * asked for.
   */
  readonly sum?: number;
  /** Matches with a rating. Absent if ratings were not asked for. */
  readonly rated?: number;
  /** The fingerprint of the bucket's matches. Absent if it was not asked for. */
  readonly fingerprint?: string;
}

export interface KindStats {
  readonly records: number;
  readonly communities: number;
  /** Unix seconds of the first and last record; null where there is none. */
  readonly first: number | null;
  readonly last: number | null;
  /** Number of segments: fewer are faster. 0: there are no records. */
  readonly segments: number;
  readonly bytes: number;
  readonly lacking: LackingFacts;
}

/** Records that lack a fact, because they were imported before it was stored, or because their source lacked it. */
export interface LackingFacts {
  readonly parents: number;
  readonly arrivals: number;
}

export interface MaintainOptions {
  /** Stops merging; finished merges stay. */
  readonly signal?: AbortSignal;
  readonly onMerge?: (merge: MergeStep) => void;
}

export interface MergeStep {
  readonly kind: Kind;
  readonly segments: number;
  readonly records: number;
}

export function asksCountAlone({ kind: _, query: __, ...rest }: OneOfMany): boolean {
  return Object.values(rest).every((wish) => wish === undefined);
}

/** The kind that all questions are about. Throws a TypeError where there is none. */
export function kindOfAll(questions: readonly Pick<OneOfMany, 'kind'>[]): Kind {
  const [kind, ...others] = new Set(questions.map((question) => question.kind));
  if (kind === undefined || others.length > 0) throw new TypeError('expected questions about one kind');
  return kind;
}

/** The most records of one request: all of them are held in memory. */
export const MAX_NAMED_RECORDS = 1_000;

/** The most bytes of one request, counted as on a page (pages.ts). */
export const MAX_NAMED_BYTES = 67_108_864;

export interface NamedRequest {
  readonly kind: Kind;
  readonly ids: readonly string[];
  readonly evidence?: boolean;
  readonly arrived?: boolean;
  /** More bytes than this in all throw an EngineLimit; absent: no limit. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

export interface NamedRecords {
  /** The records that were found, in the order of the ids, each once. */
  readonly records: readonly StoredRecord[];
  readonly evidence?: ReadonlyMap<string, CommunityEvidence>;
  readonly arrived?: readonly ArrivalTime[];
  readonly index: IndexFingerprint;
}
