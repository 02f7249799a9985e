// The matches that came in last: chosen by the column of arrivals, and read at the end.

import {
  compareNews,
  isOlder,
  type News,
  type NewsPosition,
  type NewsRequest,
  olderOn,
} from '../../../model/pages.ts';
import { UNCOUNTED } from '../../../model/time.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import type { Matching, SegmentMatches } from '../matching/matching.ts';
import { readArrivals } from '../matching/under.ts';
import { CHUNK_DOCS, type Chunk, countOf, forEach } from '../sets/chunk.ts';
import { readAll } from './sample.ts';
import type { MatchPlace } from './time-walk.ts';

/** Unix seconds of these commits, by number. */
type ArrivalTimes = (numbers: readonly number[]) => ReadonlyMap<number, number>;

/** Candidates are sorted out when there are this many times more than wanted. */
const ROOM = 4;
const LEAST_ROOM = 1_000;

export function newsOf(
  matching: Matching,
  request: NewsRequest,
  timesOf: ArrivalTimes,
  deadline: Deadline,
): News {
  const newest = new NewestFirst(request, timesOf, deadline);
  const segments = matching.segments.toSorted((a, b) => b.viewSegment.arrival - a.viewSegment.arrival);
  for (const matches of segments) {
    if (newest.isCompleteAbove(matches.viewSegment.arrival)) break;
    newest.take(matches);
  }
  return newest.news();
}

/** A match that may be among the news. */
class Candidate implements NewsPosition, MatchPlace {
  readonly arrival: number;
  readonly segment: MatchPlace['segment'];
  readonly doc: number;
  #id: string | undefined;

  constructor(arrival: number, segment: MatchPlace['segment'], doc: number) {
    this.arrival = arrival;
    this.segment = segment;
    this.doc = doc;
  }

  get created(): number {
    return this.segment.created.at(this.doc);
  }

  /** Read only if two matches have one commit and one second of creation. */
  get id(): string {
    this.#id ??= this.segment.id(this.doc);
    return this.#id;
  }
}

const arrivals = new Uint32Array(CHUNK_DOCS);

class NewestFirst {
  readonly #request: NewsRequest;
  readonly #timesOf: ArrivalTimes;
  readonly #deadline: Deadline;
  /** Unix seconds by arrival. */
  readonly #times = new Map<number, number>();
  /** The newest matches so far, and some others. */
  #candidates: Candidate[] = [];
  /** The first match that is not wanted: it tells that there are more. */
  #spare: Candidate | undefined;
  /** The number of matches older than `maxAge`, by arrival. */
  readonly #older = new Map<number, number>();

  constructor(request: NewsRequest, timesOf: ArrivalTimes, deadline: Deadline) {
    this.#request = request;
    this.#timesOf = timesOf;
    this.#deadline = deadline;
  }

  take(matches: SegmentMatches): void {
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      this.#deadline.check();
      const docs = matches.chunk(chunk);
      if (countOf(docs) === 0) continue;
      readArrivals(matches.viewSegment, chunk, arrivals);
      this.#learnTimes(docs);
      this.#takeDocs(docs, matches.segment, chunk);
    }
  }

  /** Whether nothing up to this arrival can be given any more. */
  isCompleteAbove(arrival: number): boolean {
    if (this.#request.limit === 0) return false;
    this.#sortOut();
    return this.#spare !== undefined && this.#spare.arrival > arrival;
  }

  news(): News {
    this.#sortOut();
    const { limit } = this.#request;
    const places = this.#candidates.slice(0, limit);
    const texts = readAll(places, (place, walked) => {
      this.#deadline.step();
      return walked.record(place);
    });
    const records = places.map(({ arrival }, i) => ({
      ...{ record: texts[i]!, arrival, time: this.#times.get(arrival)! },
    }));
    const hasMore = this.#candidates.length > limit;
    const { least, most } = olderOn(this.#request, records, hasMore);
    const older = [...this.#older]
      .filter(([arrival]) => arrival > least && arrival <= most)
      .sort(([a], [b]) => b - a)
      .map(([arrival, count]) => ({ arrival, time: this.#times.get(arrival)!, count }));
    return { records, hasMore, older };
  }

  /** Looks up the times of these docs' arrivals. */
  #learnTimes(docs: Chunk): void {
    const unknown = new Set<number>();
    let last = UNCOUNTED;
    forEach(docs, (doc) => {
      const arrival = arrivals[doc]!;
      if (arrival === last || arrival === UNCOUNTED) return;
      last = arrival;
      if (!this.#times.has(arrival)) unknown.add(arrival);
    });
    if (unknown.size === 0) return;
    for (const [arrival, time] of this.#timesOf([...unknown])) this.#times.set(arrival, time);
  }

  #takeDocs(docs: Chunk, segment: Segment, chunk: number): void {
    const { after, maxAge } = this.#request;
    const base = chunk * CHUNK_DOCS;
    forEach(docs, (doc) => {
      const arrival = arrivals[doc]!;
      const time = this.#times.get(arrival);
      if (time === undefined) return;
      const created = segment.created.at(base + doc);
      if (isOlder(created, time, maxAge)) {
        this.#older.set(arrival, (this.#older.get(arrival) ?? 0) + 1);
        return;
      }
      if (after !== undefined && arrival > after.arrival) return;
      const spare = this.#spare;
      if (spare !== undefined && (arrival - spare.arrival || created - spare.created) < 0) return;
      const candidate = new Candidate(arrival, segment, base + doc);
      if (after !== undefined && compareNews(candidate, after) <= 0) return;
      this.#deadline.step();
      if (this.#candidates.push(candidate) > LEAST_ROOM + ROOM * this.#request.limit) this.#sortOut();
    });
  }

  #sortOut(): void {
    this.#candidates.sort(compareNews);
    this.#candidates.splice(this.#request.limit + 1);
    this.#spare = this.#candidates[this.#request.limit];
  }
}
