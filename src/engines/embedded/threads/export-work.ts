// An export as its thread works on it: walks the matches of pinned views, leaves out what removals have taken away
// since, and hands the records to the shaper. Nothing is known here of threads: the same runs in the thread of the
// caller.

import {
  EXPORT_STEP,
  type ExportBlock,
  type ExportHead,
  type ExportRequest,
  type OpenShaper,
  type RecordShaper,
} from '../../../model/export.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { ArrivalTime } from '../../../model/time.ts';
import { evidenceOf } from '../counting/column-counts.ts';
import { Manifest } from '../index/manifest.ts';
import type { ArrivalTable } from '../index/manifest-rows.ts';
import { NameTable } from '../index/names.ts';
import { isDead, type Segment } from '../index/segment.ts';
import {
  findLive,
  lastArrival,
  openView,
  type View,
  type ViewData,
  type ViewSegment,
} from '../index/view.ts';
import { Deadline, type GoneFlag } from '../matching/deadline.ts';
import { type Matching, matchQuery, totalOf } from '../matching/matching.ts';
import { narrowedBy, narrowedSince } from '../matching/under.ts';
import {
  countBehind,
  type MatchBatch,
  nextRecords,
  WalkedRecords,
  walkMatches,
} from '../paging/match-walk.ts';
import { narrowedTo, samplePlaces } from '../paging/sample.ts';
import { arrivalsAt, type MatchPlace } from '../paging/time-walk.ts';
import { WordPool } from '../sets/chunk.ts';

/** Records that a shaper is given at once. */
const BATCH_RECORDS = 1_000;
/** Of the first batch, since its code has yet to be compiled: the first byte comes sooner. */
const FIRST_RECORDS = 100;

/** What an export begins with. The views must stay whole until it is closed. */
export interface ExportStart {
  readonly folder: string;
  readonly isReadOnly: boolean;
  readonly request: ExportRequest;
  readonly view: ViewData;
  /** Of the other kind; null: it cannot be read. */
  readonly other: ViewData | null;
  readonly gone: GoneFlag;
}

type TellArrived = (places: readonly MatchPlace[]) => readonly ArrivalTime[];

interface HeldPlace extends MatchPlace {
  readonly id: string;
}

export class ExportWork {
  readonly head: ExportHead;
  readonly #shaper: RecordShaper;
  readonly #walk: Iterator<MatchPlace>;
  readonly #records = new WalkedRecords();
  readonly #removed: RemovedSince;
  readonly #deadline: Deadline;
  /** null: it is not to be told. */
  readonly #arrived: TellArrived | null;
  /** Matches walked over: passed over, given and withheld. */
  #walked: number;
  #withheld = 0;
  #batchRecords = FIRST_RECORDS;
  /** What the shaper keeps back, as far as it tells. */
  #held: HeldPlace[] = [];
  /** Gives what was read before it was asked for, or throws what reading it threw. */
  #ahead: (() => MatchBatch) | null = null;

  private constructor(
    head: ExportHead,
    shaper: RecordShaper,
    walk: Iterator<MatchPlace>,
    walked: number,
    removed: RemovedSince,
    deadline: Deadline,
    arrived: TellArrived | null,
  ) {
    this.head = head;
    this.#shaper = shaper;
    this.#walk = walk;
    this.#walked = walked;
    this.#removed = removed;
    this.#deadline = deadline;
    this.#arrived = arrived;
  }

  /** Counts, opens the shaper and passes over what is not wanted. Throws what `SearchEngine.export` throws. */
  static async open(start: ExportStart): Promise<ExportWork> {
    const { request, view: data, other: otherData, gone } = start;
    const { order, after, limit, skip = 0, shaper } = request;
    const deadline = Deadline.in(Infinity, gone);
    const view = openView(data, undefined);
    const other = otherData && openView(otherData, undefined);
    const { matching, matches } = matchesOf(request, view, other, deadline);
    const times = request.arrived === true ? arrivalTable(start) : null;
    const head = {
      matches,
      arrival: lastArrival(view),
      total: Math.min(limit ?? Infinity, countBehind(matching, order, after, deadline)),
    };
    const walk = walkMatches(matching, order, after, deadline);
    const walked = Math.min(skip, head.total);
    for (let i = 0; i < walked; i++) {
      deadline.step();
      walk.next();
    }
    const views = other === null ? [view] : [view, other];
    const { openShaper } = (await import(shaper.url)) as { readonly openShaper: OpenShaper };
    const opened = await openShaper(shaper.options, head, {
      evidence: async (communities) => evidenceOf(views, communities),
    });
    const arrived = times && ((places: readonly MatchPlace[]) => arrivedAt(view, places, times));
    return new ExportWork(head, opened, walk, walked, new RemovedSince(view), deadline, arrived);
  }

  /**
   * What comes of the next batch: nothing, where the shaper keeps it back. `later`: the view of the moment, where it is
   * another than the last one.
   */
  async next(later: LaterView | null): Promise<ExportBlock> {
    if (later !== null) this.#removed.show(later);
    const bytes = later === null ? [] : await this.#giveHeldAnew();
    const { places, records } = this.#take();
    this.#walked += records.length;
    const isStep = this.#walked % EXPORT_STEP === 0 && records.length > 0;
    bytes.push(...(await this.#give(places, records, isStep)));
    const state = isStep ? this.#shaper.state() : undefined;
    const end = this.#walked === this.head.total ? await this.#shaper.end() : null;
    return {
      bytes: end === null ? bytes : [...bytes, ...end.bytes],
      records: this.#walked - this.#withheld,
      withheld: this.#withheld,
      ...(isStep && { state }),
      ...(end !== null && { report: end.report }),
    };
  }

  /** Reads the next records while nobody waits. */
  readAhead(): void {
    if (this.#ahead !== null) return;
    try {
      const batch = this.#read();
      this.#ahead = () => batch;
    } catch (error) {
      this.#ahead = () => {
        throw error;
      };
    }
  }

  close(): void {
    this.#shaper.close();
  }

  async #give(
    places: readonly MatchPlace[],
    records: readonly StoredRecord[],
    isStep: boolean,
  ): Promise<readonly Uint8Array[]> {
    const isKept = records.map(({ id }, i) => !this.#isRemoved({ ...places[i]!, id }));
    const kept = records.filter((_, i) => isKept[i]);
    this.#withheld += records.length - kept.length;
    if (kept.length === 0 && !isStep) return [];
    const arrived = this.#arrived?.(places.filter((_, i) => isKept[i])) ?? null;
    const bytes = await this.#shaper.add(kept, isStep, arrived);
    const { held } = this.#shaper;
    if (held !== undefined) {
      for (const [i, place] of places.entries()) {
        if (isKept[i]) this.#held.push({ ...place, id: records[i]!.id });
      }
      this.#held.splice(0, this.#held.length - held.count);
    }
    return bytes;
  }

  /** Where something was removed that the shaper keeps back, all that it keeps back is read and given again. */
  async #giveHeldAnew(): Promise<Uint8Array[]> {
    if (!this.#held.some((place) => this.#isRemoved(place))) return [];
    const walk = this.#held.values();
    this.#held = [];
    this.#shaper.held!.forget();
    const bytes: Uint8Array[] = [];
    for (;;) {
      const { places, records } = nextRecords(walk, this.#records, BATCH_RECORDS, this.#deadline);
      if (records.length === 0) return bytes;
      bytes.push(...(await this.#give(places, records, false)));
    }
  }

  #isRemoved({ segment, doc, id }: HeldPlace): boolean {
    return this.#removed.isRemoved(segment, doc, id);
  }

  #take(): MatchBatch {
    const ahead = this.#ahead;
    this.#ahead = null;
    return ahead === null ? this.#read() : ahead();
  }

  /** Up to the next step. */
  #read(): MatchBatch {
    const left = this.head.total - this.#walked;
    const toStep = EXPORT_STEP - (this.#walked % EXPORT_STEP);
    const most = Math.min(this.#batchRecords, toStep, left);
    this.#batchRecords = BATCH_RECORDS;
    const batch = nextRecords(this.#walk, this.#records, most, this.#deadline);
    if (most > 0 && batch.records.length === 0) throw new Error(`expected ${left} more records, found none`);
    return batch;
  }
}

/** What is to come, of so many matches in all. Throws what `SearchEngine.export` throws. */
function matchesOf(
  { query, under, since, sample }: ExportRequest,
  view: View,
  other: View | null,
  deadline: Deadline,
): { readonly matching: Matching; readonly matches: number } {
  const pool = new WordPool();
  const isNarrowed = under !== undefined || since !== undefined;
  const narrowing = isNarrowed ? narrowedSince(since, narrowedBy(under, other, pool, deadline)) : undefined;
  const matching = matchQuery(view, query, pool, deadline, narrowing);
  matching.check();
  const matches = totalOf(matching);
  if (sample === undefined) return { matching, matches };
  const places = samplePlaces(matching, sample, new NameTable('community'), deadline);
  return { matching: matchQuery(view, query, pool, deadline, narrowedTo(places, pool)), matches };
}

/** As the times are told at this moment. */
function arrivalTable({ folder, isReadOnly, request }: ExportStart): ArrivalTable {
  const manifest = new Manifest(folder, request.kind, isReadOnly);
  try {
    return manifest.arrivalTable();
  } finally {
    manifest.close();
  }
}

function arrivedAt(view: View, places: readonly MatchPlace[], times: ArrivalTable): readonly ArrivalTime[] {
  return arrivalsAt(view, places).map((number) => times.time(number));
}

/** A later view, and whether it can tell of removals. */
export interface LaterView {
  readonly view: ViewData;
  /** False: since the first view nothing was removed, so that what a merge replaced need not be looked for by id. */
  readonly mayLack: boolean;
}

/** Which records of a view removals have taken away since: looked up in a later view. */
export class RemovedSince {
  readonly #pinned: View;
  #later: View | null = null;
  #mayLack = false;
  /** Segments of the first view as they are now; null: a merge has replaced it. Those that are the same are absent. */
  readonly #changed = new Map<Segment, ViewSegment | null>();

  constructor(pinned: View) {
    this.#pinned = pinned;
  }

  /** Answers from this view, which must stay whole until the next one is shown. */
  show({ view, mayLack }: LaterView): void {
    this.#later = openView(view, this.#later ?? this.#pinned);
    this.#mayLack = mayLack;
    this.#changed.clear();
    const byName = new Map(this.#later.segments.map((now) => [now.segment.name, now]));
    for (const { segment, deadVersion } of this.#pinned.segments) {
      const now = byName.get(segment.name) ?? null;
      if (now?.deadVersion !== deadVersion) this.#changed.set(segment, now);
    }
  }

  /**
   * Whether the record with this id, which was live at this place, is in no answer any more. One that was replaced is
   * there as another copy.
   */
  isRemoved(segment: Segment, doc: number, id: string): boolean {
    if (this.#later === null) return false;
    const now = this.#changed.get(segment);
    if (now === undefined) return false;
    const isSuspect = now === null ? this.#mayLack : isDead(now.dead, doc);
    return isSuspect && findLive(this.#later.segments, id) === null;
  }
}
