// Segments that are a dictionary and little else, for tests of merging.

import { DictionaryWriter } from '../src/engines/embedded/format/dictionary-writer.ts';
import { FactDraft } from '../src/engines/embedded/format/fact-columns.ts';
import { writeColumns } from '../src/engines/embedded/format/segment-columns.ts';
import { MemorySink, SegmentWriter } from '../src/engines/embedded/format/segment-writer.ts';
import { loadMemorySegment, Segment } from '../src/engines/embedded/index/segment.ts';

/** A segment in memory with these lists of docIds, which go up, by key. */
export function segmentOfLists(lists: ReadonlyMap<string, readonly number[]>, docs: number): Segment {
  const sink = new MemorySink();
  const out = new SegmentWriter(sink);
  out.section('records', new Uint8Array(0));
  out.beginSection();
  const dictionary = new DictionaryWriter(out, docs);
  for (const key of [...lists.keys()].sort((a, b) => (a < b ? -1 : 1))) {
    dictionary.add(key, Uint32Array.from(lists.get(key)!), lists.get(key)!.length);
  }
  const blocks = dictionary.finish();
  out.endSection('postings');
  const none = new Uint32Array(0);
  const columns = {
    symbols: null,
    created: none,
    score: new Int32Array(0),
    place: none,
    domain: none,
    rows: none,
    facts: new FactDraft(0),
    bloom: none,
  };
  writeColumns(out, { ...columns, places: [], domains: [], domainSets: [], blocks });
  const ids = { firstId: '', lastId: '', firstCreated: 0, lastCreated: 0 };
  out.finish({ kind: 'post', docs, ...ids, pairRule: 0 });
  return new Segment(loadMemorySegment('one', sink.bytes()));
}
