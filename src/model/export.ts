// Records as bytes, made in the thread that reads them: whole results (exports), and the records of a page. A shaper or
// a printer, a module that the engine loads in that thread, makes the bytes; engines know no formats.

import type { Sample } from './analyses.ts';
import type { Community, CommunityEvidence } from './community.ts';
import type { IndexDamage } from './engine-errors.ts';
import type { IndexFingerprint } from './hash.ts';
import type { Order, PagePosition } from './pages.ts';
import type { Query } from './query.ts';
import type { Kind, StoredRecord } from './record.ts';
import type { ArrivalTime } from './time.ts';

/** Records between two steps: at a step, a shaper hands out all bytes, and an interrupted export can resume. */
export const EXPORT_STEP = 50_000;

export interface ExportRequest {
  readonly kind: Kind;
  readonly query: Query;
  readonly under?: Query;
  readonly since?: number;
  readonly sample?: Sample;
  readonly order: Order;
  /** Begins after this place, which belongs to `order`; null: with the first match. */
  readonly after: PagePosition | null;
  /** Records after `after` to skip; absent: none. For an export that resumes. */
  readonly skip?: number;
  /** The exact limit, skipped records included; null: none. */
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
  /** Records that will come, skipped ones included, unless removals take some away meanwhile. */
  readonly total: number;
  /** Number of all matches, regardless of `sample`, `after` and `limit`. */
  readonly matches: number;
  readonly arrival: number;
}

export type OpenShaper = (options: unknown, head: ExportHead, view: ExportView) => Promise<RecordShaper>;

export interface ExportView {
  /** What the records of both kinds say of these communities. Communities without records are absent. */
  evidence(communities: Iterable<string>): Promise<ReadonlyMap<string, CommunityEvidence>>;
}

export interface RecordShaper {
  /**
   * Takes the next records, perhaps none. Resolves with the bytes that are ready, perhaps none. At `isStep` (a multiple
   * of EXPORT_STEP records was given, withheld ones included) it must hand out all bytes so far. `arrived`: one time
   * for each record, all told as of the same second; null: not asked for.
   */
  add(
    records: readonly StoredRecord[],
    isStep: boolean,
    arrived: readonly ArrivalTime[] | null,
  ): Promise<readonly Uint8Array[]>;
  /** At a step: what `openShaper` needs in its options to resume after it, as JSON. */
  state(): unknown;
  /** For a shaper that holds back more than a batch. */
  readonly held?: HeldRecords;
  end(): Promise<{ readonly bytes: readonly Uint8Array[]; readonly report: ShaperReport }>;
  /** Releases its resources. Called once, however the export ends, also after `end`. */
  close(): void;
}

/** Records that the shaper has taken and not handed out yet, while a removal may still take some away. */
export interface HeldRecords {
  readonly count: number;
  /** Drops them: they come again, in the same order, without removed ones. */
  forget(): void;
}

export interface ShaperReport {
  /** Of all bytes, including those before a resumption: 64 hex digits. */
  readonly sha256: string;
  readonly cutCells: number;
}

export interface ExportBlock {
  /** In pieces; there may be none at a step. The caller owns the memory. */
  readonly bytes: readonly Uint8Array[];
  readonly records: number;
  /** Records removed since the view was taken; they are not in `records`. Replaced records are given as in the view. */
  readonly withheld: number;
  /** The state of the shaper at a step; otherwise absent. */
  readonly state?: unknown;
  readonly report?: ShaperReport;
}

/** An open export. It keeps its views until it is disposed of. */
export interface ExportRun extends AsyncDisposable {
  readonly head: ExportHead;
  /** Fingerprints of the views that it reads (SearchEngine.fingerprints). Throws once it has ended. */
  fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>>;
  /**
   * To be iterated at most once; the last block has a report. A block is made when it is asked for; only the records of
   * the next batch are read ahead. Removals that any process has committed by then apply to it: the export looks for
   * them before each batch, and applies them to what the shaper can still drop (HeldRecords). So a removed record can
   * only come with the batch under way, or with up to some 100 KB that a compressor holds back. Throws what
   * `SearchEngine.scan` throws, what the shaper throws, and the signal's reason.
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
  /** Names of the fields of each record; null: the usual ones. */
  readonly fields: readonly string[] | null;
  readonly permalinkBase: string;
}

export interface PrintedRecords {
  /** All records in their order, in UTF-8, in memory of its own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Ascending offsets in `bytes` at which a community stands as JSON: knowledge from elsewhere may replace it. */
  readonly places: Uint32Array;
  /** For each place, the index of its community in `communities`. */
  readonly of: Uint32Array;
  /** Each community once, as the records show it. */
  readonly communities: readonly Community[];
}
