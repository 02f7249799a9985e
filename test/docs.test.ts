// Documentation that cannot drift: its tables are compared with the code. document-blocks.test.ts runs its examples.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { commandsOf } from '../src/cli/run.ts';
import { SETTINGS } from '../src/config.ts';
import { QUESTIONS_AT_ONCE } from '../src/engines/opensearch/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { PROBLEMS, type ProblemCode, ServiceError } from '../src/errors.ts';
import { operations as breakingDown, MAX_ROWS } from '../src/features/analysis/breakdown.ts';
import { COMPARED_QUERIES, operations as comparing } from '../src/features/analysis/compare/compare.ts';
import { operations as explaining, meaningOf } from '../src/features/analysis/explain.ts';
import { MAX_SAMPLE, MAX_SAMPLE_BYTES, operations as sampling } from '../src/features/analysis/sample.ts';
import { MAX_COUNTED, MAX_SERIES, operations as timing } from '../src/features/analysis/timeline.ts';
import { operations as distinguishing, WORD_SAMPLES } from '../src/features/analysis/words.ts';
import { MAX_COMMUNITIES } from '../src/features/coverage/coverage.ts';
import { coverage } from '../src/features/coverage/feature.ts';
import {
  EXPORTS_AT_ONCE,
  HEAD_HEADERS,
  MAX_EXPORTS_OF_ACCOUNT,
  TRAILERS,
} from '../src/features/export/answer.ts';
import { EXPORT_PARAMETERS } from '../src/features/export/parameters.ts';
import { operations as reading } from '../src/features/reading/feature.ts';
import { MAX_THREAD_PAGE, MAX_TREE, MAX_TREE_BYTES } from '../src/features/reading/threads.ts';
import { operations as searching } from '../src/features/search/operation.ts';
import { FEATURES } from '../src/features.ts';
import { SLOWEST_BYTES_A_SECOND, STALLED_ANSWER_MS } from '../src/http/answers/representation.ts';
import { STREAM_LIMITS } from '../src/http/answers/streamed-answer.ts';
import { CONNECTIONS_PER_ADDRESS, STOP_TIMEOUT_MS } from '../src/http/connections.ts';
import { HEADERS_TIMEOUT_MS, KEEP_ALIVE_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from '../src/http/framework.ts';
import { MAX_WAITING, waitMsOf } from '../src/http/requests/admission.ts';
import { MAX_ADDRESS_BYTES, MAX_BODY_BYTES, MAX_HEAD_BYTES } from '../src/http/requests/caller.ts';
import { REJECTIONS, SKIPS } from '../src/ingest/normalise/outcome.ts';
import { MAX_CELLS, MAX_COPIED, MAX_IN_GROUPS } from '../src/model/analyses.ts';
import { MAX_NAMED_BYTES, MAX_NAMED_RECORDS } from '../src/model/engine.ts';
import { MAX_PAGE_BYTES } from '../src/model/pages.ts';
import { MAX_POSTS_UNDER, MAX_PREFIX_TOKENS } from '../src/model/query.ts';
import { MAX_GIVEN_BUCKETS } from '../src/model/time.ts';
import type { ObjectSchema, ParameterTable } from '../src/operation/parameters.ts';
import {
  interpretItems,
  interpretQuery,
  MAX_CANONICAL_CHARACTERS,
  MAX_ITEMS,
  MAX_PHRASE_TOKENS,
  MAX_QUERY_CHARACTERS,
} from '../src/search/language/interpret.ts';
import { MAX_SCORE_DIGITS } from '../src/search/language/syntax.ts';
import { MAX_LIMIT } from '../src/search/search-service.ts';
import { COMMENTS, POSTS } from './api/corpus.ts';
import { listen } from './api/export-client.ts';
import { openService } from './api/service.ts';
import { allFeatures } from './archive.ts';
import { comment, jsonLines, post, temporaryFolder } from './helpers.ts';
import { project, read } from './project.ts';

const COMMANDS = commandsOf(FEATURES);

const run = promisify(execFile);

const page = (name: string) => read(`docs/${name}`);

/** Rows of every table whose head begins so, as cells. */
function table(text: string, head: string): string[][] {
  const tables = text.split(`\n| ${head} |`).slice(1);
  assert.ok(tables.length > 0, head);
  return tables.flatMap((rest) => {
    const [, , ...lines] = `${rest}\n`.split(/\n(?!\|)/)[0]!.split('\n');
    return lines.map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
  });
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!);
}

/**
 * A part of a document that the code tells. With `COLLOQUY_WRITE_DOCUMENTS=1` it is written, otherwise compared: what
 * `part` finds is to be `expected`.
 */
function expectTold(name: string, part: RegExp, expected: string): void {
  const text = page(name);
  const found = part.exec(text)?.[0];
  assert.ok(found !== undefined, `${name}: ${part}`);
  if (process.env.COLLOQUY_WRITE_DOCUMENTS === '1') {
    const written = text.replace(part, () => expected);
    writeFileSync(`${project}docs/${name}`, written);
  } else assert.equal(found, expected);
}

describe('docs/errors.md', () => {
  it('has every code with its status and title, in the order of errors.ts', () => {
    const rows = Object.entries(PROBLEMS).map(
      ([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |\n`,
    );
    expectTold('errors.md', /(?<=^\|---\|---\|---\|\n)(?:\|.*\n)*/m, rows.join(''));
  });

  it('what helps is told of codes that there are', () => {
    const [, helps = ''] = page('errors.md').split('## What to do');
    const codes = [...helps.matchAll(/^- (.*?):/gm)].flatMap(([, names]) => names!.split(', '));
    assert.ok(codes.length > 10);
    const unknown = codes.filter((name) => !(code(name) in PROBLEMS));
    assert.deepEqual(unknown, []);
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
    ['query', MAX_QUERY_CHARACTERS],
    ['query in canonical form', MAX_CANONICAL_CHARACTERS],
    ['items in a query; `/r/a+b` has two', MAX_ITEMS],
    ['words in a phrase', MAX_PHRASE_TOKENS],
    ['words that start with a prefix', MAX_PREFIX_TOKENS],
    ['digits of a score', MAX_SCORE_DIGITS],
    ['posts that match `under`', MAX_POSTS_UNDER],
    ['ids in a request for records', MAX_NAMED_RECORDS],
    ['bytes of these records', MAX_NAMED_BYTES],
    ['queries of a timeline', MAX_SERIES],
    ['queries of a request for counts', MAX_COUNTED],
    ['queries of a comparison', COMPARED_QUERIES.to],
    ['buckets of a timeline', MAX_GIVEN_BUCKETS],
    ['rows of a breakdown', MAX_ROWS],
    ['buckets of all these rows', MAX_CELLS],
    ['matches searched for copies', MAX_COPIED],
    ['records of a sample', MAX_SAMPLE],
    ['records of a sample with `per`', MAX_IN_GROUPS],
    ['bytes of a sample', MAX_SAMPLE_BYTES],
    ['records that each list of words is read from', WORD_SAMPLES.to],
    ['communities of a coverage', MAX_COMMUNITIES],
    ['records per page', MAX_LIMIT],
    ['bytes of a page', MAX_PAGE_BYTES],
    ['comments per page of a thread', MAX_THREAD_PAGE],
    ['comments of a tree', MAX_TREE],
    ['bytes of a tree', MAX_TREE_BYTES],
    ['queries at OpenSearch at once; others wait', QUESTIONS_AT_ONCE],
    ['wait for a turn, a quarter of that', waitMsOf(SETTINGS.queryTimeoutMs.fallback)],
    ['requests that wait', MAX_WAITING],
    ['exports of an account', MAX_EXPORTS_OF_ACCOUNT],
    ['exports of all accounts', EXPORTS_AT_ONCE],
    ['time of an export', STREAM_LIMITS.maxMs / 3_600_000],
    ['address', MAX_ADDRESS_BYTES],
    ['address and headers', MAX_HEAD_BYTES],
    ['body, although none is expected', MAX_BODY_BYTES],
    ['time for the headers', HEADERS_TIMEOUT_MS / 1000],
    ['time for the request', REQUEST_TIMEOUT_MS / 1000],
    ['wait for room for an answer', waitMsOf(SETTINGS.queryTimeoutMs.fallback)],
    ['connections from a network, except local ones and trusted proxies', CONNECTIONS_PER_ADDRESS],
    ['idle connection', KEEP_ALIVE_TIMEOUT_MS / 1000],
    ['caller who takes no byte', STALLED_ANSWER_MS / 1000],
    ['caller who takes no byte of an export or file', STREAM_LIMITS.stalledMs / 1000],
    ['pace of a caller from then on', SLOWEST_BYTES_A_SECOND],
    ['time to send answers when the server stops', STOP_TIMEOUT_MS / 1000],
  ];
  for (const [name, value] of enforced) {
    it(`${name}: ${value}`, () => {
      const row = rows.find(([first]) => first === name);
      assert.equal(Number.parseInt(String(row?.[1]).replaceAll(',', ''), 10), value);
    });
  }

  it('every error that it names is one of the table', () => {
    for (const [name, , over = ''] of rows) {
      if (!over.startsWith('`')) assert.match(over, /^(?:closed|a short page)$/, `${name}`);
      else assert.ok(code(over) in PROBLEMS, `${name}`);
    }
  });
});

it('docs/coverage.md names every field of a source', () => {
  const told = table(page('coverage.md'), 'field of a source').flatMap(([names]) =>
    names!.replaceAll('`', '').split(', '),
  );
  const { items } = coverage.schema.properties.sources as { readonly items: ObjectSchema };
  assert.deepEqual(told, Object.keys(items.properties));
});

for (const [head, reasons] of [
  ['reason | what was wrong', REJECTIONS],
  ['reason | what it was', SKIPS],
] as const) {
  it(`docs/importing.md, ${head}: every reason with its meaning, in the order of outcome.ts`, () => {
    const meant = Object.entries(reasons).map(([reason, meaning]) => [`\`${reason}\``, meaning]);
    assert.deepEqual(table(page('importing.md'), head), meant);
  });
}

describe('docs/api.md', () => {
  it('lists every path of the API, and no other', async () => {
    await using service = await openService([], []);
    const { body } = await (await service.build()).inject({ url: '/api/v1/openapi.json' });
    const paths = Object.keys(JSON.parse(body).paths).filter((path) => path.startsWith('/api/'));
    const listed = [...page('api.md').matchAll(/(?<=GET )\/api\/v1\/[^\s`]+(?= {2,}GET|$)/gm)].map(
      ([path]) => path,
    );
    assert.deepEqual([...new Set(listed)].sort(), paths.sort());
  });

  it('has every header and trailer of an export', () => {
    const names = (head: string) => table(page('api.md'), head).map(([name]) => name!.replaceAll('`', ''));
    const expected = [...Object.keys(HEAD_HEADERS), 'Content-Type', 'Trailer'];
    assert.deepEqual(names('export header').sort(), expected.sort());
    assert.deepEqual(names('trailer'), Object.keys(TRAILERS));
  });
});

it('the example of docs/threads.md is as the answer is', async () => {
  const record = comment({ id: 'ghq1b2c', post: 'kofq2a', parent: 'kofq2a' });
  await using service = await openService([post({ id: 'kofq2a' })], [record]);
  const headers = { authorization: `Bearer ${service.keys.good}` };
  const { body } = await (await service.build()).inject({ url: '/api/v1/thread/kofq2a', headers });
  const [told, given] = [JSON.parse(blocks(page('threads.md'), 'json')[0]!), JSON.parse(body)];
  assert.deepEqual(Object.keys(told), Object.keys(given));
  assert.deepEqual(Object.keys(told.comments[0]), Object.keys(given.comments[0]));
});

it('the mirror of docs/api.md adds what is new', async () => {
  await using service = await openService(POSTS, COMMENTS);
  const port = await listen(await service.build());
  using folder = temporaryFolder();
  const file = join(folder.path, 'mirror.mjs');
  const program = blocks(page('api.md'), 'js').find((block) => block.includes('since.txt'))!;
  writeFileSync(file, program.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`));
  const env = { ...process.env, COLLOQUY_KEY: service.keys.good };
  const mirror = async () => {
    await run(process.execPath, [file], { env, cwd: folder.path });
    return jsonLines(readFileSync(join(folder.path, 'cats.ndjson'), 'utf8')).map(({ id }) => id);
  };
  assert.deepEqual(await mirror(), ['cats1', 'video1']);
  assert.deepEqual(await mirror(), ['cats1', 'video1']);
  const late = { ...POSTS[0]!, id: 'late', title: 'late cats', created: 1 };
  await service.engine.index('post', packRecords([late]));
  assert.deepEqual(await mirror(), ['cats1', 'video1', 'late']);
});

/** Usage and description of each command; one with others below it is not called itself. */
function usages(command: Command, path = command.name()): [usage: string, description: string][] {
  if (command.commands.length > 0) {
    return command.commands.flatMap((sub) => usages(sub, `${path} ${sub.name()}`));
  }
  const words = command.usage().replace('[options]', '').trim();
  return [[`${path} ${words}`.trim(), command.description()]];
}

it('docs/settings.md has every setting', async () => {
  const documented = table(page('settings.md'), 'setting').map(([name]) => name!.replaceAll('`', ''));
  const ofFeatures = (await allFeatures()).flatMap(({ settings = [] }) => settings);
  const names = [...Object.values(SETTINGS), ...ofFeatures].map(({ name }) => name);
  assert.deepEqual(documented.sort(), names.sort());
});

describe('docs/commands.md', () => {
  it('has every command as its help says it', async () => {
    const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
    const rows = commands.flatMap((command) => usages(command)).sort();
    const width = Math.max(...rows.map(([usage]) => usage.length)) + 2;
    const lines = rows.map(([usage, description]) => `${usage.padEnd(width)}${description}\n`);
    expectTold('commands.md', /(?<=^```text\n)[\s\S]*?(?=^```$)/m, lines.join(''));
  });

  for (const name of Object.keys(COMMANDS)) {
    it(`${name}: every help has an example`, async () => {
      const command = await COMMANDS[name]!();
      for (const leaf of command.commands.length > 0 ? command.commands : [command]) {
        let help = '';
        leaf.configureOutput({ writeOut: (text) => (help += text) });
        leaf.outputHelp();
        assert.match(help, /\n {2}(colloquy|curl) /, leaf.name());
      }
    });
  }
});

describe('docs/query-language.md', () => {
  const rowsUnder = (head: string) =>
    table(page('query-language.md'), head).map((row) => row.map((cell) => cell.replaceAll('\\|', '|')));

  for (const [written, understood] of rowsUnder('written | understood as')) {
    it(`${written} is understood as ${understood}`, () =>
      assert.equal(answer(code(written!)), code(understood!)));
  }

  for (const [written] of rowsUnder('written | finds records')) {
    it(`${written} is a query`, () => assert.doesNotMatch(answer(code(written!)), /^!/));
  }

  for (const [written, error] of rowsUnder('written | code')) {
    it(`${written} is ${error}`, () => assert.equal(answer(code(written!)), `! ${code(error!)}`));
  }

  it('every code is one of the API', () => {
    const rows = [...rowsUnder('written | code'), ...rowsUnder('when | code')];
    const codes = rows.map(([, error]) => code(error!));
    const unknown = codes.filter((name) => !(name in PROBLEMS));
    assert.deepEqual(unknown, []);
  });
});

/** What stands in backticks. */
function code(cell: string): string {
  return cell.slice(1, -1);
}

function answer(text: string): string {
  try {
    return interpretQuery(text, { impliedWindow: '1d' }).echo;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `! ${error.code}`;
  }
}

const DOCUMENTS = ['analysis.md', 'samples.md', 'threads.md'];

/** Documents, and the head of a table of parameters in one of them → the table that the code has. */
const TABLES: readonly (readonly [documents: readonly string[], head: string, table: ParameterTable])[] = [
  [['api.md'], 'parameter', searching[1]!.parameters],
  [['api.md'], 'export parameter', EXPORT_PARAMETERS.comment],
  [['api.md'], 'records parameter', reading[1]!.parameters],
  [['coverage.md'], 'coverage parameter', coverage.parameters],
  [DOCUMENTS, 'timeline parameter', timing[1]!.parameters],
  [DOCUMENTS, 'counts parameter', timing[3]!.parameters],
  [DOCUMENTS, 'sample parameter', sampling[1]!.parameters],
  [DOCUMENTS, 'words parameter', distinguishing[1]!.parameters],
  [DOCUMENTS, 'explain parameter', explaining[0]!.parameters],
  [DOCUMENTS, 'breakdown parameter', breakingDown[1]!.parameters],
  [DOCUMENTS, 'compare parameter', comparing[1]!.parameters],
  [DOCUMENTS, 'thread parameter', reading[2]!.parameters],
];

describe('documents have every parameter, as its table says it', () => {
  for (const [documents, head, parameters] of TABLES) {
    it(`${head}: the rows are those of the code`, () => {
      const told = Object.entries(parameters).map(([name, { documented }]) => {
        const { values, default: usual } = documented;
        return [`\`${name}\``, documents === DOCUMENTS ? values.replace('(#', '(api.md#') : values, usual];
      });
      assert.deepEqual(table(documents.map(page).join('\n'), head), told);
    });
  }
});

describe('documents of analyses', () => {
  it('what each kind of item means is what explanations say', () => {
    const kinds = new Set<string>();
    for (const [written = '', means] of table(DOCUMENTS.map(page).join('\n'), 'written | means, of posts')) {
      const text = code(written.replaceAll('\\|', '|'));
      const { written: items } = interpretItems(text, { impliedWindow: 'off' });
      assert.equal(items.length, 1, text);
      assert.equal(meaningOf(items[0]!.items, 'post'), means);
      kinds.add(items[0]!.items[0]!.kind);
    }
    assert.equal([...kinds].sort().join(' '), 'after before community id post score site words');
  });

  it('examples of answers are JSON', () => {
    const examples = DOCUMENTS.flatMap((name) => blocks(page(name), 'json'));
    assert.ok(examples.length >= 2);
    for (const example of examples) JSON.parse(example);
  });
});
