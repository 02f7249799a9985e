// Records as bytes, made in the thread that reads them, so that only finished bytes leave it: whole results
// (exports), then the records of a page. How records become bytes is the business of a shaper or a printer,
// modules that the engine loads in that thread; engines know nothing of formats.

import type { Sample } from './analyses.ts';
import type { Community, CommunityEvidence } from './community.ts';
import type { IndexDamage } from './engine-errors.ts';
import type { IndexFingerprint } from './hash.ts';
import type { Order, PagePosition } from './pages.ts';
import type { Query } from './query.ts';
import type { Kind, StoredRecord } from './record.ts';
import type { ArrivalTime } from './time.ts';

/** Records between two steps: a shaper then hands out all bytes, and a broken-off export can resume. */
export const EXPORT_STEP = 50_000;

export interface ExportRequest {
  readonly kind: Kind;
  readonly query: Query;
  readonly under?: Query;
  readonly since?: number;
  readonly sample?: Sample;
  readonly order: Order;
  /** Goes on behind this place, which belongs to `order`; null: from the first match. */
  readonly after: PagePosition | null;
  /** How many of the records behind `after` to pass over; absent: none. For an export that goes on. */
  readonly skip?: number;
  /** How many records at the most, exactly, those passed over included; null: all. */
  readonly limit: number | null;
  readonly arrived?: boolean;
  readonly shaper: ShaperModule;
}

export interface ShaperModule {
  /** Address of a module that exports `openShaper` (OpenShaper). */
  readonly url: string;
  readonly options: unknown;
}

export interface ExportHead {
  /** Records that will come, those passed over included, where no removal takes one away meanwhile. */
  readonly total: number;
  /** Everything that matches, whatever `sample`, `after` and `limit`. */
  readonly matches: number;
  readonly arrival: number;
}

export type OpenShaper = (options: unknown, head: ExportHead, view: ExportView) => Promise<RecordShaper>;

export interface ExportView {
  /** What the records of both kinds say of these communities; one that none has is absent. */
  evidence(communities: Iterable<string>): Promise<ReadonlyMap<string, CommunityEvidence>>;
}

export interface RecordShaper {
  /**
   * Takes the next records, none at the least. Resolves with the bytes that are ready, in pieces; none: later. At
   * `isStep` (a multiple of EXPORT_STEP records was given, withheld ones included) all bytes so far must be handed
   * out. `arrived`: of each record; null where it was not asked for. All times are told as at the same second.
   */
  add(
    records: readonly StoredRecord[],
    isStep: boolean,
    arrived: readonly ArrivalTime[] | null,
  ): Promise<readonly Uint8Array[]>;
  /** At a step: what `openShaper` needs in its options to go on behind it, as JSON can hold it. */
  state(): unknown;
  /** Of a shaper that keeps back more than a batch; absent: of all others. */
  readonly held?: HeldRecords;
  end(): Promise<{ readonly bytes: readonly Uint8Array[]; readonly report: ShaperReport }>;
  /** Lets go of what it holds. Called once, however the export ends, after `end` too. */
  close(): void;
}

/** Records that were given and not handed out, as long as a removal may still take some of them away. */
export interface HeldRecords {
  readonly count: number;
  /** As if they had never been given: they come again, in the same order, without what was removed. */
  forget(): void;
}

export interface ShaperReport {
  /** Of all bytes, those before a resumption too: 64 hex digits. */
  readonly sha256: string;
  readonly cutCells: number;
}

export interface ExportBlock {
  /** In pieces; may be none at a step. The memory is the caller's. */
  readonly bytes: readonly Uint8Array[];
  readonly records: number;
  /** Records removed since the view was taken; not among `records`. Replaced ones are given as in the view. */
  readonly withheld: number;
  /** At a step: the state of the shaper; otherwise absent. */
  readonly state?: unknown;
  readonly report?: ShaperReport;
}

/** An export under way. The view is kept until it is disposed of. */
export interface ExportRun extends AsyncDisposable {
  readonly head: ExportHead;
  /** See SearchEngine.fingerprints: of the views that all of it comes from. Throws where the export has ended. */
  fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>>;
  /**
   * To be iterated at most once; the last block has a report. A block is made when it is asked for; nothing but the
   * records of the next batch is read before. Removals that were committed by then, by any process, hold in it: they
   * are looked for before each batch of the records that make it up, and then hold too for what the shaper can still
   * forget (HeldRecords). So what was removed comes late only with the batch that was under way, or with bytes that a
   * compressor keeps back, up to some 100 KB. Throws what `SearchEngine.scan` throws, what the shaper throws, and the
   * reason of the signal.
   */
  readonly blocks: AsyncIterable<ExportBlock>;
}

export type PrintRecords = (found: FoundRecords, options: PrintOptions) => PrintedRecords;

export interface FoundRecords {
  readonly records: readonly StoredRecord[];
  readonly arrived?: readonly ArrivalTime[];
  readonly evidence?: ReadonlyMap<string, CommunityEvidence>;
}

export interface PrintOptions {
  /** Those of each record, by name; null: the usual ones. */
  readonly fields: readonly string[] | null;
  readonly permalinkBase: string;
}

export interface PrintedRecords {
  /** UTF-8, of all records in their order, with memory of its own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Ascending places in `bytes` of the communities, as JSON: knowledge from elsewhere may replace them. */
  readonly places: Uint32Array;
  /** Of each place its community, by its number in `communities`. */
  readonly of: Uint32Array;
  /** As the records show them, each once: an id that a record gives comes before what the others say. */
  readonly communities: readonly Community[];
}
