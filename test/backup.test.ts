// `colloquy backup`: what a copy holds, made at rest and beside an import, and what is left where it fails.

import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Accounts } from '../src/accounts/accounts.ts';
import { openApp } from '../src/app.ts';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import { readConfig } from '../src/config.ts';
import { checkIndex } from '../src/engines/embedded/check.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { createManifest } from '../src/engines/embedded/index/manifest-db.ts';
import { engineOf } from '../src/engines/engines.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { UsageError } from '../src/errors.ts';
import { writeBackup } from '../src/features/upkeep/backup.ts';
import { BATCH_RECORDS } from '../src/ingest/batcher.ts';
import { tryToLock } from '../src/sqlite/database.ts';
import { REACHED } from './archive.ts';
import { everything } from './engine-suite.ts';
import { askAll, type FixtureAnswers, fixtureQuestions } from './fixtures/answers.ts';
import { unpackFolder, unpackJson } from './fixtures/packed-folder.ts';
import { VOCABULARY } from './generators/records.ts';
import { comment, START_OF_2008, temporaryFolder } from './helpers.ts';
import { digestIn } from './import/cli-helpers.ts';
import { commentLine, postLine } from './import/import-helpers.ts';
import { expectRefused } from './one-process.ts';
import { colloquy, start, until } from './processes.ts';
import { project } from './project.ts';
import { wholeStats } from './whole-stats.ts';

const open = (folder: string) => openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 });

async function backup(data: string, target: string, signal?: AbortSignal) {
  const engine = await engineOf(readConfig());
  return await writeBackup(engine, data, target, { kept: [], ...(signal && { signal }) });
}

/** A data folder with everything in it; returns what it answers. */
function fillFolder(data: string): FixtureAnswers {
  const fixture = (suffix: string) => readFileSync(`${project}test/fixtures/format-1.${suffix}.zst`);
  unpackFolder(fixture('folder'), data);
  for (const name of ['accounts.db', 'catalogue.db']) chmodSync(join(data, name), 0o600);
  mkdirSync(join(data, 'rejects'));
  writeFileSync(join(data, 'rejects', 'dump.ndjson'), '{}\n');
  return unpackJson<FixtureAnswers>(fixture('answers'));
}

function modesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(names.sort().map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]));
}

/** A test with a folder that has room for data and a copy. */
function test(rule: string, body: (data: string, target: string, path: string) => Promise<void>): void {
  it(rule, async () => {
    using folder = temporaryFolder();
    await body(join(folder.path, 'data'), join(folder.path, 'copy'), folder.path);
  });
}

describe('a backup of a folder at rest', () => {
  test('holds index, accounts and catalogue with their modes, and nothing else; it answers the same', async (data, _, path) => {
    const target = join(path, 'deep', 'copy');
    const expected = fillFolder(data);
    const report = await backup(data, target);
    const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => name.endsWith('.seg')).length;
    assert.deepEqual([report.folder, report.files], [target, files]);
    const notCopied = new Set(['rejects', 'rejects/dump.ndjson', 'writer.lock']);
    const modes = [...modesIn(data)].filter(([name]) => !notCopied.has(name));
    assert.deepEqual(modesIn(target), new Map(modes));
    assert.deepEqual(readdirSync(join(path, 'deep')), ['copy']);
    {
      await using engine = await open(target);
      const questions = expected.answers.map(({ question }) => question);
      assert.deepEqual(await askAll(engine, questions), expected);
    }
    assert.deepEqual((await checkIndex(target)).problems, []);
    await using accounts = Accounts.open(target);
    await using catalogue = Catalogue.open(target);
    assert.deepEqual([accounts.keys.list().length, catalogue.listImports().length], [1, 1]);
  });

  test('the command prints where it is and what to do next; an empty folder is filled, a full one refused', async (data, target) => {
    fillFolder(data);
    mkdirSync(target);
    const done = await colloquy(['backup', target, '--data', data]);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /^\/.*\/copy: \d+\.\d MB in \d+ files of the index, and the databases\n$/);
    assert.match(done.stderr, new RegExp(`^Next: node \\S*colloquy\\.mjs check --data ${target}\n$`));
    assert.equal((await colloquy(['check', '--data', target])).code, 0);
    const words = /^colloquy: expected a folder that is empty or does not exist yet, found /;
    expectRefused(await colloquy(['backup', target, '--data', data, '--json']), words);
    const json = await colloquy(['backup', `${target}2`, '--data', data, '--json']);
    assert.deepEqual(Object.keys(JSON.parse(json.stdout)), ['folder', 'files', 'bytes', 'seconds']);
  });

  test('a folder without data is refused', async (data, target, path) => {
    await assert.rejects(backup(data, target), UsageError);
    assert.deepEqual(readdirSync(path), []);
  });

  test('what a killed backup left is replaced; what another one is filling is not touched', async (data, target) => {
    fillFolder(data);
    mkdirSync(join(`${target}.part`, 'posts'), { recursive: true });
    writeFileSync(join(`${target}.part`, 'posts', 'old.seg'), 'half');
    const other = tryToLock(join(`${target}.part`, 'backup.lock'))!;
    const found = /found another backup at work there/;
    await assert.rejects(backup(data, target), { name: 'UsageError', message: found });
    assert.ok(existsSync(join(`${target}.part`, 'posts', 'old.seg')));
    other[Symbol.dispose]();
    await backup(data, target);
    assert.ok(!existsSync(`${target}.part`) && !existsSync(join(target, 'posts', 'old.seg')));
  });

  const broken: readonly [string, (path: string) => void][] = [
    ['a changed byte', (path) => flipAt(path, statSync(path).size >> 1)],
    ['a cut file', (path) => writeFileSync(path, readFileSync(path).subarray(0, 40_000))],
    ['a missing file', (path) => rmSync(path)],
  ];
  for (const [name, damage] of broken) {
    test(`${name} in a file of the index is told by name, and nothing is left`, async (data, target, path) => {
      fillFolder(data);
      const file = readdirSync(join(data, 'comments'))[0]!;
      damage(join(data, 'comments', file));
      const message = new RegExp(`${file}.*run \`colloquy check\``);
      await assert.rejects(backup(data, target), { name: 'StorageError', message });
      assert.deepEqual(readdirSync(path), ['data']);
    });
  }

  test('a changed page, and a segment in the place of another one, are told, and nothing is left', async (data, target, path) => {
    const word = (i: number) => VOCABULARY.words[i % VOCABULARY.words.length]!;
    {
      await using engine = await open(data);
      for (let round = 0; round < 2; round++) {
        const comments = Array.from({ length: 10_000 }, (_, i) =>
          comment({ id: `c${round}x${i}`, body: `${word(i)} ${word(i * 7)}` }),
        );
        await engine.index('comment', packRecords(comments));
      }
    }
    const files = readdirSync(join(data, 'comments')).map((name) => join(data, 'comments', name));
    assert.ok(files.length > 1, `expected two files, found ${files.length}`);
    flipAt(files[0]!, 20_000);
    const told = async (expected: string, file: string) => {
      const message = `\`${file}\`: expected ${expected}; run \`colloquy check\``;
      await assert.rejects(backup(data, target), { name: 'StorageError', message });
    };
    await told('bytes 16384 to 32768 as they were written, found others', files[0]!);
    flipAt(files[0]!, 20_000);
    copyFileSync(files[0]!, files[1]!);
    await told('the segment of this name, found another', files[1]!);
    assert.deepEqual(readdirSync(path), ['data']);
  });

  test('an index in which nothing was written yet has nothing to copy', async (data, target) => {
    await (await open(data))[Symbol.asyncDispose]();
    createManifest(join(data, 'posts.db')).close();
    await backup(data, target);
    assert.deepEqual((await checkIndex(target)).problems, []);
    assert.ok(!existsSync(join(target, 'posts')));
  });

  test('broken off, it leaves nothing', async (data, target, path) => {
    fillFolder(data);
    const stop = new AbortController();
    stop.abort();
    await assert.rejects(backup(data, target, stop.signal), { name: 'AbortError' });
    assert.deepEqual(readdirSync(path), ['data']);
  });
});

function flipAt(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

const RECORDS = 4 * BATCH_RECORDS;

/** Of both kinds, with words that the random questions ask for; some are copies of earlier ones. */
function dumpLines(): string {
  const word = (i: number) => VOCABULARY.words[i % VOCABULARY.words.length]!;
  return Array.from({ length: RECORDS }, (_, i) => {
    const id = i % 10 === 9 ? i - 2 * BATCH_RECORDS + 1 : i;
    const text = `${word(i)} ${word(i * 7)} ${word(i >> 3)}`;
    const [subreddit, score] = [VOCABULARY.communities[i % 4], i % 50];
    const more = { created_utc: START_OF_2008 + (i >> 2), score, subreddit, retrieved_utc: i };
    if (i % 6 === 0) return postLine(`p${id}`, { ...more, title: text });
    return commentLine(`c${id}`, { ...more, body: text });
  }).join('\n');
}

describe('a backup during an import', { timeout: 300_000 }, () => {
  test('answers as the index did at one moment of it, checks as well, and the import goes on there', async (data, _, path) => {
    const file = join(path, 'dump');
    writeFileSync(file, dumpLines());
    await using importing = start(['import', file, '--json', '--data', data]);
    await using engine = await open(data);
    await until(async () => {
      await engine.refresh();
      return (await wholeStats(engine)).comment.records > 0 || null;
    });
    let target = '';
    for (let copies = 0; target === ''; copies++) {
      const next = join(path, `copy${copies}`);
      await engine.refresh();
      await backup(data, next);
      if (await isSameState(engine, next)) target = next;
    }
    assert.equal(importing.process.exitCode, null, 'the import goes on');
    {
      await using copy = await open(target);
      const questions = fixtureQuestions(60);
      assert.ok(questions.length >= 120);
      assert.deepEqual(await askAll(copy, questions), await askAll(engine, questions));
    }
    assert.deepEqual((await checkIndex(target)).problems, []);
    assert.equal(await importing.ended, 0, importing.output.stderr);
    const resumed = await colloquy(['import', file, '--json', '--data', target]);
    assert.equal(resumed.code, 0, resumed.stderr);
    const { read, sources } = JSON.parse(resumed.stdout);
    assert.ok(read < RECORDS && sources[0].resumed_behind_line > 0, `${read} read`);
    assert.equal(await digestIn(target), await digestIn(data));
  });
});

describe('a backup during removals', { timeout: 300_000 }, () => {
  test('holds each removal in list and index alike, whatever step it is at', async (data, _, path) => {
    const config = (dataFolder: string) => ({ ...readConfig(), dataFolder });
    const RECORDS = 300;
    await using app = await openApp(config(data));
    const records = Array.from({ length: RECORDS }, (_, i) => comment({ id: `c${i}`, body: 'solar' }));
    await app.engine.index('comment', packRecords(records));
    let isRemoving = true;
    /** A copy needs a moment without a removal: behind some, those to come wait until it is made. */
    let copied = Promise.withResolvers<void>();
    const BEHIND_ONE_COPY = 4;
    const removing = (async () => {
      for (let i = 0; isRemoving && i < RECORDS; i++) {
        const target = { kind: 'records', of: 'comment', ids: [`c${i}`], withComments: false } as const;
        const { id } = await app.remover(REACHED).remove(target);
        if (i % 3 === 0) await app.remover(REACHED).undo(id!);
        if (i % BEHIND_ONE_COPY === 0) await copied.promise;
      }
    })();
    const copies = [];
    try {
      for (let i = 0; i < 12; i++) {
        copied = Promise.withResolvers();
        copies.push((await backup(data, join(path, `copy${i}`))).folder);
        copied.resolve();
      }
    } finally {
      isRemoving = false;
      copied.resolve();
      await removing;
    }
    for (const copy of copies) {
      const settings = { ...config(copy), threads: 0 };
      await using restored = await openApp(settings, { catchUpWithRemovals: REACHED });
      const live = new Set((await everything(restored.engine, 'comment')).map(({ id }) => id));
      const refused = restored.catalogue.removals.refused(records);
      for (const [i, { id }] of records.entries()) assert.equal(live.has(id), !refused[i], `${copy}: ${id}`);
    }
  });
});

/** Whether the copy is of the moment at which the engine looked last: an import only adds. */
async function isSameState(engine: Awaited<ReturnType<typeof open>>, copy: string): Promise<boolean> {
  await using other = await open(copy);
  const counts = async (one: typeof other) => {
    const { post, comment } = await wholeStats(one);
    return [post.records, post.segments, comment.records, comment.segments].join();
  };
  return (await counts(other)) === (await counts(engine));
}
