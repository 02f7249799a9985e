import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ArchiveEntry, archive } from '../../../test/generators/archives.ts';
import { temporaryFolder } from '../../../test/helpers.ts';
import { ofTests } from '../../../test/of-tests.ts';
import { UsageError } from '../../errors.ts';
import { BrokenSource } from './byte-source.ts';
import { zipContent, zipEntries } from './zip.ts';

const folder = ofTests(temporaryFolder());

let files = 0;
function written(bytes: Buffer): string {
  const path = join(folder.path, `${files++}.zip`);
  writeFileSync(path, bytes);
  return path;
}

/** By name. */
async function contents(path: string): Promise<Record<string, string>> {
  const read: Record<string, string> = {};
  for (const entry of await zipEntries(path))
    read[entry.name] = Buffer.concat(await Array.fromAsync(zipContent(path, entry))).toString();
  return read;
}

test('entries, stored and deflated, with a comment behind and folders left out', async () => {
  const entries = [
    { name: 'folder/', content: '', method: 0 },
    { name: 'folder/a.csv', content: 'id\n'.repeat(10_000) },
    { name: 'Grüße.json', content: '{}', method: 0 },
    { name: 'empty', content: '', method: 0 },
  ] as const;
  const expected = Object.fromEntries(entries.slice(1).map(({ name, content }) => [name, content]));
  assert.deepEqual(await contents(written(archive(entries, 'a comment'))), expected);
});

test('entries that cannot be read say why', async () => {
  const cases: [ArchiveEntry, typeof UsageError | typeof BrokenSource, RegExp][] = [
    [{ name: 'a', content: 'x', flags: 1 }, UsageError, /without a password/],
    [{ name: 'a', content: 'x', method: 12 }, UsageError, /found method 12/],
    [{ name: 'a', content: 'x', crc: 1 }, BrokenSource, /checksum differs/],
  ];
  for (const [entry, kind, message] of cases) {
    const isTold = (error: Error) => error instanceof kind && message.test(error.message);
    await assert.rejects(contents(written(archive([entry]))), isTold);
  }
});

test('of a damaged directory or header, entries were passed over as folders, encrypted or unknown', async () => {
  const whole = archive([
    { name: 'a', content: 'text' },
    { name: 'b', content: 'more' },
  ]);
  const directory = whole.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const second = whole.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const change = (at: number, ...bytes: number[]) => {
    const changed = Buffer.from(whole);
    changed.set(bytes, at);
    return changed;
  };
  const without = (at: number) => Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]);
  const end = whole.length - 22;
  const damages = {
    'a name of a folder': change(directory + 46, 0x2f),
    'a hidden name': change(second + 46, 0x2e),
    encrypted: change(second + 8, 1),
    'another method': change(second + 10, 12),
    'a byte less in a length': without(second + 29),
    'another offset': change(second + 42, 0xff, 0xff),
    'no entries in the end': change(end + 12, 0, 0, 0, 0, end & 0xff, end >> 8),
    'one entry in the end': change(end + 12, 47),
  };
  for (const [what, bytes] of Object.entries(damages))
    await assert.rejects(contents(written(bytes)), { name: 'BrokenSource' }, what);
});

test('entries that share their data are refused', async () => {
  const bytes = archive([
    { name: 'a', content: 'text' },
    { name: 'b', content: 'text' },
  ]);
  const second = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  bytes.writeUInt32LE(0, second + 42);
  await assert.rejects(zipEntries(written(bytes)), /its entries overlap/);
});
