// Merges what is of an older format, as merges that are due do it by and by.

import { MAX_SEGMENT_DOCS } from '../src/engines/embedded/format/posting-codec.ts';
import { FORMAT_VERSION } from '../src/engines/embedded/format/segment-file.ts';
import { KindStore } from '../src/engines/embedded/index/kind-store.ts';
import type { Kind } from '../src/model/record.ts';
import { WholeThread } from './whole-thread.ts';

/** Merges up to `most` segments of older formats into one of today's; false: there are none. Nobody else may write. */
export function mergeSomeOlder(folder: string, kind: Kind, most: number): boolean {
  const store = new KindStore(folder, kind);
  const thread = new WholeThread({ folder, rules: { keepOriginals: false } });
  try {
    store.refresh();
    thread.show(store.current);
    const names: string[] = [];
    let docs = 0;
    for (const { data } of store.current.segments) {
      const fits = docs + data.footer.docs <= MAX_SEGMENT_DOCS && names.length < most;
      if (data.footer.version === FORMAT_VERSION || !fits) continue;
      names.push(data.name);
      docs += data.footer.docs;
    }
    if (names.length === 0) return false;
    const result = thread.writing.prepareMerge(kind, { names, seconds: [], erases: true });
    if (!thread.writing.commitMerge(kind, result)) throw new Error('expected the merge to be committed');
    return true;
  } finally {
    thread.close();
    store.close();
  }
}

/** Of the segments of a kind, up. */
export function formatsOf(folder: string, kind: Kind): number[] {
  const store = new KindStore(folder, kind);
  try {
    store.refresh();
    return [...new Set(store.current.segments.map(({ data }) => data.footer.version))].sort();
  } finally {
    store.close();
  }
}
