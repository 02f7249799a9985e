// A segment with another content of one section, or without it, and checksums that are right: what only a
// writer with a fault, or one of an older version, would write.

import { Buffer } from 'node:buffer';
import { DictionaryWriter } from '../src/engines/embedded/format/dictionary-writer.ts';
import { ColumnDraft, writeColumns } from '../src/engines/embedded/format/segment-columns.ts';
import { FORMAT_VERSION, type Footer } from '../src/engines/embedded/format/segment-file.ts';
import { MemorySink, SegmentWriter } from '../src/engines/embedded/format/segment-writer.ts';
import { loadMemorySegment, Segment } from '../src/engines/embedded/index/segment.ts';

/** `change` gets the bytes of the section; null: without it. Sections before it stay where they are. */
export function withSection(
  { source, data }: Segment,
  name: string,
  change: (bytes: Buffer) => Uint8Array | null,
): Uint8Array {
  const sink = new MemorySink();
  const out = new SegmentWriter(sink);
  const { sections, version, ...footer }: Footer = data.footer;
  if (version !== FORMAT_VERSION) throw new Error(`expected format ${FORMAT_VERSION}, found ${version}`);
  const inOrder = Object.entries(sections).sort(([, a], [, b]) => a.offset - b.offset);
  for (const [section, { offset, length }] of inOrder) {
    if (section === 'pages') continue;
    const bytes = Buffer.alloc(length);
    source.readInto(bytes, offset, length);
    const written = section === name ? change(bytes) : bytes;
    if (written !== null) out.section(section, written);
  }
  out.finish(footer);
  return sink.bytes();
}

/** A segment in memory with these lists of docIds, which go up, by key. */
export function segmentOfLists(lists: ReadonlyMap<string, ArrayLike<number>>, docs: number): Segment {
  const sink = new MemorySink();
  const out = new SegmentWriter(sink);
  out.section('records', new Uint8Array(0));
  out.beginSection();
  const dictionary = new DictionaryWriter(out, docs);
  for (const key of [...lists.keys()].sort((a, b) => (a < b ? -1 : 1))) {
    dictionary.add(key, Uint32Array.from(lists.get(key)!), 0, lists.get(key)!.length);
  }
  const blocks = dictionary.finish();
  out.endSection('postings');
  const names = { places: [], domains: [], domainSets: [], symbols: null };
  writeColumns(out, new ColumnDraft(0), { ...names, blocks });
  const ids = { firstId: '', lastId: '', firstCreated: 0, lastCreated: 0 };
  out.finish({ kind: 'post', docs, ...ids });
  return new Segment(loadMemorySegment('one', sink.bytes()));
}
