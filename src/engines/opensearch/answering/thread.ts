// A page of a thread: first the time, id and parent of every match, then the records of the page.

import {
  countedBytes,
  type ThreadComment,
  type ThreadPart,
  type ThreadRequest,
} from '../../../model/pages.ts';
import type { StoredComment } from '../../../model/record.ts';
import { numbersWanted, threadPage } from '../../shared/thread-page.ts';
import { type RecordSource, timeOf } from '../cluster/documents.ts';
import { Steps } from '../cluster/hit-walk.ts';
import { SORTS } from './ordered.ts';
import type { TimedPage } from './pages.ts';
import { idsQuery } from './queries.ts';
import type { Drawn } from './sample.ts';

type ThreadPlace = Omit<Drawn, 'total'>;

type TimedThread = TimedPage & { readonly thread: ThreadPart };

/** Records fetched by their ids in one search. */
const MOST_IDS = 1_000;

/** A comment takes some 200 bytes, so one search brings many; a thread may have as many as the time budget allows. */
export async function threadIn(place: ThreadPlace, request: ThreadRequest): Promise<TimedThread> {
  const comments = await commentsIn(place);
  const sources = await sourcesOf(place, comments, request);
  const { page, thread, numbers } = threadPage(comments, request, (number) => sources.get(number)!.r);
  return { page, thread, arrived: numbers.map((number) => timeOf(sources.get(number)!.a)) };
}

/** Ordered from the oldest. */
async function commentsIn({ searcher, pit, query }: ThreadPlace): Promise<ThreadComment[]> {
  const comments: ThreadComment[] = [];
  const _source = ['r.id', 'r.created', 'r.post', 'r.parent'];
  for await (const hits of searcher.pages(pit, { query, _source, sort: SORTS.oldest }))
    for (const { _source: source } of hits) comments.push(source.r as StoredComment);
  return comments;
}

/** The records of the page, by their number. */
async function sourcesOf(
  place: ThreadPlace,
  comments: readonly ThreadComment[],
  request: ThreadRequest,
): Promise<ReadonlyMap<number, RecordSource>> {
  const { maxBytes = Infinity } = request;
  const found = new Map<number, RecordSource>();
  const steps = new Steps();
  let wanted = numbersWanted(comments, request);
  let bytes = 0;
  for (let at = 0; at < wanted.length; ) {
    const numbers = wanted.slice(at, at + Math.min(MOST_IDS, steps.most()));
    const sources = await recordsWith(
      place,
      numbers.map((number) => comments[number]!.id),
    );
    for (const number of numbers) {
      const source = sources.get(comments[number]!.id)!;
      const size = countedBytes(source.r);
      steps.count(size);
      found.set(number, source);
      const isWithin = bytes <= maxBytes;
      bytes += size;
      // The page ends here, or with the second of its last record.
      if (isWithin && bytes > maxBytes)
        wanted = numbersWanted(comments, request, Math.max(1, found.size - 1));
    }
    at += numbers.length;
  }
  return found;
}

async function recordsWith(
  { searcher, pit, query }: ThreadPlace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RecordSource>> {
  const { hits } = await searcher.search(pit, {
    ...{ query: { bool: { filter: [query, idsQuery(ids)] } }, size: ids.length, track_total_hits: false },
  });
  return new Map(hits.map(({ _id, _source }) => [_id, _source]));
}
