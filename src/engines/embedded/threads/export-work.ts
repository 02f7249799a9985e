// An export as its thread works on it: walks the matches of pinned views, leaves out what removals have taken away
// since, and hands the records to the shaper. Nothing is known here of threads: the same runs in the thread of the
// caller.

import type { ExportRequest } from '../../../model/export.ts';
import { ExportBlocks, openShaper, type WorkOfExport } from '../../shared/exports.ts';
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
import { narrowedSince, Unders } from '../matching/under.ts';
import {
  countBehind,
  nextRecords,
  type WalkedRecord,
  WalkedRecords,
  walkMatches,
} from '../paging/match-walk.ts';
import { narrowedTo, samplesOfAll } from '../paging/sample.ts';
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

/** A record that the shaper keeps back. */
interface HeldPlace extends MatchPlace {
  readonly id: string;
}

/** Counts, opens the shaper and passes over what is not wanted. Throws what `SearchEngine.export` throws. */
export async function openExport(start: ExportStart): Promise<WorkOfExport<[later: LaterView | null]>> {
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
  const opened = await openShaper(shaper, head, {
    evidence: async (communities) => evidenceOf(views, communities),
  });
  const removed = new RemovedSince(view);
  const records = new WalkedRecords();
  const next = (along: Iterator<MatchPlace>, most: number) => nextRecords(along, records, most, deadline);
  let batchRecords = FIRST_RECORDS;
  const read = (most: number) => {
    const found = next(walk, Math.min(batchRecords, most));
    batchRecords = BATCH_RECORDS;
    if (most > 0 && found.length === 0) throw new Error('expected more records, found none');
    return found;
  };
  /** Gives what was read before it was asked for, or throws what reading it threw. */
  let ahead: (() => readonly WalkedRecord[]) | null = null;
  const blocks = new ExportBlocks<WalkedRecord, HeldPlace>(head, opened, walked, {
    take: async (most) => {
      const known = ahead;
      ahead = null;
      return known === null ? read(most) : known();
    },
    recordOf: ({ record }) => record,
    areRemoved: async (some) => some.map(({ segment, doc, id }) => removed.isRemoved(segment, doc, id)),
    arrived: (items) => times && arrivalsAt(view, items).map((number) => times.time(number)),
    // Without its record, which is read again where it has to be.
    held: ({ segment, doc, id }) => ({ segment, doc, id }),
    again: function* (held) {
      const along = held.values();
      for (let found = next(along, BATCH_RECORDS); found.length > 0; found = next(along, BATCH_RECORDS))
        yield found;
    },
  });
  return {
    head,
    next: (later) => {
      if (later !== null) removed.show(later);
      return blocks.next(later !== null);
    },
    readAhead: () => {
      if (ahead !== null) return;
      try {
        const found = read(blocks.most);
        ahead = () => found;
      } catch (error) {
        ahead = () => {
          throw error;
        };
      }
    },
    close: () => opened.close(),
  };
}

/** What is to come, of so many matches in all. Throws what `SearchEngine.export` throws. */
function matchesOf(
  { query, under, since, sample }: ExportRequest,
  view: View,
  other: View | null,
  deadline: Deadline,
): { readonly matching: Matching; readonly matches: number } {
  const pool = new WordPool();
  const unders = new Unders(other, { free: pool, lists: pool }, deadline);
  const narrowing = narrowedSince(since, unders.narrowing(under));
  const matching = matchQuery(view, query, pool, deadline, narrowing);
  matching.check();
  const matches = totalOf(matching);
  if (sample === undefined) return { matching, matches };
  const communities = new NameTable('community');
  const means = { tableFor: () => communities, scratch: new WordPool(), deadline };
  const [places] = samplesOfAll([matching], sample, means);
  return { matching: matchQuery(view, query, pool, deadline, narrowedTo(places!, pool)), matches };
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
