// Reading ahead: where a question comes to bytes that the process has not read before, they may have to come from a
// disk, and what follows too. Blocks of dictionaries, lists and rows are then asked for together, so that the question
// waits for the slowest of them and not for one after the other. Where nothing is new, this costs nothing.

import type { Conditions } from '../../../model/query.ts';
import { newPagesRead } from '../format/segment-file.ts';
import type { Segment } from '../index/segment.ts';
import { keysOf } from './plan.ts';

/** A question of the thread, which answers one at a time. */
let pagesBefore = 0;

export function beginQuestion(): void {
  pagesBefore = newPagesRead();
}

/** Whether the question has come to bytes that nobody had read. */
export function isReadingNew(): boolean {
  return newPagesRead() > pagesBefore;
}

/** The blocks of dictionaries that planning the query for these segments will look into. */
export function readBlocksAhead(segments: readonly Segment[], conditions: Conditions): void {
  for (const segment of segments) {
    for (const key of keysOf(segment, conditions)) segment.dictionary.readAhead(key);
  }
}

interface RowPlace {
  readonly segment: Segment;
  readonly doc: number;
}

/** The rows of a page: asked for together as soon as the question is seen to read what is new. */
export class RowsAhead {
  #isDone = false;

  /** To be called before each row is read. `places`: those that are not read yet, perhaps some too many. */
  look(places: () => Iterable<RowPlace>): void {
    if (this.#isDone || !isReadingNew()) return;
    this.#isDone = true;
    for (const { segment, doc } of places()) segment.readAhead(doc);
  }
}
