// A page of a thread: of every match its place in time, its id and what it answers; then the records of the page.

import { compareIds } from '../../../model/pages.ts';
import type { ThreadComment, ThreadRequest } from '../../../model/thread.ts';
import { threadPage } from '../../../model/thread-page.ts';
import type { Deadline } from '../matching/deadline.ts';
import type { Matching } from '../matching/matching.ts';
import { CHUNK_DOCS, forEach } from '../sets/chunk.ts';
import type { MatchPlace } from './match-walk.ts';
import type { PlacedPage } from './top-page.ts';

type PlacedThread = PlacedPage & Pick<ReturnType<typeof threadPage>, 'thread'>;

interface FoundComment extends ThreadComment, MatchPlace {}

/** `matching` are comments. */
export function threadOf(matching: Matching, request: ThreadRequest, deadline: Deadline): PlacedThread {
  const comments = commentsOf(matching, deadline);
  const { page, thread, numbers } = threadPage(comments, request, (number) => {
    deadline.step();
    const { segment, doc } = comments[number]!;
    return segment.record(doc);
  });
  return { page, thread, places: numbers.map((number) => comments[number]!) };
}

/** From the oldest on. */
function commentsOf(matching: Matching, deadline: Deadline): FoundComment[] {
  const comments: FoundComment[] = [];
  for (const matches of matching.segments) {
    const { segment } = matches;
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      forEach(matches.chunk(chunk), (inChunk) => {
        deadline.step();
        const doc = chunk * CHUNK_DOCS + inChunk;
        comments.push({ ...segment.answered(doc), created: segment.created.at(doc), segment, doc });
      });
    }
  }
  return comments.sort((a, b) => a.created - b.created || compareIds(a.id, b.id));
}
