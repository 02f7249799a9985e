// Every format since 0.1.0 is opened, asked, written on and checked by this version; what is older is refused.
// The indexes are kept in test/fixtures/ (make-format.ts); what they are opened from is always a copy.

import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { Accounts } from '../src/accounts/accounts.ts';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import { checkIndex } from '../src/engines/embedded/check.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { TAIL_BYTES } from '../src/engines/embedded/format/segment-file.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { KINDS, type Kind, type StoredRecord } from '../src/model/record.ts';
import { segmentFiles } from './corruption.ts';
import { everything } from './engine-suite.ts';
import { askAll, type FixtureAnswers, fixtureQuestions } from './fixtures/answers.ts';
import { unpackFolder, unpackJson } from './fixtures/packed-folder.ts';
import { NO_SOURCE_FACTS, temporaryFolder } from './helpers.ts';
import { settingsOfTests } from './of-tests.ts';
import { colloquy, expectRefused } from './one-process.ts';
import { colloquy as startColloquy } from './processes.ts';
import { openReferenceEngine } from './reference/reference-engine.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const FORMATS = globSync('*.folder.zst', { cwd: fixtures }).map((file) => file.split('.')[0]!);
const rules = { keepOriginals: false };
// Of the commands that are started.
settingsOfTests({ COLLOQUY_THREADS: '0' });

const open = (folder: string) => openEmbeddedEngine(folder, { rules, workers: 0 });

function unpack(format: string, folder: string): FixtureAnswers {
  unpackFolder(readFileSync(join(fixtures, `${format}.folder.zst`)), folder);
  return unpackJson<FixtureAnswers>(readFileSync(join(fixtures, `${format}.answers.zst`)));
}

async function everyRecord(engine: SearchEngine): Promise<StoredRecord[]> {
  return [...(await everything(engine, 'post')), ...(await everything(engine, 'comment'))];
}

/** Newer copies of some, new records, in batches that make merges begin. */
async function writeOn(engine: SearchEngine, records: readonly StoredRecord[]): Promise<void> {
  for (const kind of KINDS) {
    const known = records.filter((record) => record.kind === kind);
    for (let from = 0; from < 600; from += 60) {
      const copies = known.slice(from, from + 30).map((record) => ({ ...record, score: 55, retrieved: 900 }));
      const fresh = known.slice(from + 30, from + 60).map((record) => ({ ...record, id: `n${record.id}` }));
      await engine.index(kind, packRecords([...copies, ...fresh]));
    }
  }
}

async function expectSameCoverage(engine: SearchEngine, reference: SearchEngine): Promise<void> {
  for (const kind of KINDS) {
    const request = { kind, step: 'day', communities: [] } as const;
    assert.deepEqual(await engine.coverage(request), await reference.coverage(request));
  }
}

describe('released formats', () => {
  it('there is a fixture', () => assert.ok(FORMATS.includes('format-1')));

  for (const format of FORMATS) {
    it(`${format}: answers as it did when it was written, and checks as well`, async () => {
      using folder = temporaryFolder();
      const expected = unpack(format, folder.path);
      assert.ok(expected.answers.length >= 100);
      {
        await using engine = await open(folder.path);
        const questions = expected.answers.map(({ question }) => question);
        assert.deepEqual(await askAll(engine, questions), expected);
      }
      assert.deepEqual((await checkIndex(folder.path)).problems, []);
    });

    it(`${format}: is written on and merged, and then answers as the reference engine does`, async () => {
      using folder = temporaryFolder();
      using otherFolder = temporaryFolder();
      unpack(format, folder.path);
      await using reference = await openReferenceEngine(otherFolder.path, { rules });
      {
        await using engine = await open(folder.path);
        const records = await everyRecord(engine);
        for (const kind of KINDS) {
          await reference.index(kind, packRecords(records.filter((record) => record.kind === kind)));
        }
        await expectSameCoverage(engine, reference);
        await writeOn(engine, records);
        await writeOn(reference, records);
      }
      await using engine = await open(folder.path);
      const questions = fixtureQuestions(150);
      const [own, expected] = [await askAll(engine, questions), await askAll(reference, questions)];
      assert.deepEqual(own.answers, expected.answers);
      assert.deepEqual(own.checkpoints, ['3080', '3080']);
      await expectSameCoverage(engine, reference);
      assert.deepEqual((await checkIndex(folder.path)).problems, []);
    });

    it(`${format}: what stands beside the index is read`, async () => {
      using folder = temporaryFolder();
      unpack(format, folder.path);
      await using catalogue = Catalogue.open(folder.path);
      assert.equal(catalogue.knowledgeOf(['cats']).get('cats')?.operator, false);
      assert.deepEqual(catalogue.listImports(), [
        {
          ...{ file: 'RC.zst', checksum: 'c', where: null, counts: { read: 3 }, started: 1, finished: 2 },
          ...NO_SOURCE_FACTS,
        },
      ]);
      await using accounts = Accounts.open(folder.path);
      const names = accounts.keys.list().map(({ name }) => name);
      assert.deepEqual(names, ['first']);
    });
  }

  const databases = {
    'posts.db': ['search', 'posts', 'cat'],
    'comments.db': ['search', 'comments', 'cat'],
    'catalogue.db': ['search', 'comments', 'cat'],
    'accounts.db': ['keys', 'list'],
  };
  it('a folder from before 0.1.0 is refused in one line that says to import again', async () => {
    for (const [name, words] of Object.entries(databases)) {
      using folder = temporaryFolder();
      unpack('format-1', folder.path);
      const database = new DatabaseSync(join(folder.path, name));
      database.exec('PRAGMA application_id = 0');
      database.close();
      const message = new RegExp(`^colloquy: .*${name}.*found one from before: import its dumps again `);
      expectRefused(await colloquy([...words, '--data', folder.path]), message);
    }
  });
});

describe('a newer format', () => {
  const newer: readonly [string, (folder: string, kind: Kind) => void][] = [
    [
      'of a database',
      (folder, kind) => {
        const database = new DatabaseSync(join(folder, `${kind}s.db`));
        database.exec('UPDATE state SET format = 99');
        database.close();
      },
    ],
    [
      'of a file',
      (folder, kind) => {
        const path = join(folder, segmentFiles(folder, kind)[0]!);
        writeFileSync(path, markedAs(readFileSync(path), 99));
      },
    ],
  ];
  const refused = async (words: readonly string[], folder: string) => {
    const run = words[0] === 'serve' ? startColloquy : colloquy;
    const { code, stderr } = await run([...words, '--data', folder]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /(^|\n)colloquy: .*expected format \d+, found 99: a newer .*use that one.*\n$/);
  };
  for (const [name, change] of newer) {
    it(`${name} of both kinds is refused in one line that says what to do, with exit code 2`, async () => {
      using folder = temporaryFolder();
      unpack(FORMATS.at(-1)!, folder.path);
      for (const kind of KINDS) change(folder.path, kind);
      for (const words of [['search', 'comments', 'cat'], ['stats'], ['check'], ['serve', '--port', '0']]) {
        await refused(words, folder.path);
      }
    });

    it(`${name} of one kind is refused where that kind is asked for; the other one is answered`, async () => {
      using folder = temporaryFolder();
      unpack(FORMATS.at(-1)!, folder.path);
      change(folder.path, 'post');
      await refused(['search', 'posts', 'cat'], folder.path);
      const comments = await colloquy(['search', 'comments', 'cat', '--data', folder.path]);
      assert.equal(comments.code, 0, comments.stderr);
    });
  }
});

/** A segment as a version with this number of two digits marks it. */
function markedAs(bytes: Buffer, version: number): Buffer {
  const tail = bytes.length - TAIL_BYTES;
  const json = bytes.toString('utf8', tail - bytes.readUInt32LE(tail), tail);
  const footer = Buffer.from(json.replace(/"version":\d+/, `"version":${version}`));
  const end = Buffer.alloc(TAIL_BYTES);
  end.writeUInt32LE(footer.length, 0);
  end.writeUInt32LE(crc32(footer), 4);
  end.write(`COLLOQ${version}`, 8, 'latin1');
  const marked = Buffer.concat([bytes.subarray(0, tail - Buffer.byteLength(json)), footer, end]);
  marked.write(`COLLOQ${version}`, 0, 'latin1');
  return marked;
}
