import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { chunked } from '../../../test/helpers.ts';
import { UsageError } from '../../errors.ts';
import { BrokenSource } from './byte-source.ts';
import { containerOf, unpack } from './unpack.ts';

const TEXT = Buffer.from(
  Array.from({ length: 20_000 }, (_, i) => `{"id":"a${i}","n":${(i * 7919) % 1009}}\n`).join(''),
);
const SKIPPABLE_FRAME = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

async function unpacked(content: Buffer, size = 10_000) {
  const vouched = { bytes: 0 };
  const pieces: Buffer[] = [];
  let error: unknown = null;
  try {
    for await (const chunk of await unpack(chunked(content, size), [], vouched)) pieces.push(chunk);
  } catch (caught) {
    error = caught;
  }
  return { text: Buffer.concat(pieces), vouched: vouched.bytes, error };
}

function zstd(content: Buffer): Buffer {
  return zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

/** The pieces, each packed. */
async function packedPieces(pack: (piece: Buffer) => Buffer, size: number): Promise<Buffer> {
  return Buffer.concat((await Array.fromAsync(chunked(TEXT, size))).map(pack));
}

const half = TEXT.length / 2;
const WHOLE: [rule: string, packed: Buffer][] = [
  ['plain', TEXT],
  ['gzip', gzipSync(TEXT)],
  ['gzip of several members', await packedPieces(gzipSync, half)],
  ['gzip of many members', await packedPieces(gzipSync, 3000)],
  ['zstd', zstd(TEXT)],
  ['zstd of several frames', await packedPieces(zstd, half)],
  ['zstd with skippable frames', Buffer.concat([SKIPPABLE_FRAME, zstd(TEXT), SKIPPABLE_FRAME])],
  ['a zstd inside a gzip', gzipSync(zstd(TEXT))],
];

for (const [rule, packed] of WHOLE) {
  test(`unpacks ${rule}, whatever the chunks`, async () => {
    for (const size of [1_000_000, 997]) {
      const { text, error } = await unpacked(packed, size);
      assert.equal(error, null);
      assert.ok(text.equals(TEXT));
    }
  });
}

/** Why a program is not asked; false where it is. */
const without = (program: string) =>
  spawnSync(program, ['--help']).error === undefined ? false : `${program} is not here`;

for (const program of ['bzip2', 'xz'] as const) {
  test(`unpacks ${program} by the program of the system`, { skip: without(program) }, async () => {
    const packed = execFileSync(program, ['-c'], { input: TEXT });
    assert.ok((await unpacked(packed)).text.equals(TEXT));
    await expectIncomplete(program, packed.subarray(0, packed.length - 20));
  });
}

async function expectIncomplete(name: string, packed: Buffer): Promise<void> {
  const { text, vouched, error } = await unpacked(packed);
  assert.ok(error instanceof BrokenSource);
  assert.match(error.message, new RegExp(`^the ${name} data ends after \\d+ bytes: the file is incomplete$`));
  assert.ok(TEXT.subarray(0, text.length).equals(text));
  assert.equal(vouched, 0);
}

test('a zstd frame with a window of 2 GiB is read', { skip: without('zstd') }, async () => {
  const packed = execFileSync('zstd', ['-q', '-c', '--long=31', '--no-content-size', '-'], { input: TEXT });
  assert.ok((await unpacked(packed)).text.equals(TEXT));
});

for (const [name, pack] of Object.entries({ zstd, gzip: gzipSync })) {
  const packed = pack(TEXT);

  test(`something behind the ${name} data is told, and all of the data is there`, async () => {
    for (const garbage of [Buffer.from('garbage'), Buffer.alloc(100), Buffer.from([0x1f, 0x8b])]) {
      const { text, vouched, error } = await unpacked(Buffer.concat([packed, garbage]), 997);
      assert.ok(error instanceof BrokenSource);
      assert.match(
        error.message,
        new RegExp(`^the ${name} data ends at byte ${packed.length}, and something else`),
      );
      assert.deepEqual([text.equals(TEXT), vouched], [true, TEXT.length]);
    }
  });

  test(`${name} data that breaks off is told, and what came before is there`, () =>
    expectIncomplete(name, packed.subarray(0, packed.length - 8)));
}

test('damaged data is told', async () => {
  for (const packed of [zstd(TEXT), gzipSync(TEXT)]) {
    packed.fill(0xff, packed.length / 2, packed.length / 2 + 50);
    const { error } = await unpacked(packed);
    assert.ok(error instanceof BrokenSource, String(error));
    assert.match(error.message, /is damaged near byte \d+/);
  }
});

test('containers inside one another have an end', async () => {
  let packed = gzipSync(TEXT);
  for (let layer = 0; layer < 5; layer++) packed = gzipSync(packed);
  const { error } = await unpacked(packed);
  assert.ok(error instanceof UsageError);
  assert.match(error.message, /at most 4 nested containers/);
});

test('containers are told by their first bytes', () => {
  assert.equal(containerOf(Buffer.from('BZh91AY&SY')), 'bzip2');
  assert.equal(containerOf(Buffer.from('BZhat is this')), 'plain');
  assert.equal(containerOf(Buffer.from('PK\x03\x04')), 'zip');
  assert.equal(containerOf(Buffer.from('')), 'plain');
  assert.equal(containerOf(brotliCompressSync('text')), 'plain');
});
