import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { UsageError } from '../../errors.ts';
import { BrokenSource } from './broken.ts';
import { zipContent, zipEntries } from './zip.ts';

const folder = mkdtempSync(join(tmpdir(), 'colloquy-zip-'));
after(() => rmSync(folder, { recursive: true }));

interface Entry {
  readonly name: string;
  readonly content: string;
  readonly method?: 0 | 8 | 12;
  readonly flags?: number;
  readonly crc?: number;
  readonly isZip64?: boolean;
}

/** An archive by the letter of APPNOTE.TXT, independent of the reader. */
function archive(entries: readonly Entry[], comment = ''): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method = 8, flags = 0, crc = crc32(content), isZip64 = false } of entries) {
    const data = method === 8 ? deflateRawSync(content) : Buffer.from(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    const localExtra = Buffer.from([0xfe, 0xca, 2, 0, 1, 2]);
    local.writeUInt16LE(localExtra.length, 28);
    locals.push(local, Buffer.from(name), localExtra, data);
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(flags, 8);
    header.writeUInt16LE(method, 10);
    header.writeUInt32LE(crc, 16);
    header.writeUInt32LE(isZip64 ? 0xffffffff : data.length, 20);
    header.writeUInt32LE(content.length, 24);
    header.writeUInt16LE(Buffer.byteLength(name), 28);
    header.writeUInt32LE(isZip64 ? 0xffffffff : offset, 42);
    const extra = Buffer.alloc(isZip64 ? 20 : 0);
    if (isZip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(16, 2);
      extra.writeBigUInt64LE(BigInt(data.length), 4);
      extra.writeBigUInt64LE(BigInt(offset), 12);
    }
    header.writeUInt16LE(extra.length, 30);
    directory.push(header, Buffer.from(name), extra);
    offset += local.length + Buffer.byteLength(name) + localExtra.length + data.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, listed, end, Buffer.from(comment)]);
}

let files = 0;
function written(bytes: Buffer): string {
  const path = join(folder, `${files++}.zip`);
  writeFileSync(path, bytes);
  return path;
}

async function contents(path: string): Promise<[string, string][]> {
  const read: [string, string][] = [];
  for (const entry of await zipEntries(path)) {
    read.push([entry.name, Buffer.concat(await Array.fromAsync(zipContent(path, entry))).toString()]);
  }
  return read;
}

test('entries, stored and deflated, with a comment behind and folders left out', async () => {
  const entries = [
    { name: 'folder/', content: '', method: 0 },
    { name: 'folder/a.csv', content: 'id\n'.repeat(10_000) },
    { name: 'Grüße.json', content: '{}', method: 0 },
    { name: 'empty', content: '', method: 0 },
  ] as const;
  const expected = entries.slice(1).map(({ name, content }) => [name, content]);
  assert.deepEqual(await contents(written(archive(entries, 'a comment'))), expected);
});

test('zip64 sizes are read', async () => {
  const path = written(
    archive([
      { name: 'a', content: 'text', isZip64: true },
      { name: 'b', content: 'more', isZip64: true },
    ]),
  );
  assert.deepEqual(await contents(path), [
    ['a', 'text'],
    ['b', 'more'],
  ]);
});

test('an empty archive has no entries', async () => {
  assert.deepEqual(await contents(written(archive([]))), []);
});

test('entries that cannot be read say why', async () => {
  const cases: [Entry, typeof UsageError | typeof BrokenSource, RegExp][] = [
    [{ name: 'a', content: 'x', flags: 1 }, UsageError, /without a password/],
    [{ name: 'a', content: 'x', method: 12 }, UsageError, /found method 12/],
    [{ name: 'a', content: 'x', crc: 1 }, BrokenSource, /checksum differs/],
  ];
  for (const [entry, kind, message] of cases) {
    await assert.rejects(
      contents(written(archive([entry]))),
      (error) => error instanceof kind && message.test(error.message),
    );
  }
});

test('an archive cut anywhere, or with any byte changed, ends in an error or in content, never in a crash', async () => {
  const whole = archive(
    [
      { name: 'a.csv', content: 'id,subreddit\n'.repeat(50) },
      { name: 'b', content: 'b' },
    ],
    'end',
  );
  const isExpected = (error: unknown) =>
    error instanceof UsageError ||
    error instanceof BrokenSource ||
    (error as NodeJS.ErrnoException).code !== undefined;
  for (let at = 0; at < whole.length; at += 3) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at]! + 0x7f) & 0xff;
    for (const bytes of [whole.subarray(0, at), changed]) {
      await contents(written(bytes)).catch((error) => assert.ok(isExpected(error), error));
    }
  }
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
