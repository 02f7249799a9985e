// An export in its thread: walks the matches of a view and gives the records to the shaper. It has its own client, so
// that parsing holds up nobody, and looks for removals before each block.

import type { Sample } from '../../../model/analyses.ts';
import type { CommunityEvidence } from '../../../model/community.ts';
import { EngineLimit, EngineUnavailable } from '../../../model/engine-errors.ts';
import type { ExportRequest } from '../../../model/export.ts';
import { conditionsOf } from '../../../model/query.ts';
import { type ArrivalTime, toldTime, unixNow } from '../../../model/time.ts';
import { ExportBlocks, openShaper, type WorkOfExport } from '../../shared/exports.ts';
import { postsUnder } from '../answering/compared.ts';
import { evidenceIn } from '../answering/evidence.ts';
import { countBehind, passOver, scanHits } from '../answering/pages.ts';
import { checkPrefixes, queryIn } from '../answering/queries.ts';
import { amongIds, type Drawn, sampleIds } from '../answering/sample.ts';
import { OpenSearchClient, type OpenSearchSettings } from '../cluster/client.ts';
import { Deadline } from '../cluster/deadline.ts';
import { arrivalOf, type RecordSource, timeOf } from '../cluster/documents.ts';
import { indexNames } from '../cluster/indices.ts';
import { type Dsl, type Hit, Searcher, ViewLost } from '../cluster/search.ts';
import { RemovedSince } from '../removing/removed-since.ts';
import { type HeldView, type View, Views } from '../state/views.ts';

/** What an export begins with. Somebody keeps the views until it is closed. */
export interface ExportStart {
  readonly settings: OpenSearchSettings;
  readonly request: ExportRequest;
  readonly view: View;
  readonly other: View;
}

/** Ids that one query may name: each search sends them all. */
const MOST_IDS = 50_000;
/** How often a search is tried whose view is lost. */
const MAX_TRIES = 3;

type Given = Pick<RecordSource, 'r' | 'a'>;

/** Counts the matches, skips the unwanted ones and opens the shaper. Throws what `SearchEngine.export` throws. */
export async function openExport(start: ExportStart, signal: AbortSignal): Promise<WorkOfExport<[]>> {
  const { settings, request, view, other } = start;
  const { order, after, limit, skip = 0, shaper } = request;
  await using opened = new AsyncDisposableStack();
  const client = opened.use(new OpenSearchClient(settings));
  const names = indexNames(settings);
  const searcher = new Searcher(client, new Deadline(Infinity, signal));
  const views = opened.use(new Views({ client, names, settings }));
  const kept = new KeptViews(views, [view, other]);
  opened.use(kept);
  const all = await walkOf(searcher, request, [view, other]);
  let query: Dsl = {};
  let [matches, count, given] = [0, 0, 0];
  const inView = <T>(work: (pit: string) => Promise<T>) => kept.using((own) => work(own(view.kind).pit!));
  if (all !== null) {
    matches = await inView((pit) => searcher.count(pit, all));
    const drawn = await inView((pit) =>
      drawnOf({ searcher, pit, query: all, total: matches }, request.sample),
    );
    query = drawn.query;
    ({ count, given } = await inView((pit) =>
      countBehind(searcher, pit, { query, order, after }, drawn.total),
    ));
  }
  const head = { matches, arrival: arrivalOf(view.generation), total: Math.min(limit ?? Infinity, count) };
  const walked = Math.min(skip, head.total);
  const behind =
    head.total === 0
      ? undefined
      : await inView((pit) => passOver(searcher, pit, { query, order, after }, given + walked));
  const evidence = (communities: Iterable<string>) =>
    kept.using((own) =>
      evidenceIn(searcher, [own(view.kind), own(other.kind)], new Set(communities)),
    ) as Promise<Map<string, CommunityEvidence>>;
  const scan = { query, order, after, behind, matches, view: kept.held(view.kind) };
  const hits = new Hits(head.total === 0 ? noHits() : scanHits(searcher, views, scan));
  opened.defer(() => hits.close());
  const openedShaper = await openShaper(shaper, head, { evidence });
  opened.defer(() => openedShaper.close());
  const removed = new RemovedSince({ client, names }, view);
  /** Unix seconds: all times of arrivals are told as at this one. */
  const now = unixNow();
  const told = (time: ArrivalTime) => (time === null ? null : toldTime(time, now));
  const blocks = new ExportBlocks<Given, Given>(head, openedShaper, walked, {
    take: async (most) => {
      const found = await hits.take(most);
      if (most > 0 && found.length === 0) {
        throw new EngineUnavailable('OpenSearch: expected more records, found none');
      }
      return found.map(({ _source }) => _source);
    },
    recordOf: ({ r }) => r,
    areRemoved: (some) => {
      const records = some.map(({ r }) => r);
      return removed.of(records, signal);
    },
    arrived: (items) => (request.arrived === true ? items.map(({ a }) => told(timeOf(a))) : null),
    held: (item) => item,
    again: (held) => [held],
  });
  const owned = opened.move();
  return {
    head,
    next: async () => await blocks.next(await removed.look(signal)),
    readAhead: () => hits.readAhead(),
    close: () => owned[Symbol.asyncDispose]().catch(() => undefined),
  };
}

/** null: nothing can match. Throws an EngineLimit. */
async function walkOf(
  searcher: Searcher,
  { kind, query, under, since }: ExportRequest,
  [view, other]: readonly [View, View],
): Promise<Dsl | null> {
  const conditions = conditionsOf(query);
  if (conditions.records !== null && conditions.records.length > MOST_IDS) {
    const what = `exports of more than ${MOST_IDS.toLocaleString('en')} ids`;
    throw new EngineLimit({ limit: 'not_here', what });
  }
  const ofPosts = kind === 'post' ? view : other;
  const posts = under === undefined ? null : await postsUnder(searcher, ofPosts, under);
  await checkPrefixes(searcher, view, conditions);
  if (view.pit === null || (kind === 'post' && posts !== null)) return null;
  return queryIn(view, conditions, { posts, since });
}

/** Restricts the walk to the sample, if there is one. Throws an EngineLimit. */
async function drawnOf(all: Drawn, sample: Sample | undefined): Promise<Pick<Drawn, 'query' | 'total'>> {
  const { query, total } = all;
  if (sample === undefined) return { query, total };
  const ids = await sampleIds(all, sample);
  if (ids.length > MOST_IDS) {
    const what = `exports of samples of more than ${MOST_IDS.toLocaleString('en')} records`;
    throw new EngineLimit({ limit: 'not_here', what });
  }
  return { query: amongIds(query, ids), total: ids.length };
}

/** Keeps the given views. Reopens one that the cluster has lost, if the index has not changed since. */
class KeptViews implements Disposable {
  readonly #views: Views;
  readonly #held: HeldView[];
  readonly #own = new DisposableStack();

  constructor(views: Views, given: readonly View[]) {
    this.#views = views;
    this.#held = given.map((view) => ({ view, [Symbol.dispose]: () => {} }));
  }

  held(kind: View['kind']): HeldView {
    return this.#held.find(({ view }) => view.kind === kind)!;
  }

  async using<T>(work: (own: (kind: View['kind']) => View) => Promise<T>): Promise<T> {
    const own = (kind: View['kind']) => this.held(kind).view;
    for (let tries = 1; ; tries++) {
      try {
        return await work(own);
      } catch (error) {
        // The walk may have reopened a view that is lost by now, too.
        if (!(error instanceof ViewLost) || tries === MAX_TRIES) throw error;
        for (const [i, held] of this.#held.entries()) {
          if (held.view.pit !== null) this.#held[i] = this.#own.use(await this.#views.holdSame(held));
        }
      }
    }
  }

  [Symbol.dispose](): void {
    this.#own.dispose();
  }
}

async function* noHits(): AsyncGenerator<readonly Hit[]> {}

/** Gives the hits of a walk in portions of any size. */
class Hits {
  readonly #walk: AsyncGenerator<readonly Hit[]>;
  #rest: readonly Hit[] = [];
  #ahead: Promise<IteratorResult<readonly Hit[]>> | null = null;

  constructor(walk: AsyncGenerator<readonly Hit[]>) {
    this.#walk = walk;
  }

  /** The next ones, at most so many; none: there are no more, or none are wanted. */
  async take(most: number): Promise<readonly Hit[]> {
    if (most === 0) return [];
    if (this.#rest.length === 0) {
      const ahead = this.#ahead ?? this.#walk.next();
      this.#ahead = null;
      const { value } = await ahead;
      this.#rest = value ?? [];
    }
    const hits = this.#rest.slice(0, most);
    this.#rest = this.#rest.slice(most);
    return hits;
  }

  readAhead(): void {
    if (this.#rest.length > 0 || this.#ahead !== null) return;
    this.#ahead = this.#walk.next();
    // Thrown when they are taken.
    this.#ahead.catch(() => {});
  }

  async close(): Promise<void> {
    await this.#ahead?.catch(() => {});
    await this.#walk.return(undefined);
  }
}
