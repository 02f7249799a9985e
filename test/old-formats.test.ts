// Every format that was ever written is opened, asked, written on, merged and checked by this version.
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
import { FORMAT_VERSION, TAIL_BYTES } from '../src/engines/embedded/format/segment-file.ts';
import { Manifest } from '../src/engines/embedded/index/manifest.ts';
import { openReferenceEngine } from '../src/engines/reference/reference-engine.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { ratingUnits } from '../src/model/rating.ts';
import { KINDS, type Kind, type StoredRecord } from '../src/model/record.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { segmentFiles } from './corruption.ts';
import { fingerprintOf, madeAnew, untilSummed } from './engine-fingerprints.ts';
import { askAll, type FixtureAnswers, fixtureQuestions } from './fixtures/answers.ts';
import { unpackFolder, unpackJson } from './fixtures/packed-folder.ts';
import { NO_SOURCE_FACTS, temporaryFolder } from './helpers.ts';
import { colloquy as startColloquy } from './import/cli-helpers.ts';
import { formatsOf, mergeSomeOlder } from './merge-older.ts';
import { colloquy } from './one-process.ts';
import { wholeStats } from './whole-stats.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const FORMATS = globSync('*.folder.zst', { cwd: fixtures }).map((file) => file.split('.')[0]!);
/** Older ones have no hashes of records and no arrivals. */
const FACTS_SINCE = 3;
const numberOf = (format: string) => Number(format.slice('format-'.length));
const rules = { keepOriginals: false };
// Of the commands that are started.
process.env.COLLOQUY_THREADS = '0';

const open = (folder: string) => openEmbeddedEngine(folder, { rules, workers: 0 });

function unpack(format: string, folder: string): FixtureAnswers {
  unpackFolder(readFileSync(join(fixtures, `${format}.folder.zst`)), folder);
  return unpackJson<FixtureAnswers>(readFileSync(join(fixtures, `${format}.answers.zst`)));
}

async function everyRecord(engine: SearchEngine): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (const kind of KINDS) {
    for await (const batch of engine.scan(kind, { items: [] }, 'oldest')) records.push(...batch);
  }
  return records;
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

/** Older segments do not say in a column which texts are withdrawn. */
async function expectSameCoverage(engine: SearchEngine, reference: SearchEngine): Promise<void> {
  for (const kind of KINDS) {
    const request = { kind, step: 'day', communities: [] } as const;
    assert.deepEqual(await engine.coverage(request), await reference.coverage(request));
  }
}

describe('old formats', () => {
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

    it(`${format}: answers the same while its segments are merged one pair after the other, and when all are`, async () => {
      using folder = temporaryFolder();
      const { answers } = unpack(format, folder.path);
      await using engine = await open(folder.path);
      const questions = answers.map(({ question }) => question);
      for (const kind of KINDS) {
        assert.deepEqual(formatsOf(folder.path, kind), [numberOf(format)]);
        const own = answers.filter(({ question }) => question.kind === kind);
        const asked = own.map(({ question }) => question);
        while (mergeSomeOlder(folder.path, kind, 2)) {
          await engine.refresh();
          assert.deepEqual((await askAll(engine, asked)).answers, own);
        }
        assert.deepEqual(formatsOf(folder.path, kind), [FORMAT_VERSION]);
      }
      assert.deepEqual((await askAll(engine, questions)).answers, answers);
      // `check` compares the hashes of each record, among others.
      assert.deepEqual((await checkIndex(folder.path)).problems, []);
    });

    it(`${format}: its ratings are summed up, with a column of them or without`, async () => {
      using folder = temporaryFolder();
      unpack(format, folder.path);
      await using engine = await open(folder.path);
      const records = (await everyRecord(engine)).filter((record) => record.kind === 'comment');
      const ratings = records.flatMap(({ sentiment }) => (sentiment === null ? [] : ratingUnits(sentiment)));
      const timeline = { step: 'year', measure: 'sentiment' } as const;
      const { buckets } = (await engine.ask({ kind: 'comment', query: { items: [] }, timeline })).timeline!;
      assert.deepEqual(
        [
          buckets.reduce((sum, { rated }) => sum + rated!, 0),
          buckets.reduce((all, { sum }) => all + sum!, 0),
        ],
        [ratings.length, ratings.reduce((sum, rating) => sum + rating, 0)],
      );
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
      assert.deepEqual(
        accounts.listKeys().map(({ name }) => name),
        ['first'],
      );
    });
  }

  for (const format of FORMATS.filter((name) => numberOf(name) < FACTS_SINCE)) {
    it(`${format}: its fingerprints are made by reading, and stored by upkeep`, async () => {
      using folder = temporaryFolder();
      unpack(format, folder.path);
      const unknown = (kind: Kind) => {
        const manifest = new Manifest(folder.path, kind);
        const found = manifest.segments().filter(({ sum }) => sum === null).length;
        manifest.close();
        return found;
      };
      await using engine = await open(folder.path);
      const made = async () => await Promise.all(KINDS.map((kind) => fingerprintOf(engine, kind)));
      const expected = await Promise.all(KINDS.map((kind) => madeAnew(engine, kind)));
      assert.deepEqual(await made(), expected);
      // The second time from what is kept of the first.
      assert.deepEqual(await made(), expected);
      for (const kind of KINDS) assert.ok(unknown(kind) > 0);
      await engine.maintain();
      for (const kind of KINDS) {
        const manifest = new Manifest(folder.path, kind);
        await untilSummed(manifest);
        manifest.close();
      }
      assert.deepEqual(await made(), expected);
      assert.deepEqual((await checkIndex(folder.path)).problems, []);
    });

    it(`${format}: stats count what its records lack; an import fills in parents, but nobody knows when they came in`, async () => {
      using folder = temporaryFolder();
      unpack(format, folder.path);
      const told = async () => (await colloquy(['stats', '--data', folder.path])).stdout;
      await using engine = await open(folder.path);
      const lacking = async () => {
        await engine.refresh();
        const { post, comment } = await wholeStats(engine);
        return {
          posts: post.records,
          comments: comment.records,
          post: post.lacking,
          comment: comment.lacking,
        };
      };
      const before = await lacking();
      const { posts, comments } = before;
      assert.deepEqual(before.post, { parents: 0, arrivals: posts });
      assert.deepEqual(before.comment, { parents: comments, arrivals: comments });
      const output = await told();
      assert.ok(
        output.includes(`${comments.toLocaleString('en')} comments do not say what they answer`),
        output,
      );
      assert.ok(
        output.includes(
          `${posts.toLocaleString('en')} posts and ${comments.toLocaleString('en')} comments came in before`,
        ),
        output,
      );
      const known = (await everyRecord(engine)).filter((record) => record.kind === 'comment');
      await engine.index('comment', packRecords(known.map((record) => ({ ...record, parent: 'answered' }))));
      assert.deepEqual((await lacking()).comment, { parents: 0, arrivals: comments });
      await engine.index('comment', packRecords([{ ...known[0]!, id: 'brandnew', parent: '' }]));
      await engine.maintain();
      assert.deepEqual((await lacking()).comment, { parents: 1, arrivals: comments });
      const page = { order: 'newest', limit: comments + 1, after: null } as const;
      const answer = await engine.ask({ kind: 'comment', query: { items: [] }, page, arrived: true });
      const timed = answer.page!.records.filter((_, i) => answer.arrived![i] !== null);
      assert.equal(answer.arrived!.length, answer.page!.records.length);
      assert.deepEqual(
        timed.map(({ id }) => id),
        ['brandnew'],
      );
      assert.match(await told(), /^1 comment does not say what it answers/m);
    });
  }
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
    assert.match(
      stderr,
      /(^|\n)colloquy: .*expected format \d+ or older, found 99: a newer .*use that one.*\n$/,
    );
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
  end.write(`CLQSEG${version}`, 8, 'latin1');
  const marked = Buffer.concat([bytes.subarray(0, tail - Buffer.byteLength(json)), footer, end]);
  marked.write(`CLQSEG${version}`, 0, 'latin1');
  return marked;
}
