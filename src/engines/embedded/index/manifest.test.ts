import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { temporaryFolder } from '../../../../test/helpers.ts';
import { ConflictError, Manifest, type NewSegment } from './manifest.ts';
import { FORMAT } from './manifest-db.ts';
import { countDead } from './segment.ts';

const SUM = { high: 1, low: 2 };

function segment(name: string): NewSegment {
  const bytes = Buffer.from(`the bytes of ${name}`.repeat(100));
  return { name, docs: 10, size: bytes.length, crc: crc32(bytes), arrival: null, sum: SUM, bytes };
}

describe('the manifest', () => {
  it('a commit for an older version is refused and changes nothing', () => {
    using folder = temporaryFolder();
    const [one, two] = [new Manifest(folder.path, 'post'), new Manifest(folder.path, 'post')];
    assert.equal(one.version(), 0);
    assert.equal(one.commit({ add: [segment('a')] }, 0), 1);
    assert.throws(() => two.commit({ add: [segment('b')] }, 0), ConflictError);
    assert.equal(two.segments()[0]!.name, 'a');
    assert.equal(two.commit({ dead: new Map([['a', [1, 2]]]) }, 1), 2);
    assert.equal(one.commit({ dead: new Map([['a', [2, 9]]]) }, 2), 3, 'deaths add up');
    assert.equal(countDead(two.dead('a')), 3);
    one.close();
    two.close();
  });

  it('hiding the same again keeps the first time and each doc once; restoring removes one removal alone', () => {
    using folder = temporaryFolder();
    const manifest = new Manifest(folder.path, 'post');
    manifest.commit({ add: [segment('a')] }, 0);
    const row = (removal: number, time: number, ...docs: number[]) => ({
      ...{ segment: 'a', removal, time, docs: Uint32Array.from(docs) },
    });
    manifest.commit({ hide: [row(1, 50, 2, 4), row(2, 60, 4)] }, 1);
    manifest.commit({ hide: [row(1, 70, 4, 5)] }, 2);
    assert.deepEqual(manifest.hidden('a'), [row(1, 50, 2, 4, 5), row(2, 60, 4)]);
    assert.equal(manifest.state().scrubDue, 50);
    manifest.commit({ restore: 1 }, 3);
    assert.deepEqual(manifest.hidden('a'), [row(2, 60, 4)]);
    assert.equal(manifest.state().revived, 4);
    manifest.commit({ drop: ['a'] }, 4);
    assert.deepEqual(manifest.hiddenBy(2), []);
    manifest.close();
  });

  it('several processes make it at once: one of them commits first, the others find it', async () => {
    using folder = temporaryFolder();
    const script = `
      import { Manifest } from ${JSON.stringify(new URL('./manifest.ts', import.meta.url).href)};
      const manifest = new Manifest(process.argv[1], 'post');
      try { process.exitCode = manifest.commit({}, 0) } catch (error) { process.exitCode = error.name === 'ConflictError' ? 2 : 3 }`;
    const codes = await Promise.all(
      Array.from({ length: 4 }, () => {
        const args = ['--input-type=module', '-e', script, folder.path];
        const child = spawn(process.execPath, args, { stdio: 'inherit' });
        return new Promise<number | null>((resolve) => child.once('exit', resolve));
      }),
    );
    assert.deepEqual(codes.sort(), [1, 2, 2, 2]);
  });

  it('that another connection still has for itself is waited for', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'posts.db');
    const holder = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
      const db = new (require('node:sqlite').DatabaseSync)(workerData);
      db.exec('BEGIN IMMEDIATE');
      parentPort.postMessage('held');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      db.close();`,
      { eval: true, workerData: path },
    );
    await once(holder, 'message');
    const manifest = new Manifest(folder.path, 'post');
    assert.equal(manifest.commit({}, 0), 1);
    manifest.close();
    await once(holder, 'exit');
  });

  it('knows sums until docs die or come back without one', () => {
    using folder = temporaryFolder();
    const manifest = new Manifest(folder.path, 'post');
    const sums = () => manifest.segments().map(({ sum }) => sum);
    const other = { high: 0xffffffff, low: 3 };
    const hide = [{ segment: 'b', removal: 1, time: 5, docs: Uint32Array.of(1) }];
    manifest.commit({ add: [segment('a'), segment('b')] }, 0);
    assert.deepEqual(sums(), [SUM, SUM]);
    manifest.commit({ dead: new Map([['a', [1]]]), sums: new Map([['a', other]]) }, 1);
    assert.deepEqual(sums(), [other, SUM]);
    manifest.commit({ dead: new Map([['a', [2]]]) }, 2);
    assert.deepEqual(sums(), [null, SUM]);
    manifest.commit({ hide }, 3);
    assert.deepEqual(sums(), [null, null]);
    manifest.commit({ sums: new Map(['a', 'b'].map((name) => [name, SUM])) }, 4);
    assert.deepEqual(sums(), [SUM, SUM]);
    manifest.commit({ restore: 1 }, 5);
    assert.deepEqual(sums(), [SUM, null]);
    manifest.verify();
    manifest.close();
  });

  it('numbers the commits that bring records in; a merge brings none, and one that fails uses no number', () => {
    using folder = temporaryFolder();
    const manifest = new Manifest(folder.path, 'post');
    const arrivals = () => manifest.segments().map(({ arrival }) => arrival);
    manifest.commit({ checkpoint: { source: 'dump', state: '1' } }, 0);
    assert.equal(manifest.state().arrivals, 1);
    const before = Math.floor(Date.now() / 1000);
    manifest.commit({ add: [segment('a'), segment('b')] }, 1);
    assert.throws(() => manifest.commit({ add: [segment('c')] }, 1), ConflictError);
    assert.throws(() => manifest.commit({ add: [segment('d'), segment('d')] }, 2));
    manifest.commit({ add: [segment('c')] }, 2);
    assert.deepEqual(arrivals(), [2, 2, 3]);
    manifest.commit({ add: [{ ...segment('e'), arrival: 3 }], drop: ['a', 'b', 'c'] }, 3);
    assert.deepEqual(arrivals(), [3]);
    assert.equal(manifest.state().arrivals, 3);
    const times = manifest.arrivalTimes([0, 1, 2, 3, 4]);
    assert.deepEqual([...times.keys()], [2, 3]);
    const after = Math.floor(Date.now() / 1000);
    for (const time of times.values()) assert.ok(time >= before && time <= after);
    manifest.close();
  });

  it('of a newer format, or from before 0.1.0, is refused with what was expected, found and to be done', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'posts.db');
    new Manifest(folder.path, 'post').commit({}, 0);
    const db = new DatabaseSync(path);
    const refused = (message: RegExp) =>
      assert.throws(() => new Manifest(folder.path, 'post').version(), { name: 'UsageError', message });
    db.exec(`UPDATE state SET format = ${FORMAT + 1}`);
    refused(new RegExp(`expected format ${FORMAT}, found ${FORMAT + 1}: .* use that one`));
    db.exec('PRAGMA application_id = 0');
    refused(/expected a database of Colloquy 0\.1\.0 or later.*import its dumps again into a new folder/);
    db.close();
  });

  const damages: readonly [string, string][] = [
    ['another version', 'UPDATE state SET version = version + 1'],
    ['another count of docs', 'UPDATE segments SET docs = docs + 1'],
    ['another name', "UPDATE segments SET name = 'c'"],
    ['another checksum', 'UPDATE segments SET crc = crc + 1'],
    ['tombstones that are gone', 'DELETE FROM tombstones'],
    ['another chunk', 'UPDATE tombstones SET chunk = 1'],
    ['hidden records that are gone', 'DELETE FROM hidden'],
    ['a removal of another number', 'UPDATE hidden SET removal = 9'],
    ['another sum', "UPDATE segments SET sum = '0000000000000000'"],
    ['another arrival', 'UPDATE segments SET arrival = arrival + 1'],
    ['another number of arrivals', 'UPDATE state SET arrivals = arrivals + 1'],
    ['another checkpoint', "UPDATE checkpoints SET state = 'other'"],
    ['another digest', 'UPDATE state SET digest = digest + 1'],
  ];
  for (const [what, sql] of damages) {
    it(`damage is found, and nothing is committed upon it: ${what}`, () => {
      using folder = temporaryFolder();
      const manifest = filled(folder.path);
      manifest.verify();
      const db = new DatabaseSync(manifest.path);
      db.exec(sql);
      db.close();
      const isTold = { name: 'StorageError', message: /posts\.db`.*run `colloquy check`/ };
      assert.throws(() => manifest.verify(), isTold);
      assert.throws(() => manifest.commit({}, manifest.version()), isTold);
      manifest.close();
    });
  }

  it('a byte of any blob, or the time of an arrival, that was not written is found when it is read', () => {
    using folder = temporaryFolder();
    const manifest = filled(folder.path);
    const db = new DatabaseSync(manifest.path);
    db.exec("UPDATE segments SET bytes = x'00'; UPDATE tombstones SET bits = zeroblob(8192)");
    db.exec("UPDATE hidden SET docs = x'01000000'; UPDATE arrivals SET time = time + 1");
    db.close();
    assert.throws(() => manifest.segmentBytes('a'), /run `colloquy check`/);
    assert.throws(() => manifest.dead('a'), /run `colloquy check`/);
    assert.throws(() => manifest.hidden('a'), /run `colloquy check`/);
    assert.throws(() => manifest.arrivalTimes([2]), /run `colloquy check`/);
    manifest.close();
  });

  it('a file that is no manifest, or broken inside, is told with its name', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'posts.db');
    writeFileSync(path, 'no manifest at all '.repeat(100));
    assert.throws(() => new Manifest(folder.path, 'post').version(), /posts\.db`.*run `colloquy check`/);
    mkdirSync(join(folder.path, 'other'));
    const whole = filled(join(folder.path, 'other'));
    whole.scrub();
    whole.close();
    const bytes = readFileSync(whole.path);
    bytes.fill(0xa5, 4096, 8192);
    writeFileSync(whole.path, bytes);
    const broken = new Manifest(join(folder.path, 'other'), 'post');
    assert.throws(() => broken.verify(), /posts\.db`.*run `colloquy check`/);
  });
});

function filled(folder: string): Manifest {
  const manifest = new Manifest(folder, 'post');
  const dead = new Map([['a', [3]]]);
  const hide = [{ segment: 'a', removal: 1, time: 5, docs: Uint32Array.of(2) }];
  manifest.commit({ add: [segment('a')], dead, hide, checkpoint: { source: 'dump', state: '1' } }, 0);
  return manifest;
}
