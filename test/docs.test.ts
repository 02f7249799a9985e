// Documentation that cannot drift: its tables are compared with the code, and its examples are run.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { MAX_ROWS } from '../src/analysis/breakdown.ts';
import { COMPARED_QUERIES } from '../src/analysis/compare.ts';
import { MAX_COUNTED } from '../src/analysis/counts.ts';
import { MAX_COMMUNITIES } from '../src/analysis/coverage.ts';
import { MAX_SAMPLE, MAX_SAMPLE_BYTES } from '../src/analysis/sample.ts';
import { MAX_SERIES } from '../src/analysis/timeline.ts';
import { WORD_SAMPLES } from '../src/analysis/words.ts';
import { SETTINGS } from '../src/config.ts';
import { QUESTIONS_AT_ONCE } from '../src/engines/opensearch/places.ts';
import { PROBLEMS, type ProblemCode } from '../src/errors.ts';
import { MAX_WAITING } from '../src/http/admission/admission.ts';
import { COVERAGE_PARAMETERS } from '../src/http/coverage-parameters.ts';
import { HEAD_HEADERS, TRAILERS } from '../src/http/export-answer.ts';
import { EXPORT_PARAMETERS } from '../src/http/export-parameters.ts';
import { MAX_EXPORTS_OF_ACCOUNT } from '../src/http/export-places.ts';
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_TIMEOUT_MS,
  STREAM_LIMITS,
} from '../src/http/framework.ts';
import { RECORDS_PARAMETERS } from '../src/http/records-parameters.ts';
import { SLOWEST_BYTES_A_SECOND, STALLED_ANSWER_MS } from '../src/http/representation.ts';
import { MAX_ADDRESS_BYTES, MAX_BODY_BYTES, MAX_HEAD_BYTES } from '../src/http/request-checks.ts';
import { EXAMPLE as EXAMPLE_COVERAGE } from '../src/http/routes/coverage.ts';
import { SEARCH_PARAMETERS } from '../src/http/search-parameters.ts';
import { STOP_TIMEOUT_MS } from '../src/http/shutdown.ts';
import { MAX_CELLS, MAX_COPIED } from '../src/model/breakdown-limits.ts';
import { MAX_NAMED_BYTES, MAX_NAMED_RECORDS } from '../src/model/named-records.ts';
import { MAX_PAGE_BYTES } from '../src/model/page-budget.ts';
import { MAX_POSTS_UNDER, MAX_PREFIX_TOKENS } from '../src/model/query.ts';
import type { StoredComment, StoredPost } from '../src/model/record.ts';
import { MAX_IN_GROUPS } from '../src/model/sample.ts';
import { MAX_GIVEN_BUCKETS } from '../src/model/time.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { MAX_LIMIT } from '../src/search/search-service.ts';
import { MAX_THREAD_PAGE, MAX_TREE, MAX_TREE_BYTES } from '../src/search/thread-service.ts';
import { COMMENTS, POSTS } from './api/corpus.ts';
import { openService } from './api/service.ts';
import { comment, START_OF_2008, temporaryFolder } from './helpers.ts';

const run = promisify(execFile);

/** One that has the modules which the examples need can be named. */
const PYTHON = process.env.COLLOQUY_PYTHON ?? 'python3';

function page(name: string): string {
  return readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');
}

/** Rows of the first table whose head begins so, as cells. */
function table(text: string, head: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(0, end === -1 ? rest.length : end).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!);
}

describe('docs/errors.md', () => {
  const rows = table(page('errors.md'), 'code');

  it('has every code with its status, in the order of errors.ts', () => {
    const told = rows.map(([code, status]) => [code, status]);
    const meant = Object.entries(PROBLEMS).map(([code, { status }]) => [`\`${code}\``, `${status}`]);
    assert.deepEqual(told, meant);
  });

  it('says something of each', () => {
    for (const [code, , meaning = ''] of rows) assert.ok(meaning.length > 10, `${code}`);
  });

  it('its example is one of the table', () => {
    const example = JSON.parse(blocks(page('errors.md'), 'json')[0]!);
    const { status, title } = PROBLEMS[example.code as ProblemCode];
    assert.deepEqual([example.status, example.title], [status, title]);
  });
});

describe('docs/limits.md', () => {
  const rows = table(page('limits.md'), 'limit');
  const enforced: readonly [row: string, value: number][] = [
    ['different words that start with a prefix', MAX_PREFIX_TOKENS],
    ['posts that match `under`', MAX_POSTS_UNDER],
    ['different ids in a request for records', MAX_NAMED_RECORDS],
    ['bytes of the records asked for by their ids, counted as on a page', MAX_NAMED_BYTES],
    ['queries of one timeline', MAX_SERIES],
    ['queries of one request for counts', MAX_COUNTED],
    ['searches of one comparison', COMPARED_QUERIES.to],
    ['buckets of a timeline', MAX_GIVEN_BUCKETS],
    ['rows of a breakdown (`size`)', MAX_ROWS],
    ['buckets of all rows of a breakdown (`by`)', MAX_CELLS],
    ['matches among which copies of texts are looked for', MAX_COPIED],
    ['records of a sample', MAX_SAMPLE],
    ['records of a sample of each community or month, all together', MAX_IN_GROUPS],
    ['bytes of the records of a sample, counted as on a page', MAX_SAMPLE_BYTES],
    ['records of each query that distinctive words are read from', WORD_SAMPLES.to],
    ['communities that a coverage tells of', MAX_COMMUNITIES],
    ['records per page (`limit`), not counting ties', MAX_LIMIT],
    ['bytes of the records on a page: for each record its texts as JSON in UTF-8, plus 512', MAX_PAGE_BYTES],
    ['queries under way at OpenSearch at once, of one server; others wait', QUESTIONS_AT_ONCE],
    ['comments per page of a thread (`limit`), not counting ties', MAX_THREAD_PAGE],
    ['comments of a thread as a tree', MAX_TREE],
    ['bytes of the comments of a tree, counted as those of a page', MAX_TREE_BYTES],
    ['address (path and query string)', MAX_ADDRESS_BYTES],
    ['address plus names and values of all headers', MAX_HEAD_BYTES],
    ['body, although none is expected', MAX_BODY_BYTES],
    [
      'time a request may wait for its turn; one that would wait longer is refused at once',
      SETTINGS.queueMs.fallback,
    ],
    ['requests that wait for their turn, of all callers', MAX_WAITING],
    ['time for the headers to arrive', HEADERS_TIMEOUT_MS / 1000],
    ['time for the whole request to arrive', REQUEST_TIMEOUT_MS / 1000],
    ['idle connection', KEEP_ALIVE_TIMEOUT_MS / 1000],
    ['exports of one account under way, by all its keys and its pages', MAX_EXPORTS_OF_ACCOUNT],
    ['exports of all accounts under way', SETTINGS.exportsAtOnce.fallback],
    ['an export as a whole', STREAM_LIMITS.maxMs / 3_600_000],
    ['answer of which its caller takes no byte', STALLED_ANSWER_MS / 1000],
    ['pace at which an answer is taken, from then on', SLOWEST_BYTES_A_SECOND],
    ['export or file of a data set of which its caller takes no byte', STREAM_LIMITS.stalledMs / 1000],
    [
      'connections from one address (IPv6: one /64), except this machine and trusted proxies',
      SETTINGS.connectionsPerAddress.fallback,
    ],
    ['answers still being sent when the server stops', STOP_TIMEOUT_MS / 1000],
  ];
  for (const [name, value] of enforced) {
    it(`${name}: ${value}`, () => {
      const row = rows.find(([first]) => first === name);
      assert.equal(Number.parseInt(String(row?.[1]).replaceAll(',', ''), 10), value);
    });
  }

  it('every error it names has the status it gives', () => {
    for (const [name, , over = ''] of rows) {
      const found = /^(\d+) `(\w+)`$/.exec(over);
      if (found === null) assert.match(over, /^(?:closed|a short page)$/, `${name}`);
      else assert.equal(PROBLEMS[found[2] as ProblemCode]?.status, Number(found[1]), `${name}`);
    }
  });
});

describe('docs/coverage.md', () => {
  const text = page('coverage.md');
  const expected = `${START_OF_2008} 2\n`;

  it('has every parameter, as its table says it', () => {
    assert.deepEqual(
      table(text, 'coverage parameter'),
      Object.entries(COVERAGE_PARAMETERS).map(([name, { documented }]) => [
        `\`${name}\``,
        documented.values,
        documented.default,
      ]),
    );
  });

  it('names every field of a source', () => {
    const told = table(text, 'field of a source').flatMap(([names]) =>
      names!.replaceAll('`', '').split(', '),
    );
    assert.deepEqual(told, Object.keys(EXAMPLE_COVERAGE.sources[0]!));
  });

  it('its programs print the months', { skip: lacking('curl') }, async () => {
    const comments = ['1', '2'].map((id) => comment({ id }));
    await using asked = await listening([], comments);
    using folder = temporaryFolder();
    const options = { env: asked.env, cwd: folder.path };
    const file = (name: string, code: string) => {
      writeFileSync(join(folder.path, name), asked.here(code));
      return name;
    };
    const [curl = '', toFile = ''] = blocks(text, 'sh');
    const { stdout } = await run('sh', ['-c', asked.here(curl).replace('curl', 'curl --silent')], options);
    assert.equal(JSON.parse(stdout).kinds.comments.subreddits[0].name, 'cats');
    const js = await run(process.execPath, [file('a.mjs', blocks(text, 'js')[0]!)], options);
    assert.equal(js.stdout, expected);
    const python = await run(PYTHON, [file('a.py', blocks(text, 'python')[0]!)], options);
    assert.equal(python.stdout, expected);
    await run('sh', ['-c', asked.here(toFile)], options);
    if (!lackingModule('duckdb')) {
      const program = 'import duckdb, sys; print(*duckdb.sql(sys.argv[1]).fetchall()[0])';
      const duck = await run(PYTHON, ['-c', program, blocks(text, 'sql')[0]!], options);
      assert.equal(duck.stdout, expected);
    }
    if (spawnSync('Rscript', ['-e', 'library(jsonlite)']).status === 0) {
      assert.equal((await run('Rscript', ['-e', blocks(text, 'r')[0]!], options)).stdout, expected);
    }
  });
});

describe('docs/api.md', () => {
  it('has every parameter, as its table says it', () => {
    const rows = table(page('api.md'), 'parameter');
    assert.deepEqual(
      rows,
      Object.entries(SEARCH_PARAMETERS.comment).map(([name, { documented }]) => [
        `\`${name}\``,
        documented.values,
        documented.default,
      ]),
    );
  });

  it('has every parameter of an export, as its table says it', () => {
    const rows = table(page('api.md'), 'export parameter');
    assert.deepEqual(
      rows,
      Object.entries(EXPORT_PARAMETERS.comment).map(([name, { documented }]) => [
        `\`${name}\``,
        documented.values,
        documented.default,
      ]),
    );
  });

  it('has every parameter of records by their ids, as its table says it', () => {
    const rows = table(page('api.md'), 'records parameter');
    assert.deepEqual(
      rows,
      Object.entries(RECORDS_PARAMETERS.comment).map(([name, { documented }]) => [
        `\`${name}\``,
        documented.values,
        documented.default,
      ]),
    );
  });

  it('has every header and trailer of an export', () => {
    const names = (head: string) => table(page('api.md'), head).map(([name]) => name!.replaceAll('`', ''));
    assert.deepEqual(
      names('export header').sort(),
      [...Object.keys(HEAD_HEADERS), 'Content-Type', 'Trailer'].sort(),
    );
    assert.deepEqual(names('trailer'), Object.keys(TRAILERS));
  });

  it('its curl lines give records', { skip: lacking('curl') }, async () => {
    await using asked = await listening();
    const lines = curlLines('/api/v1/search/');
    assert.equal(lines.length, 3);
    for (const line of lines) {
      const command = asked.here(line).replace('curl', 'curl --silent --fail-with-body');
      const { stdout } = await run('sh', ['-c', command], { env: asked.env });
      assert.ok(JSON.parse(stdout).total_count > 0, line);
    }
  });

  it('its curl line for an export gives the file', { skip: lacking('curl') }, async () => {
    await using asked = await listening();
    using folder = temporaryFolder();
    const [line = ''] = curlLines('/api/v1/export/');
    await run('sh', ['-c', asked.here(line)], { env: asked.env, cwd: folder.path });
    const text = zstdDecompressSync(readFileSync(join(folder.path, 'cats.ndjson.zst'))).toString();
    const records = text
      .trim()
      .split('\n')
      .map((found) => JSON.parse(found));
    assert.deepEqual(
      records.map(({ id }) => id),
      ['cats1', 'video1'],
    );
  });

  it('its lines of JavaScript read an export', async () => {
    await using asked = await listening();
    using folder = temporaryFolder();
    const file = join(folder.path, 'export.mjs');
    writeFileSync(file, asked.here(blocks(page('api.md'), 'js')[1]!));
    const { stdout } = await run(process.execPath, [file], { env: asked.env });
    assert.equal(stdout, 'cats1 Two cats & a box\nvideo1 Cats fall off things\n');
  });

  it('its lines of Python read an export', { skip: lackingModule('pandas', 'pyarrow') }, async () => {
    await using asked = await listening();
    using folder = temporaryFolder();
    const file = join(folder.path, 'export.py');
    writeFileSync(file, asked.here(blocks(page('api.md'), 'python')[0]!));
    const { stdout } = await run(PYTHON, [file], { env: asked.env });
    assert.match(stdout, /^ *id +title\n +cats1 +Two cats & a box\n *video1 +Cats fall off things\n$/);
  });

  it('DuckDB reads the file', { skip: lackingModule('duckdb') || lacking('curl') }, async () => {
    await using asked = await listening();
    using folder = temporaryFolder();
    await run('sh', ['-c', asked.here(parquetLine())], { env: asked.env, cwd: folder.path });
    const program = `import duckdb, sys; print(duckdb.sql(sys.argv[1]).fetchall())`;
    const query = blocks(page('api.md'), 'sql')[0]!;
    const { stdout } = await run(PYTHON, ['-c', program, query], { cwd: folder.path });
    assert.equal(stdout, "[('cats1', 'Two cats & a box'), ('video1', 'Cats fall off things')]\n");
  });

  it('R reads the file', { skip: lackingArrow() || lacking('curl') }, async () => {
    await using asked = await listening();
    using folder = temporaryFolder();
    await run('sh', ['-c', asked.here(parquetLine())], { env: asked.env, cwd: folder.path });
    const program = `${blocks(page('api.md'), 'r')[0]!}cat(posts$id)`;
    const { stdout } = await run('Rscript', ['-e', program], { cwd: folder.path });
    assert.equal(stdout, 'cats1 video1');
  });

  it('its loop gives every record once', async () => {
    await using asked = await listening();
    using folder = temporaryFolder();
    const file = join(folder.path, 'loop.mjs');
    writeFileSync(file, asked.here(blocks(page('api.md'), 'js')[0]!));
    const { stdout } = await run(process.execPath, [file], { env: asked.env });
    assert.equal(stdout, 'cats1 Two cats & a box\nvideo1 Cats fall off things\n');
  });
});

describe('what is new in docs/api.md', () => {
  it('its mirror adds what is new', async () => {
    await using service = await openService(POSTS, COMMENTS);
    const server = await service.build();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    using folder = temporaryFolder();
    const file = join(folder.path, 'mirror.mjs');
    const program = blocks(page('api.md'), 'js').find((block) => block.includes('since.txt'))!;
    writeFileSync(file, program.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`));
    const env = { ...process.env, KEY: service.keys.good };
    const mirror = async () => {
      await run(process.execPath, [file], { env, cwd: folder.path });
      const lines = readFileSync(join(folder.path, 'cats.ndjson'), 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line).id);
    };
    assert.deepEqual(await mirror(), ['cats1', 'video1']);
    assert.deepEqual(await mirror(), ['cats1', 'video1']);
    const late = { ...POSTS[0]!, id: 'late', title: 'late cats', created: 1 };
    await service.engine.index('post', packRecords([late]));
    assert.deepEqual(await mirror(), ['cats1', 'video1', 'late']);
  });
});

/** The lines of the shell blocks that ask this path. */
function curlLines(path: string): string[] {
  return blocks(page('api.md'), 'sh').flatMap((block) =>
    block.split('\n').filter((line) => line.startsWith('curl') && line.includes(path)),
  );
}

/** What brings the file that DuckDB and R read. */
function parquetLine(): string {
  return curlLines('/api/v1/export/').find((line) => line.includes('-o cats.parquet'))!;
}

function lacking(program: string): string | false {
  return spawnSync(program, ['--version']).status === 0 ? false : `no ${program} on this machine`;
}

function lackingModule(...modules: readonly string[]): string | false {
  const isThere = spawnSync(PYTHON, ['-c', modules.map((name) => `import ${name}`).join('\n')]).status === 0;
  return isThere ? false : `no Python with ${modules.join(' and ')} on this machine`;
}

function lackingArrow(): string | false {
  return spawnSync('Rscript', ['-e', 'library(arrow)']).status === 0
    ? false
    : 'no R with arrow on this machine';
}

/** A server on a port, the environment that holds a key for it, and examples turned to it. */
async function listening(
  posts: readonly StoredPost[] = POSTS,
  comments: readonly StoredComment[] = COMMENTS,
): Promise<AsyncDisposable & { readonly env: NodeJS.ProcessEnv; readonly here: (text: string) => string }> {
  const service = await openService(posts, comments);
  const server = await service.build();
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return {
    env: { ...process.env, KEY: service.keys.good },
    here: (text) => text.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
