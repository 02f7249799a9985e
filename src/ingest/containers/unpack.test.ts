import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { UsageError } from '../../errors.ts';
import { BrokenSource } from './byte-source.ts';
import { containerOf, unpack } from './unpack.ts';

const TEXT = Buffer.from(
  Array.from({ length: 20_000 }, (_, i) => `{"id":"a${i}","n":${(i * 7919) % 1009}}\n`).join(''),
);
const SKIPPABLE_FRAME = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

async function* chunked(content: Buffer, size: number): AsyncGenerator<Buffer> {
  yield* inPieces(content, size);
}

async function unpacked(
  content: Buffer,
  size = 10_000,
): Promise<{ text: Buffer; vouched: number; error: unknown }> {
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

function inPieces(content: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(content.length / size) }, (_, i) =>
    content.subarray(i * size, (i + 1) * size),
  );
}

const half = TEXT.length / 2;
const WHOLE: [rule: string, packed: Buffer][] = [
  ['plain', TEXT],
  ['gzip', gzipSync(TEXT)],
  [
    'gzip of several members',
    Buffer.concat([gzipSync(TEXT.subarray(0, half)), gzipSync(TEXT.subarray(half))]),
  ],
  ['gzip of many members', Buffer.concat(inPieces(TEXT, 3000).map((piece) => gzipSync(piece)))],
  ['zstd', zstd(TEXT)],
  ['zstd of several frames', Buffer.concat([zstd(TEXT.subarray(0, half)), zstd(TEXT.subarray(half))])],
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

for (const program of ['bzip2', 'xz'] as const) {
  const isThere = spawnSync(program, ['--help']).error === undefined;
  test(`unpacks ${program} by the program of the system`, {
    skip: isThere ? false : `${program} is not here`,
  }, async () => {
    const packed = execFileSync(program, ['-c'], { input: TEXT });
    assert.ok((await unpacked(packed)).text.equals(TEXT));
    const { text, error } = await unpacked(packed.subarray(0, packed.length - 20));
    assert.ok(error instanceof BrokenSource);
    assert.match(
      error.message,
      new RegExp(`^the ${program} data ends after \\d+ bytes: the file is incomplete$`),
    );
    assert.ok(TEXT.subarray(0, text.length).equals(text));
  });
}

test('a zstd frame with a window of 2 GiB is read', {
  skip: hasZstd() ? false : 'the zstd program is not here',
}, async () => {
  const packed = execFileSync('zstd', ['-q', '-c', '--long=31', '--no-content-size', '-'], { input: TEXT });
  assert.ok((await unpacked(packed)).text.equals(TEXT));
});

function hasZstd(): boolean {
  return spawnSync('zstd', ['--version']).error === undefined;
}

for (const [name, packed, garbages] of [
  ['zstd', zstd(TEXT), [Buffer.from('garbage'), Buffer.alloc(100)]],
  ['gzip', gzipSync(TEXT), [Buffer.from('garbage'), Buffer.from([0x1f, 0x8b])]],
] as const) {
  test(`something behind the ${name} data is told, and all of the data is there`, async () => {
    for (const garbage of garbages) {
      for (const size of [1_000_000, 997]) {
        const { text, vouched, error } = await unpacked(Buffer.concat([packed, garbage]), size);
        assert.ok(error instanceof BrokenSource);
        assert.equal(
          error.message,
          `the ${name} data ends at byte ${packed.length}, and something else follows: not read`,
        );
        assert.ok(text.equals(TEXT));
        assert.equal(vouched, TEXT.length);
      }
    }
  });
}

test('data that breaks off is told, and what came before is there', async () => {
  for (const [name, packed] of [
    ['zstd', zstd(TEXT)],
    ['gzip', gzipSync(TEXT)],
  ] as const) {
    const { text, vouched, error } = await unpacked(packed.subarray(0, packed.length - 8));
    assert.equal(vouched, 0);
    assert.ok(error instanceof BrokenSource);
    assert.match(
      error.message,
      new RegExp(`^the ${name} data ends after \\d+ bytes: the file is incomplete$`),
    );
    assert.ok(TEXT.subarray(0, text.length).equals(text));
  }
});

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
