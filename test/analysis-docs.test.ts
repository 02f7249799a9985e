// docs/analysis.md: its tables are those of the code, and its examples run.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { BREAKDOWN_PARAMETERS } from '../src/http/breakdown-parameters.ts';
import { EXPLAIN_PARAMETERS } from '../src/http/explain-parameters.ts';
import type { ParameterTable } from '../src/http/parameters.ts';
import { SAMPLE_PARAMETERS, WORDS_PARAMETERS } from '../src/http/sample-parameters.ts';
import { COUNTS_PARAMETERS, TIMELINE_PARAMETERS } from '../src/http/timeline-parameters.ts';
import { interpretItems } from '../src/search/language/interpret.ts';
import { meaningOf } from '../src/search/language/meaning.ts';
import { COMMENTS, POSTS } from './api/corpus.ts';
import { openService, type Service } from './api/service.ts';
import { temporaryFolder } from './helpers.ts';

const run = promisify(execFile);

/** One that has the modules which the examples need can be named. */
const PYTHON = process.env.COLLOQUY_PYTHON ?? 'python3';

/** Documents with examples of analyses: all blocks of a language in one are one program, in their order. */
const DOCUMENTS = ['analysis.md', 'samples.md'];

/** What the examples say of `cats -box`, of the record that they ask for, of rows and of a sample. */
const EXPLAINED =
  'cats 2 contains the word `cats`\n-box \\d+ does not contain the word `box`\nTwo cats & a box\n' +
  '(?:\\S+ \\d+ [\\d.]+\n)+3 of \\d+\n(?:\\S+ [\\d.]+\n)*';

/** Head of a table of parameters → the table that the code has. */
const TABLES: Readonly<Record<string, ParameterTable>> = {
  'timeline parameter': TIMELINE_PARAMETERS.comment,
  'counts parameter': COUNTS_PARAMETERS.comment,
  'sample parameter': SAMPLE_PARAMETERS.comment,
  'words parameter': WORDS_PARAMETERS.comment,
  'explain parameter': EXPLAIN_PARAMETERS,
  'breakdown parameter': BREAKDOWN_PARAMETERS.comment,
};

const page = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');
const text = DOCUMENTS.map(page).join('\n');

function blocks(document: string, language: string): string[] {
  return [...document.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code]) => code!,
  );
}

function lacking(program: string, ...words: readonly string[]): string | false {
  return spawnSync(program, words).status === 0
    ? false
    : `no ${[program, ...words].join(' ')} on this machine`;
}

describe('documents of analyses', () => {
  for (const [head, parameters] of Object.entries(TABLES)) {
    it(`${head}: the rows are those of the code`, () => {
      const lines = text.split('\n');
      const start = lines.indexOf(`| ${head} | values | default |`) + 2;
      const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
      assert.deepEqual(
        lines.slice(start, end),
        Object.entries(parameters).map(
          ([name, { documented }]) =>
            `| \`${name}\` | ${documented.values.replace('(#', '(api.md#')} | ${documented.default} |`,
        ),
      );
    });
  }

  it('what each kind of item means is what explanations say', () => {
    const rows = text.split('| written | means, of posts |\n|---|---|\n')[1]!.split('\n\n')[0]!.split('\n');
    const kinds = new Set<string>();
    for (const row of rows) {
      const [, written = '', means] = /^\| `(.*?)` \| (.*) \|$/.exec(row)!;
      const { written: items } = interpretItems(written.replaceAll('\\|', '|'), { impliedWindow: 'off' });
      assert.equal(items.length, 1, row);
      assert.equal(meaningOf(items[0]!.items, 'post'), means);
      kinds.add(items[0]!.items[0]!.kind);
    }
    assert.deepEqual([...kinds].sort(), [
      'after',
      'before',
      'community',
      'id',
      'post',
      'score',
      'site',
      'words',
    ]);
  });

  it('examples of answers are JSON', () => {
    const examples = DOCUMENTS.flatMap((name) => blocks(page(name), 'json'));
    assert.ok(examples.length >= 2);
    for (const example of examples) JSON.parse(example);
  });
});

describe('examples of analyses', () => {
  let service: Service;
  const folder = temporaryFolder();
  let env: NodeJS.ProcessEnv;
  let here: (example: string) => string;

  before(async () => {
    service = await openService(POSTS, COMMENTS);
    const server = await service.build();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    env = { ...process.env, KEY: service.keys.good };
    here = (example) => example.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** Runs all blocks of a language of each document as one program; gives what they print. */
  async function output(language: string, program: string, ending: string): Promise<string> {
    const printed: string[] = [];
    for (const name of DOCUMENTS) {
      const file = join(folder.path, `${name}${ending}`);
      writeFileSync(file, here(blocks(page(name), language).join('\n')));
      printed.push((await run(program, [file], { env, cwd: folder.path })).stdout);
    }
    return printed.join('');
  }

  /** The files that R and DuckDB read. */
  async function fetched(): Promise<string> {
    const lines = blocks(text, 'sh')
      .flatMap((block) => block.split('\n'))
      .filter((line) => line.startsWith('curl'));
    const script = lines.map((line) => here(line).replace('curl', 'curl --silent --show-error')).join('\n');
    return (await run('sh', ['-ec', script], { env, cwd: folder.path })).stdout;
  }

  it('curl', { skip: lacking('curl', '--version') }, async () => {
    assert.match(await fetched(), /"type":"counts".*"type":"words"/s);
    assert.match(readFileSync(join(folder.path, 'sample.csv'), 'utf8'), /^type,id,.*\n(post,.*\n)+/);
    assert.match(
      readFileSync(join(folder.path, 'timeline.csv'), 'utf8'),
      /^start,count_1,of_1,share_1,count_2/,
    );
  });

  it('Python', { skip: lacking(PYTHON, '--version') }, async () => {
    assert.match(
      await output('python', PYTHON, '.py'),
      new RegExp(String.raw`^cats \[[\d, ]+\]\ndogs \[[\d, ]+\]\ncats 2 0\.\d+\n(?:dogs.*\n)${EXPLAINED}$`),
    );
  });

  it('JavaScript', async () => {
    assert.match(
      await output('js', process.execPath, '.mjs'),
      new RegExp(String.raw`^cats \[[\s\d,]+\]\ndogs \[[\s\d,]+\]\ncats 2 0\.\d+\n(?:dogs.*\n)${EXPLAINED}$`),
    );
  });

  it('R', {
    skip: lacking('Rscript', '-e', 'library(jsonlite)') || lacking('curl', '--version'),
  }, async () => {
    await fetched();
    assert.match(await output('r', 'Rscript', '.r'), /\[1\]/);
  });

  it('DuckDB', { skip: lacking(PYTHON, '-c', 'import duckdb') || lacking('curl', '--version') }, async () => {
    await fetched();
    const program = 'import duckdb, sys\nfor query in sys.argv[1:]: print(len(duckdb.sql(query).fetchall()))';
    const { stdout } = await run(PYTHON, ['-c', program, ...blocks(text, 'sql')], { cwd: folder.path });
    assert.match(stdout, /^([1-9]\d*\n)+$/);
  });
});
