// The answers that the OpenAPI document shows are those of the operations: each is asked for its example on the records
// of the sample, imported as anybody imports them. COLLOQUY_WRITE_EXAMPLES=1 writes them anew.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { PROBLEMS, ServiceError } from '../src/errors.ts';
import { operations as citations } from '../src/features/citing/operation.ts';
import { cite } from '../src/features/citing/service.ts';
import { savedOf } from '../src/features/saved/store.ts';
import { requestAddress } from '../src/http/addresses.ts';
import { exampleRequest, operationIdOf, pathOf } from '../src/operation/operation.ts';
import { readUnder } from '../src/search/asking.ts';
import { interpretQuery } from '../src/search/language/interpret.ts';
import { allFeatures, NO_LIMITS, serverOver } from './archive.ts';
import { define, make, openData } from './datasets/house.ts';
import { temporaryFolder } from './helpers.ts';
import { project, read } from './project.ts';

const FILE = `${project}src/http/operations/examples.json`;
const EMAIL = 'ann@example.org';
/** Entries of a list that an example shows. */
const MOST = 3;

/** With lists cut, and what is of this moment as it always was. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST).map(lasting);
  if (typeof value === 'number') return Math.abs(value - Date.now() / 1000) < 86_400 ? 1_800_000_000 : value;
  if (typeof value !== 'object' || value === null) return value;
  const told = { ...value } as Record<string, unknown>;
  // A file that describes the others tells when and by what it was made.
  if ('sha256' in told && told.kind === null) Object.assign(told, { sha256: '0'.repeat(64), bytes: 4096 });
  if ('edition' in told) told.bytes = 40_960;
  return Object.fromEntries(Object.entries(told).map(([name, one]) => [name, lasting(one)]));
}

async function answers(): Promise<Record<string, unknown>> {
  using folder = temporaryFolder();
  const data = `${folder.path}/data`;
  const sources = ['posts', 'comments'].map((kind) => `${project}sample/${kind}.ndjson`);
  execFileSync(process.execPath, [`${project}bin/colloquy.mjs`, 'import', ...sources, '--data', data], {
    stdio: 'ignore',
  });
  await using app = await openData(data);
  define(app, { name: 'solar', title: 'Solar power', query: '/r/solarpower', formats: ['csv.gz'] });
  await make(app, 'solar');
  const { key } = app.accounts.createKey({ email: EMAIL, name: 'examples', expiresInDays: null });
  const wish = { name: 'cats', kind: 'comment', query: 'cats,/r/aww', order: 'newest' } as const;
  const { accountId } = app.accounts.keys.check(key)!;
  savedOf(app.accounts).add(accountId, wish, 1);
  const { citation } = await cite(app, { query: 'solar,/r/energy', kinds: ['comment'], note: 'Table 2' });
  assert.ok(JSON.stringify(citations).includes(citation.id), citation.id);
  const settings = { ...app.config, ...NO_LIMITS, publicUrl: 'https://search.example.org' };
  await using server = await serverOver(app, { settings });
  const told: Record<string, unknown> = {};
  for (const { operations } of await allFeatures()) {
    for (const operation of (await operations?.()) ?? []) {
      const { pathParts, values } = exampleRequest(operation);
      const path = pathOf(operation).replaceAll(/:(\w+)/g, '{$1}');
      const url = requestAddress(path, pathParts, values);
      const response = await server.inject({ url, headers: { authorization: `Bearer ${key}` } });
      assert.equal(response.statusCode, 200, `${url}: ${response.body}`);
      told[operationIdOf(operation)] = lasting(response.json());
    }
  }
  return told;
}

it('every operation answers its example as the document shows it', async () => {
  const told = await answers();
  if (process.env.COLLOQUY_WRITE_EXAMPLES === '1') writeFileSync(FILE, `${JSON.stringify(told, null, 1)}\n`);
  assert.deepEqual(told, JSON.parse(readFileSync(FILE, 'utf8')));
});

it('the example of a comparison shows words that tell the two apart', () => {
  const { compare_posts: posts, compare_comments: comments } = JSON.parse(readFileSync(FILE, 'utf8'));
  for (const { words } of [posts, comments]) for (const list of words.lists) assert.ok(list.length > 0);
});

const REFUSED_QUERIES: Readonly<Record<string, string>> = {
  nothing_to_search: '!!!',
  bad_prefix: 'c*',
  bad_date: 'cats,after:2021-13-40',
  bad_score: 'cats,score:abc',
  bad_community: '/r/',
  bad_site: 'site:',
  bad_post: 'post:t1_abc',
  bad_id: 'id:t5_2qh1o',
  open_quote: '"two cats',
  double_negation: '--cats',
  cannot_negate: '-score:5',
  reserved_operator: 'author:ann',
  query_too_long: 'cats '.repeat(420),
  too_many_items: 'cats '.repeat(65),
  phrase_too_long: `"${'cats '.repeat(65)}"`,
};

it('there is an example of each problem of an endpoint, and those of queries are what a query is told', () => {
  const examples = JSON.parse(read('src/http/operations/example-problems.json'));
  const codes = Object.keys(PROBLEMS).filter((code) => code !== 'forbidden');
  assert.deepEqual(Object.keys(examples).sort(), codes.sort());
  const expectTold = (code: string, ask: () => unknown) =>
    assert.throws(ask, (error) => {
      assert.ok(error instanceof ServiceError);
      const { message: detail, position } = error;
      assert.deepEqual({ code: error.code, detail, position }, { code, ...examples[code] });
      return true;
    });
  for (const [code, query] of Object.entries(REFUSED_QUERIES))
    expectTold(code, () => interpretQuery(query, { impliedWindow: '1d' }));
  expectTold('open_window', () => readUnder('cats,before:2021-01-01'));
});
