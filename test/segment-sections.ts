// A segment with another content of one section, or without it, and checksums that are right: what only a
// writer with a fault, or one of an older version, would write.

import { Buffer } from 'node:buffer';
import { FORMAT_VERSION, type Footer } from '../src/engines/embedded/format/segment-file.ts';
import { MemorySink, SegmentWriter } from '../src/engines/embedded/format/segment-writer.ts';
import type { Segment } from '../src/engines/embedded/index/segment.ts';

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
