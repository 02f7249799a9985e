// Dumps that are damaged, cut off, or changed while they are read: no text of them is wrong, and an intact copy makes
// the index what it would be without them.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { UsageError } from '../../src/errors.ts';
import { importExitCode } from '../../src/features/import/sources.ts';
import { archive } from '../generators/archives.ts';
import { damageArbitrary, damaged } from '../generators/damage.ts';
import {
  chunks,
  commentLine,
  digestOf,
  type ImportPlace,
  importPlace,
  postLine,
  test,
} from './import-helpers.ts';

/** Several blocks, mostly hex: in codes of one length, damage often changes letters, which checksums alone tell. */
const LINES = Array.from({ length: 400 }, (_, i) => {
  const hex = Array.from({ length: 8 }, (_, j) => createHash('sha512').update(`${i} ${j}`).digest('hex'));
  const body = `solar panels ${hex.join(' and heat pumps ')} work at night`;
  return i % 3 === 0 ? postLine(`p${i}`, { selftext: body }) : commentLine(`c${i}`, { body, score: i });
});
const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;
const [TEXT, FIRST, SECOND] = [textOf(LINES), textOf(LINES.slice(0, 250)), textOf(LINES.slice(250))];

function zstd(text: string, checksum = 1): Buffer {
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: checksum } });
}

function byProgram(name: 'bzip2' | 'xz') {
  return () => execFileSync(name, ['-c'], { input: TEXT });
}

const FORMATS: [name: string, pack: () => Buffer, needs?: string][] = [
  ['zstd', () => zstd(TEXT)],
  ['zstd of two frames', () => Buffer.concat([zstd(FIRST), zstd(SECOND)])],
  ['gzip', () => gzipSync(TEXT)],
  ['gzip of two members', () => Buffer.concat([gzipSync(FIRST), gzipSync(SECOND)])],
  ['bzip2', byProgram('bzip2'), 'bzip2'],
  ['xz', byProgram('xz'), 'xz'],
  [
    'zip',
    () => archive(Object.entries({ a: FIRST, b: SECOND }).map(([name, content]) => ({ name, content }))),
  ],
  ['zstd in gzip', () => gzipSync(zstd(TEXT))],
];

/** What the index has, by id; in batches so small that a dump is many. */
async function recordsOf(place: ImportPlace): Promise<Map<string, string>> {
  return new Map((await place.records()).map((record) => [record.id, JSON.stringify(record)]));
}

async function exitOf(place: ImportPlace, path: string): Promise<number> {
  try {
    return importExitCode(await place.run([path], { workers: 0, batchRecords: 20 }), false);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return 2;
  }
}

describe('a damaged dump', async () => {
  await using place = await importPlace();
  await place.run([place.file('a', TEXT)]);
  const whole = await recordsOf(place);
  const digest = await digestOf(place.engine);
  assert.equal(whole.size, LINES.length);

  for (const [name, pack, program] of FORMATS) {
    const isThere = program === undefined || spawnSync(program, ['--help']).error === undefined;
    it(`gives no wrong text, whatever the damage, and is healed by an intact one: ${name}`, {
      skip: isThere ? false : `${program} is not here`,
    }, async () => {
      const intact = pack();
      const damage = damageArbitrary(intact.length, [Buffer.alloc(64)]);
      const damages = fc.array(damage, { minLength: 1, maxLength: 2 });
      const property = fc.asyncProperty(damages, async (changes) => {
        await using place = await importPlace();
        const bytes = changes.reduce(damaged, intact);
        // Cut between two frames or members it is a whole dump, of fewer texts.
        fc.pre(![zstd(FIRST), gzipSync(FIRST)].some((other) => other.equals(bytes)));
        const path = place.file('a', bytes);
        const code = await exitOf(place, path);
        const found = await recordsOf(place);
        for (const [id, record] of found) assert.equal(record, whole.get(id));
        // Nothing is missing without a word.
        assert.ok(found.size === whole.size || code > 0);
        writeFileSync(path, intact);
        assert.equal(await exitOf(place, path), 0);
        assert.equal(await digestOf(place.engine), digest);
      });
      await fc.assert(property, { numRuns: 10 });
    });
  }
});

describe('a dump of which a part is damaged', () => {
  const lines = Array.from({ length: 4000 }, (_, i) =>
    commentLine(`c${i}`, { body: randomBytes(600).toString('hex') }),
  );
  const frames = [lines.slice(0, 3500), lines.slice(3500)].map((part) => zstd(`${part.join('\n')}\n`));
  const intact = Buffer.concat(frames);
  /** Of the same size, beginning and end: the same dump to an import that goes on. */
  const broken = Buffer.from(intact);
  broken[frames[0]!.length + (frames[1]!.length >> 1)]! ^= 1;

  test('gives what its checksums vouch for, and the intact one in its place is read from its beginning', async (place) => {
    const path = place.file('a.zst', broken);
    const [first] = (await place.run([path])).sources;
    assert.deepEqual([first!.state, first!.read], ['broken', 3500]);
    assert.match(first!.notes[0]!, /^the zstd data is damaged near byte \d+: .* behind what its checksums /);
    writeFileSync(path, intact);
    const [second] = (await place.run([path])).sources;
    assert.deepEqual([second!.state, second!.read, second!.resumed_behind_line], ['whole', 4000, 0]);
  });

  test('gives no more where it takes the place of one whose import was stopped', async (place) => {
    const path = place.file('a.zst', intact);
    const stopped = await place.runStopped([path], { workers: 0, batchRecords: 100 });
    assert.equal(stopped.sources[0]!.state, 'stopped');
    writeFileSync(path, broken);
    const [source] = (await place.run([path])).sources;
    assert.equal(source!.state, 'broken');
    assert.ok(source!.resumed_behind_line > 0);
    assert.equal((await recordsOf(place)).size, 3500);
  });

  test('without checksums gives nothing, if a part of it cannot be unpacked', async (place) => {
    const whole = zstd(TEXT, 0);
    const [source] = (await place.run([place.file('a.zst', whole.subarray(0, -5))])).sources;
    assert.deepEqual([source!.state, source!.read], ['broken', 0]);
  });

  test('gives no more through a pipe', async (place) => {
    const [source] = (await place.run(['-'], { input: chunks(broken) })).sources;
    assert.deepEqual([source!.state, source!.read], ['broken', 3500]);
  });

  test('is checked before it is read where it is larger than what is kept meanwhile', async (place) => {
    const text = LINES.map((line) => `${line}${' '.repeat(200_000)}\n`).join('');
    const large = zstd(text);
    const path = place.file('a.zst', large);
    large[large.length - 1]! ^= 1;
    writeFileSync(path, large);
    const [source] = (await place.run([path])).sources;
    assert.deepEqual([source!.state, source!.read], ['broken', 0]);
    large[large.length - 1]! ^= 1;
    writeFileSync(path, large);
    assert.equal((await place.run([path])).added, LINES.length);
  });
});

describe('a file that changes while it is read', () => {
  const posts = Array.from({ length: 100 }, (_, i) => postLine(`p${i}`, { selftext: 'x'.repeat(100_000) }));
  const text = posts.join('\n');
  const giveWay = (path: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const CHANGES: [what: string, change: (path: string) => void][] = [
    ['shrinks', (path) => truncateSync(path, 2_000_000)],
    ['grows', (path) => appendFileSync(path, postLine('later'))],
    ['is written again', (path) => writeFileSync(path, text.replaceAll('x', 'y'))],
    ['gives way to another', giveWay],
    ['is deleted', (path) => rmSync(path)],
  ];
  for (const [what, change] of CHANGES) {
    test(`is broken, and no file of the log: ${what}`, async (place) => {
      const path = place.file('a.ndjson', text);
      let isChanged = false;
      const onProgress = () => {
        if (!isChanged) change(path);
        isChanged = true;
      };
      const report = await place.run([path], { workers: 0, onProgress });
      assert.equal(report.sources[0]!.state, 'broken');
      assert.match(report.sources[0]!.notes[0]!, /^the file was changed, moved or deleted while it was read/);
      assert.equal(importExitCode(report, false), 1);
      const { sha256, bytes } = place.catalogue.listImports().at(-1)!;
      assert.deepEqual([sha256, bytes], [null, null]);
    });
  }
});
