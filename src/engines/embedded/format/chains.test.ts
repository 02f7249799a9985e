import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CHAINS, ChainReader, ChainWriter, readChainIndex, WINDOW_BYTES } from './chains.ts';
import { type Footer, MemorySource } from './segment-file.ts';

/** Some bytes in front, as in a file. */
const OFFSET = 24;

function written(docs: readonly Uint8Array[]): { readonly source: MemorySource; readonly footer: Footer } {
  const pieces: Uint8Array[] = [Buffer.alloc(OFFSET)];
  const writer = new ChainWriter((bytes) => pieces.push(Uint8Array.from(bytes)));
  for (const bytes of docs) writer.add(Buffer.concat([Buffer.of(9), bytes]), 1, 1 + bytes.length);
  writer.finish();
  const bytes = Buffer.concat(pieces);
  const sections = { [CHAINS]: { offset: OFFSET, length: bytes.length - OFFSET, crc: 0 } };
  return { source: new MemorySource(bytes), footer: { docs: docs.length, sections } as unknown as Footer };
}

function checkRead(docs: readonly Uint8Array[], isRead: (doc: number) => boolean, gap: number): void {
  const { source, footer } = written(docs);
  const index = readChainIndex(source, footer);
  const reader = new ChainReader(source, index, docs.length, Buffer.alloc(WINDOW_BYTES), gap);
  for (const [doc, bytes] of docs.entries()) {
    if (!isRead(doc)) continue;
    reader.find(doc);
    assert.deepEqual(Uint8Array.from(reader.bytes.subarray(reader.start, reader.end)), bytes, `doc ${doc}`);
  }
}

const doc = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 120, maxLength: 300 }) },
);

describe('chains of a segment', () => {
  it('are read back, of all docs or of some, close together or far apart', () => {
    const some = fc.array(doc, { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 90 }), fc.constantFrom(1, 1_000), (docs, every, gap) =>
        checkRead(docs, (i) => i % every === 0, gap),
      ),
      { numRuns: 60 },
    );
  });

  it('may be longer than what is read at once', () => {
    const docs = Array.from({ length: 200 }, (_, i) => new Uint8Array(i % 50 === 3 ? 70_000 : i % 7).fill(i));
    for (const gap of [1, 1_000]) checkRead(docs, () => true, gap);
  });
});
