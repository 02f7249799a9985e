// A sample of what test/long/corruption.ts does in full.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Accounts } from '../src/accounts/accounts.ts';
import { openApp } from '../src/app.ts';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import { readConfig } from '../src/config.ts';
import { checkIndex } from '../src/engines/embedded/check.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { FACT_COLUMNS } from '../src/engines/embedded/format/segment-columns.ts';
import { MAGIC } from '../src/engines/embedded/format/segment-file.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import {
  copyOf,
  cutAt,
  type Damage,
  databaseFlips,
  flipAt,
  makeKilledVictim,
  makeVictim,
  partsOf,
  segmentFiles,
  tryDamage,
  type Victim,
  wrongFiles,
} from './corruption.ts';
import { RULES } from './engine-suite.ts';
import { comment, temporaryFolder } from './helpers.ts';
import { settingsOfTests } from './of-tests.ts';
import { colloquy } from './one-process.ts';
import { serve, colloquy as startColloquy, until } from './processes.ts';
import { wholeStats } from './whole-stats.ts';

const DOCS = 2_100;
/** Of the commands and servers that are started. */
settingsOfTests({ COLLOQUY_THREADS: '1' });
/** Sections that are not read when a segment is opened: the questions need not touch them where they are damaged. */
const READ_LATER: ReadonlySet<string> = new Set(['records', 'postings', ...FACT_COLUMNS]);

const victim = await makeVictim(DOCS);
after(() => victim[Symbol.dispose]());

describe('a damaged index answers right or refuses by name', { timeout: 300_000 }, () => {
  it('undamaged, it answers everything', async () => {
    for (const workers of [0, 1] as const) {
      const outcome = await tryDamage(victim, { name: 'nothing', files: [], apply: () => {} }, workers);
      assert.deepEqual(outcome, { same: victim.questions.length, refused: 0, older: 0 });
    }
  });

  it('a bit flipped in each class of section', async () => {
    for (const kind of ['post', 'comment'] as const) {
      const file = segmentFiles(victim.folder, kind)[0]!;
      const parts = partsOf(join(victim.folder, file));
      for (const [i, { name, offset, length }] of parts.entries()) {
        const place = offset + Math.floor((length * (i + 1)) / (parts.length + 1));
        const damage = flipAt(file, place, i % 8, `, ${name}`);
        const { refused } = await tryDamage(victim, damage, i % 9 === 0 ? 1 : 0);
        if (!READ_LATER.has(name)) assert.ok(refused > 0, damage.name);
      }
    }
  });

  it('a file cut anywhere', async () => {
    const file = segmentFiles(victim.folder, 'comment')[1]!;
    const { length } = readFileSync(join(victim.folder, file));
    for (const at of [0, 7, 24, 4_096, length >> 1, length - 512, length - 16, length - 1]) {
      assert.ok((await tryDamage(victim, cutAt(file, at))).refused > 0);
    }
  });

  it('files swapped, of another index, empty, missing', async () => {
    using other = await makeVictim(DOCS, 2);
    const foreign = readFileSync(join(other.folder, segmentFiles(other.folder, 'comment')[0]!));
    for (const damage of wrongFiles(victim.folder, foreign)) {
      assert.ok((await tryDamage(victim, damage)).refused > 0, damage.name);
    }
  });

  it('a bit flipped in the database', async () => {
    await all(victim, databaseFlips(victim.folder, 'comments.db', 60));
  });

  it('a bit flipped in the log of the database that a killed process left: at the worst an earlier commit', async () => {
    using killed = await makeKilledVictim(victim);
    const undamaged = await tryDamage(killed, { name: 'nothing', files: [], apply: () => {} });
    assert.equal(undamaged.same, killed.questions.length);
    await all(killed, databaseFlips(killed.folder, 'comments.db-wal', 40));
  });
});

/** Spoils the middle of a section of the first file of comments; returns its path. */
function spoil(folder: string, section: string): string {
  const file = segmentFiles(folder, 'comment')[0]!;
  const { offset, length } = partsOf(join(folder, file)).find(({ name }) => name === section)!;
  flipAt(file, offset + (length >> 1), 4).apply(folder);
  return file;
}

describe('work goes on beside a damaged file', { timeout: 300_000 }, () => {
  // Records are read when they are asked for, columns when the index is opened.
  const served: readonly [string, number][] = [
    ['records', 200],
    ['created', 503],
  ];
  for (const [section, statusOfCount] of served) {
    it(`a server refuses what needs damaged ${section}, with a problem body; it logs the file and answers the rest`, () =>
      serveDamaged(section, statusOfCount));
  }

  it('a merge does not hand damage on: it fails, and the index stays as it was', async () => {
    using damaged = copyOf(victim);
    const file = spoil(damaged.folder, 'records');
    {
      await using engine = await openEmbeddedEngine(damaged.folder, { rules: RULES, workers: 0 });
      // As many files of a size as are merged.
      for (let batch = 0; batch < 7; batch++) {
        const records = Array.from({ length: DOCS }, (_, i) =>
          comment({ id: `new${batch}x${i}`, body: 'fresh' }),
        );
        await engine.index('comment', packRecords(records));
      }
    }
    const { problems } = await checkIndex(damaged.folder);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.ok(problems[0]!.startsWith(file.replace('.seg', ': section records, bytes ')), problems.join());
  });

  it('check reads the databases beside the index too', async () => {
    using damaged = copyOf(victim);
    {
      await using catalogue = Catalogue.open(damaged.folder);
      catalogue.setNsfw('cats', true);
      await using _ = Accounts.open(damaged.folder);
    }
    assert.equal((await colloquy(['check', '--data', damaged.folder])).code, 0);
    const file = join(damaged.folder, 'catalogue.db');
    const bytes = readFileSync(file);
    // Every page behind the first.
    writeFileSync(file, bytes.fill(0xa5, 4_096));
    const checked = await colloquy(['check', '--json', '--data', damaged.folder]);
    assert.equal(checked.code, 1);
    const { problems } = JSON.parse(checked.stdout) as { problems: string[] };
    assert.ok(problems.length > 0);
    for (const line of problems) assert.match(line, /^catalogue\.db: /);
  });

  it('lost accounts were not missed by check', async () => {
    using damaged = copyOf(victim);
    rmSync(join(damaged.folder, 'accounts.db'), { force: true });
    const checked = await colloquy(['check', '--json', '--data', damaged.folder]);
    assert.equal(checked.code, 1);
    const { problems } = JSON.parse(checked.stdout);
    assert.match(problems.join('\n'), /^accounts\.db: expected the accounts beside/m);
  });

  it('a catalogue that is lost beside an index is missed aloud', async () => {
    using damaged = copyOf(victim);
    const words = ['search', 'comments', 'cat', '--json', '--data', damaged.folder];
    // Who only reads makes none: it is missed until somebody writes.
    for (const _ of [1, 2]) {
      const { stderr } = await startColloquy(words);
      assert.match(stderr, /catalogue\.db.*expected the catalogue beside the index/);
    }
    const checked = await colloquy(['check', '--data', damaged.folder]);
    assert.equal(checked.code, 1);
    assert.match(checked.stdout, /^catalogue\.db: expected the catalogue/m);
    await colloquy(['communities', 'set', 'energy', '--nsfw', 'no', '--data', damaged.folder]);
    assert.doesNotMatch((await startColloquy(words)).stderr, /catalogue/);
  });

  it('a damaged sample is made again', async () => {
    using folder = temporaryFolder();
    const config = { ...readConfig(), dataFolder: folder.path };
    await using first = await openApp(config, { sample: true });
    const { post } = await wholeStats(first.engine);
    await first[Symbol.asyncDispose]();
    const home = join(folder.path, '.sample');
    const file = join(home, readdirSync(home)[0]!, 'posts.db');
    const bytes = readFileSync(file);
    bytes[bytes.indexOf(MAGIC) + 500]! ^= 4;
    writeFileSync(file, bytes);
    await using second = await openApp(config, { sample: true });
    assert.equal(second.isSample(), true);
    assert.equal((await wholeStats(second.engine)).post.records, post.records);
  });
});

/** `statusOfCount`: of a question that reads no record. */
async function serveDamaged(section: string, statusOfCount: number): Promise<void> {
  using damaged = copyOf(victim);
  const file = spoil(damaged.folder, section);
  const data = ['--data', damaged.folder];
  const key = (await colloquy(['keys', 'create', '--account', 'a@example.org', ...data])).stdout.trim();
  await using server = await serve(data);
  const ask = async (kind: string, limit: number, after = '') => {
    const url = `${server.address}/api/v1/search/${kind}?query=&limit=${limit}&after=${after}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    const body = (await response.json()) as { readonly code?: string; readonly sort_key: [[number]] };
    return { status: response.status, type: response.headers.get('content-type'), body };
  };
  let refused = await ask('comments', 1000);
  for (let page = 0; page < 5 && refused.status === 200; page++) {
    refused = await ask('comments', 1000, String(refused.body.sort_key[0][0]));
  }
  assert.deepEqual([refused.status, refused.type], [503, 'application/problem+json']);
  assert.equal(refused.body.code, 'index_damaged');
  assert.ok(!JSON.stringify(refused.body).includes('.seg'));
  await until(async () => (server.output.stderr + server.output.stdout).includes(file) || null);
  const posts = await ask('posts', 1000);
  assert.equal(posts.status, 200);
  assert.equal((await ask('comments', 0)).status, statusOfCount);
}

async function all(victim: Victim, damages: readonly Damage[]): Promise<void> {
  for (const damage of damages) await tryDamage(victim, damage);
}
