// Data sets as the tools of others take them: validators of Frictionless and Croissant, `datasets.load_dataset`, and
// `sha256sum`; and the examples of docs/datasets.md.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { shelfOf } from '../../src/features/export/datasets/shelf.ts';
import { DATASET_FORMATS, type DatasetFormat } from '../../src/features/export/datasets/store.ts';
import { AWKWARD_TEXTS } from '../export-shaping.ts';
import { comment, post, START_OF_2008 } from '../helpers.ts';
import { missing } from '../processes.ts';
import { define, House, make } from './house.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('read.py', import.meta.url));

/** A Python that has the libraries: `.ci/run` makes one. */
const PYTHON = process.env.COLLOQUY_PYTHON ?? 'python3';

/** A data set of each: all formats, each alone, and one that is split. */
const DATASETS: Readonly<Record<string, readonly DatasetFormat[]>> = {
  cats: DATASET_FORMATS,
  tables: ['csv.gz'],
  lines: ['ndjson.zst'],
  parts: ['parquet'],
};

describe('data sets in the tools of others', () => {
  const ids = AWKWARD_TEXTS.map((_, i) => `t${i}`);
  const house = new House(async (app) => {
    const at = (i: number) => ({ id: `t${i}`, created: START_OF_2008 + i });
    const posts = AWKWARD_TEXTS.map((text, i) => post({ ...at(i), title: text, selftext: text }));
    const comments = AWKWARD_TEXTS.map((body, i) =>
      comment({ ...at(i), body, sentiment: i % 2 ? 0.5 : null }),
    );
    await app.engine.index('post', packRecords(posts));
    await app.engine.index('comment', packRecords(comments));
    for (const [name, formats] of Object.entries(DATASETS)) {
      define(app, { name, formats, splitEvery: name === 'parts' ? 5 : null });
      await make(app, name);
    }
  });

  /** What the library found in each data set. */
  async function read(library: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const env = { ...process.env, HF_HUB_OFFLINE: '1', HF_DATASETS_CACHE: join(house.path, library) };
    const folders = Object.keys(DATASETS).map((name) => house.folderOf(name));
    const { stdout } = await run(PYTHON, [program, library, ...folders], { env, maxBuffer: 2 ** 26 });
    return JSON.parse(stdout.trim().split('\n').at(-1)!);
  }

  it('sha256sum agrees with SHA256SUMS', { skip: missing('sha256sum') }, async () => {
    for (const name of Object.keys(DATASETS)) {
      const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: house.folderOf(name) });
      const checked = stdout.trim().split('\n');
      assert.ok(checked.every((line) => line.endsWith(': OK')));
      assert.equal(checked.length, shelfOf(house.app).get(name).edition!.files.length - 1);
    }
  });

  it('Frictionless finds every package valid, and reads every row of its tables', {
    skip: lackingModule('frictionless'),
  }, async () => {
    const found = await read('frictionless');
    for (const [i, name] of Object.keys(DATASETS).entries()) {
      const files = shelfOf(house.app)
        .get(name)
        .edition!.files.filter(({ content }) => content !== null);
      const expected = files.map(({ name: file, content }) => [
        file,
        content!.format === 'csv.gz' ? content!.records : null,
      ]);
      assert.deepEqual(found[i], Object.fromEntries(expected));
    }
  });

  it('Croissant finds every description valid, and reads its record sets', {
    skip: lackingModule('mlcroissant'),
  }, async () => {
    const [cats, tables, lines, parts] = await read('mlcroissant');
    assert.deepEqual(cats, { posts: ids, comments: ids });
    assert.deepEqual(tables, { posts: ids, comments: ids });
    assert.deepEqual(lines, {});
    for (const kind of ['posts', 'comments']) {
      const sets = Object.entries(parts!).filter(([name]) => name.startsWith(kind));
      const read = sets.flatMap(([, found]) => found);
      assert.deepEqual(read, ids);
      assert.equal(sets.length, Math.ceil(ids.length / 5));
    }
  });

  it('load_dataset reads each configuration of the folder', { skip: lackingModule('datasets') }, async () => {
    for (const found of await read('datasets')) assert.deepEqual(found, { posts: ids, comments: ids });
  });

  describe('docs/datasets.md', () => {
    const text = readFileSync(new URL('../../docs/datasets.md', import.meta.url), 'utf8');
    const block = (language: string) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(text)![1]!;

    it('its Python runs on the folder', { skip: lackingModule('datasets') }, async () => {
      const env = { ...process.env, HF_HUB_OFFLINE: '1', HF_DATASETS_CACHE: join(house.path, 'cache') };
      cpSync(house.folderOf('cats'), join(house.path, 'cats'), { recursive: true });
      const { stdout } = await run(PYTHON, ['-c', block('python')], { cwd: house.path, env });
      assert.match(stdout, new RegExp(`${ids.length} t0\n$`));
    });

    it('names every file that there is', () => {
      const names = readdirSync(house.folderOf('cats')).filter(
        (name) => !/^(?:edition\.json|members\.db)$/.test(name),
      );
      const missing = names.filter((name) => !text.includes(`\`${name.replace(/^cats/, 'NAME')}\``));
      assert.deepEqual(missing, []);
    });
  });
});

function lackingModule(name: string): string | false {
  const isThere = spawnSync(PYTHON, ['-c', `import ${name}`]).status === 0;
  return isThere ? false : `no Python with ${name} on this machine`;
}
