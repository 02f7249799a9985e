// Zip and gzip: what is whole is read whole; what is damaged ends in a word on it, never in a fault of ours.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { UsageError } from '../../src/errors.ts';
import { BrokenSource } from '../../src/ingest/containers/byte-source.ts';
import { gunzip } from '../../src/ingest/containers/gzip.ts';
import { zipContent, zipEntries } from '../../src/ingest/containers/zip.ts';
import { type ArchiveEntry, archive, gzipMember } from '../generators/archives.ts';
import { damageArbitrary, damaged } from '../generators/damage.ts';
import { temporaryFolder } from '../helpers.ts';
import type { FuzzProperty } from './property.ts';

const content = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.tuple(fc.string({ minLength: 1 }), fc.nat(5_000)).map(([text, times]) => text.repeat(times)),
);
/** Of a file that is read: hidden files and folders are not. */
const name = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replaceAll(/[/\0]|^\./g, '_'));
const entry: fc.Arbitrary<ArchiveEntry> = fc.record({
  name,
  content,
  method: fc.constantFrom(0 as const, 8 as const),
  isZip64: fc.boolean(),
});
const entries = fc.array(entry, { maxLength: 5 });
/** Signatures and the largest numbers of a header. */
const SIGNS = ['504b0304', '504b0102', '504b0506', '504b0606', '1f8b08', 'ffffffff', '00000000'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
const damages = fc.array(damageArbitrary(20_000, SIGNS), { minLength: 1, maxLength: 3 });
const chunkSize = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(1_000, 1 << 20));
const members = fc.array(
  fc.record({
    content,
    header: fc.record(
      { extra: fc.string(), name, comment: name, hasChecksum: fc.boolean() },
      { requiredKeys: [] },
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

async function unzipped(bytes: Buffer): Promise<[string, string][]> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'a.zip');
  writeFileSync(path, bytes);
  const read: [string, string][] = [];
  for (const found of await zipEntries(path)) {
    read.push([found.name, Buffer.concat(await Array.fromAsync(zipContent(path, found))).toString()]);
  }
  return read;
}

/** The text, and whether anything was said about it. */
async function gunzipped(bytes: Buffer, size: number): Promise<{ text: string; isTold: boolean }> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const pieces: Buffer[] = [];
  let isTold = false;
  try {
    for await (const piece of gunzip(chunks(), 1 << 16, { bytes: 0 })) pieces.push(piece);
  } catch (error) {
    if (!(error instanceof BrokenSource)) throw error;
    isTold = true;
  }
  return { text: Buffer.concat(pieces).toString(), isTold };
}

export const containerProperties: readonly FuzzProperty[] = [
  {
    name: 'zip: any archive gives its entries',
    runs: 60,
    property: fc.asyncProperty(entries, fc.string(), async (all, comment) => {
      const expected = all.map((each) => [each.name, each.content]);
      assert.deepEqual(await unzipped(archive(all, comment)), expected);
    }),
  },
  {
    name: 'zip: a damaged archive ends in a UsageError, a BrokenSource or in content',
    runs: 150,
    property: fc.asyncProperty(entries, damages, async (all, changes) => {
      await unzipped(changes.reduce(damaged, archive(all))).catch((error) => {
        if (!(error instanceof UsageError || error instanceof BrokenSource)) throw error;
      });
    }),
  },
  {
    name: 'gzip: any members, in any chunks, are one text',
    runs: 100,
    property: fc.asyncProperty(members, chunkSize, async (all, size) => {
      const bytes = Buffer.concat(all.map((each) => gzipMember(each.content, each.header)));
      const text = all.map((each) => each.content).join('');
      assert.deepEqual(await gunzipped(bytes, size), { text, isTold: false });
    }),
  },
  {
    name: 'gzip: damaged members give their text, or it is told that something is wrong',
    runs: 200,
    property: fc.asyncProperty(members, damages, chunkSize, async (all, changes, size) => {
      const whole = all.map((each) => gzipMember(each.content, each.header));
      const bytes = changes.reduce(damaged, Buffer.concat(whole));
      const { text, isTold } = await gunzipped(bytes, size);
      // Cut or doubled between two members, it is whole members all the same.
      const contents = new Set(all.map((each) => each.content));
      const isOfWholeMembers = [...contents].reduce((rest, each) => rest.replaceAll(each, ''), text) === '';
      assert.ok(isTold || isOfWholeMembers, JSON.stringify(text.slice(0, 100)));
    }),
  },
];
