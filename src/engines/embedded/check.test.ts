import assert from 'node:assert/strict';
import { closeSync, cpSync, openSync, readdirSync, readSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../../test/generators/records.ts';
import { temporaryFolder } from '../../../test/helpers.ts';
import { ofTests } from '../../../test/of-tests.ts';
import { packRecords } from '../packing/packed-records.ts';
import { checkIndex } from './check.ts';
import { openEmbeddedEngine } from './engine.ts';
import { FileSource, readFooter } from './format/segment-file.ts';
import { digestOf, ManifestDb } from './index/manifest-db.ts';

/** An index with files, small segments, merged ones and tombstones. */
async function fill(folder: string): Promise<void> {
  await using engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 });
  for (const kind of ['post', 'comment'] as const) {
    const records = fc.sample(recordArbitrary(kind), { numRuns: 4_000, seed: 5 });
    await engine.index(kind, packRecords(records));
    for (let i = 0; i < 20; i++) {
      const newer = records.slice(i * 50, i * 50 + 80).map((record) => ({ ...record, retrieved: 300 + i }));
      await engine.index(kind, packRecords(newer));
    }
    await engine.hide(1, kind, { ids: records.slice(-100).map(({ id }) => id) });
  }
}

describe('check', async () => {
  const filled = ofTests(temporaryFolder());
  await fill(filled.path);

  /** That index, in a folder of its own. */
  function copyOfIt(): ReturnType<typeof temporaryFolder> {
    const folder = temporaryFolder();
    cpSync(filled.path, folder.path, { recursive: true });
    return folder;
  }

  it('finds nothing wrong in an index of merges, replacements and removals', async () => {
    using folder = copyOfIt();
    const report = await checkIndex(folder.path);
    assert.deepEqual(report.problems, []);
    assert.ok(report.segments > 3 && report.records > 5_000, JSON.stringify(report));
  });

  it('finds nothing wrong where there is no index', async () => {
    using folder = temporaryFolder();
    assert.deepEqual(await checkIndex(folder.path), { segments: 0, records: 0, problems: [] });
  });

  it('names the segment, the section and the place of a byte that has changed, wherever it stands', async () => {
    using folder = copyOfIt();
    // Each of the many checks is of the one kind alone.
    for (const name of ['posts', 'posts.db']) rmSync(join(folder.path, name), { recursive: true });
    const files = join(folder.path, 'comments');
    const name = readdirSync(files)[0]!;
    const path = join(files, name);
    const source = new FileSource(path);
    const { sections } = readFooter(source, name);
    source.close();
    const file = openSync(path, 'r+');
    const byte = Buffer.alloc(1);
    for (const [section, { offset, length }] of Object.entries(sections)) {
      const at = offset + (length >> 1);
      if (length === 0) continue;
      readSync(file, byte, 0, 1, at);
      writeSync(file, Buffer.of(byte[0]! ^ 0x10), 0, 1, at);
      const { problems } = await checkIndex(folder.path);
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.ok(problems[0]!.startsWith(`comments/${name.replace('.seg', '')}: `), problems.join());
      const bytes = `sections? .*\\b${section}\\b.*, bytes \\d+ to \\d+: expected`;
      assert.match(problems[0]!, new RegExp(section === 'pages' ? 'checksums of pages' : bytes));
      writeSync(file, byte, 0, 1, at);
    }
    closeSync(file);
    assert.deepEqual((await checkIndex(folder.path)).problems, []);
  });

  it('sums the fingerprint anew, and tells of a segment whose part in it is another', async () => {
    using folder = copyOfIt();
    const db = new ManifestDb(join(folder.path, 'comments.db'));
    const { name, sum } = db.row('SELECT name, sum FROM segments ORDER BY docs DESC LIMIT 1')!;
    assert.match(String(sum), /^[0-9a-f]{16}$/);
    db.run('UPDATE segments SET sum = ? WHERE name = ?', '0123456789abcdef', String(name));
    db.run('UPDATE state SET digest = ?', digestOf(db));
    db.close();
    const { problems } = await checkIndex(folder.path);
    assert.deepEqual(problems, [
      `comments/${name}: expected the fingerprint ${sum} of its records, found 0123456789abcdef`,
    ]);
  });

  it('tells of a file that was cut', async () => {
    using folder = copyOfIt();
    const files = join(folder.path, 'posts');
    truncateSync(join(files, readdirSync(files)[0]!), 10_000);
    const { problems } = await checkIndex(folder.path);
    assert.match(problems.join(), /segment `.*`: expected the mark of a segment at its end/);
  });
});
