// Runs the table of scenarios/ against real servers, and holds every answer against the OpenAPI document.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { PROBLEMS, type ProblemCode } from '../../src/errors.ts';
import { ofTests } from '../of-tests.ts';
import { AnswerSchemas } from './answer-schemas.ts';
import { COMMENTS, NEW_YEAR, POSTS } from './corpus.ts';
import { faults, otherPaths, representations } from './scenarios/answers.ts';
import { cursors, parameters } from './scenarios/pages.ts';
import { queries } from './scenarios/queries.ts';
import { endpoints, keys, limits } from './scenarios/requests.ts';
import { answered, COMMENTS_PATH, POSTS_PATH, type Scenario, type ServerName } from './scenarios/scenario.ts';
import { under } from './scenarios/under.ts';
import { type BuildOptions, openService, type Service } from './service.ts';

/** Every parameter has a row that passes and one just outside, and every error code a row. */
const SCENARIOS: Readonly<Record<string, readonly Scenario[]>> = {
  ...{ endpoints, parameters, cursors, queries, 'under posts': under },
  ...{ keys, limits, representations, faults, 'other paths': otherPaths },
};

/** Codes that no row of the table reaches, and the test that does. */
const ELSEWHERE: Partial<Record<ProblemCode, string>> = {
  prefix_too_broad: 'under.test.ts',
  malformed_request: 'sockets.test.ts',
  headers_too_large: 'sockets.test.ts',
  misdirected_request: 'test/account-pages/headers.test.ts',
  request_timeout: 'sockets.test.ts',
  bad_ids: 'records.test.ts',
  too_many_ids: 'records.test.ts',
  records_too_large: 'records.test.ts',
  bad_shape: 'thread-answers.test.ts',
  thread_too_large: 'thread-answers.test.ts',
  too_many_posts: 'under.test.ts',
  bad_format: 'export-answers.test.ts',
  too_many_rows: 'src/features/export/parameters.test.ts',
  too_many_exports: 'export-limits.test.ts',
  busy: 'test/readiness.test.ts',
  index_damaged: 'test/one-kind-damaged.test.ts',
  storage_unavailable: 'test/readiness.test.ts',
  engine_unavailable: 'test/readiness.test.ts',
  bad_value: 'timeline.test.ts',
  too_many_queries: 'timeline.test.ts',
  too_many_buckets: 'timeline.test.ts',
  too_many_cells: 'breakdown.test.ts',
  too_many_matches: 'breakdown.test.ts',
  sample_too_large: 'src/search/engine-limits.test.ts',
  not_on_this_engine: 'timeline.test.ts',
  forbidden: 'none yet: the endpoints know no such case',
  dataset_withdrawn: 'test/datasets/serving.test.ts',
  range_not_satisfiable: 'test/datasets/serving.test.ts',
};

const servers: Readonly<Record<ServerName, BuildOptions>> = {
  plain: {},
  limited: { requestsPerMinute: 60 },
  windowless: { searchSettings: { impliedWindow: 'off' } },
  slow: { searchSettings: { queryTimeoutMs: 0 } },
  broken: {
    knowledge: {
      knowledgeOf: () => {
        throw new Error('secret: the disk is gone');
      },
    },
  },
};

describe('API scenarios', async () => {
  const built = new Map<ServerName, Promise<FastifyInstance>>();
  /** One for all rows that name it; who is limited has one of its own. */
  const serverFor = (name: ServerName) => {
    if (name === 'limited') return service.build(servers[name]);
    const known = built.get(name) ?? service.build(servers[name]);
    built.set(name, known);
    return known;
  };

  const service = ofTests(await openService(POSTS, COMMENTS));
  const server = await serverFor('plain');
  const schemas = new AnswerSchemas((await server.inject('/api/v1/openapi.json')).json());

  for (const [group, scenarios] of Object.entries(SCENARIOS)) {
    describe(group, () => {
      for (const scenario of scenarios)
        it(`${scenario.rule} → ${scenario.code ?? scenario.status}`, async (t) => {
          // None of its requests comes back while this runs.
          if (scenario.server === 'limited') t.mock.method(performance, 'now', () => 0);
          const server = await serverFor(scenario.server ?? 'plain');
          for (let i = 0; i < (scenario.after ?? 0); i++) await ask(server, service, scenario);
          const response = await ask(server, service, scenario);
          checkAnswer(scenario, response);
          checkSchema(schemas, scenario, response);
        });
    });
  }

  it('every code has a row, or a test elsewhere', () => {
    const reached = new Set(Object.values(SCENARIOS).flatMap((rows) => rows.map(({ code }) => code)));
    const missing = (Object.keys(PROBLEMS) as ProblemCode[]).filter(
      (code) => !reached.has(code) && ELSEWHERE[code] === undefined,
    );
    assert.deepEqual(missing, []);
  });

  it('every answer has a request id of its own', async () => {
    const server = await serverFor('plain');
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.inject('/api/nope')));
    assert.equal(new Set(answers.map(({ headers }) => headers['x-request-id'])).size, 20);
  });

  it('the tag of an answer brings a 304, and changes with a record', async () => {
    await using own = await openService(POSTS, COMMENTS);
    const server = await own.build();
    const scenario = answered('', 'query=cats');
    const first = await ask(server, own, scenario);
    const etag = String(first.headers.etag);
    const again = await ask(server, own, { ...scenario, headers: { 'if-none-match': `"x", ${etag}` } });
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, '');
    await own.engine.hide(1, 'post', { ids: ['cats1'] });
    const changed = await ask(server, own, { ...scenario, headers: { 'if-none-match': etag } });
    assert.equal(changed.statusCode, 200);
    assert.notEqual(changed.headers.etag, etag);
  });

  it('answers of other fields have tags of their own', async () => {
    const server = await serverFor('plain');
    const searches = ['', '&fields=id', '&fields=id,score', '&fields=score,id'];
    const rows = searches.map((search) => answered('', `query=cats${search}`));
    const answers = await Promise.all(rows.map((row) => ask(server, service, row)));
    assert.equal(new Set(answers.map(({ headers }) => headers.etag)).size, searches.length);
  });

  it('HEAD has the very headers of GET, compressed or not', async () => {
    const server = await serverFor('plain');
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      const row = answered('', 'query=', { headers: { 'accept-encoding': coding } });
      const get = await ask(server, service, row);
      const head = await ask(server, service, { ...row, method: 'HEAD' });
      const fixed = ({ 'x-request-id': _, date: __, ...rest }: LightMyRequestResponse['headers']) => rest;
      assert.deepEqual(fixed(head.headers), fixed(get.headers));
      assert.equal(head.body, '');
    }
  });

  it('fields stand in the order of the interface, each of its type', async () => {
    const server = await serverFor('plain');
    const [aww, music] = [
      { id: '2qh1o', name: 'aww', nsfw: false },
      { id: '', name: 'music', nsfw: false },
    ];
    const base = 'https://www.reddit.com/r';
    for (const record of [
      {
        ...{ type: 'post', id: 'cats1', subreddit: aww, created_utc: NEW_YEAR + 86_400 },
        ...{ permalink: `${base}/aww/comments/cats1/`, domain: 'i.redd.it', title: 'Two cats & a box' },
        ...{ selftext: '', url: 'https://i.redd.it/', score: 321 },
      },
      {
        ...{ type: 'post', id: 'rock1', subreddit: music, created_utc: NEW_YEAR + 3 * 86_400 },
        ...{ permalink: `${base}/music/comments/rock1/`, domain: 'self.music', title: 'Rock and roll' },
        ...{ selftext: 'Line one\nline two, "quoted" café 日本語 😀 \u0001', url: null, score: -5 },
      },
      {
        ...{ type: 'comment', id: 'c1', subreddit: aww, created_utc: NEW_YEAR },
        ...{
          permalink: `${base}/aww/comments/_/_/c1/`,
          body: 'What lovely cats!',
          sentiment: 0.6239,
          score: 3,
        },
      },
      {
        ...{ type: 'comment', id: 'c3', subreddit: music, created_utc: NEW_YEAR + 2 },
        ...{ permalink: `${base}/music/comments/_/_/c3/`, body: 'No.', sentiment: null, score: -2 },
      },
    ]) {
      const { type, id, created_utc } = record;
      const path = type === 'post' ? POSTS_PATH : COMMENTS_PATH;
      const { body } = await ask(server, service, answered('', `query=id:${id}`, { path }));
      const rest = { query: `id:${id}`, sort_key: [[created_utc * 1000]] };
      assert.equal(body, JSON.stringify({ type, total_count: 1, data: [record], ...rest }));
    }
  });

  it('the page has both totals of one query, whichever list is shown', async () => {
    const server = await serverFor('plain');
    for (const list of ['posts', 'comments']) {
      const { body } = await server.inject(`/search?query=cats&kind=${list}`);
      const tabs = /<nav class="tabs"[\s\S]*?<\/nav>/.exec(body)![0].replaceAll(/<[^>]*>/g, '');
      assert.match(tabs, /^\s*2 posts\s*1 comment\s*$/);
    }
  });
});

function ask(
  server: FastifyInstance,
  { keys }: Service,
  scenario: Scenario,
): Promise<LightMyRequestResponse> {
  const { method = 'GET', path = POSTS_PATH, query, key = 'good', headers = {}, body } = scenario;
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replace('{good}', keys.good)]);
  return server.inject({
    method: method as 'GET',
    url: query === null ? path : `${path}?${query}`,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${keys[key]}` }),
      ...Object.fromEntries(filled),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
}

function checkAnswer(scenario: Scenario, response: LightMyRequestResponse): void {
  const hasBody = scenario.method !== 'HEAD';
  assert.equal(response.statusCode, scenario.status, response.body.slice(0, 500));
  for (const [name, value] of Object.entries(scenario.sends ?? {})) {
    const sent = response.headers[name];
    if (value === null) assert.equal(sent, undefined, name);
    else if (typeof value === 'string') assert.equal(sent, value, name);
    else assert.match(String(sent), value, name);
  }
  if (scenario.code !== undefined && hasBody) checkProblem(scenario, response);
  else if (scenario.status === 200 && hasBody && PAGE.some((name) => name in scenario))
    checkPage(scenario, response);
}

function checkProblem(scenario: Scenario, response: LightMyRequestResponse): void {
  const problem = response.json();
  const { code, position, parameter, detail, status } = scenario;
  assert.equal(response.headers['content-type'], 'application/problem+json');
  assert.equal(problem.code, code, problem.detail);
  assert.equal(problem.status, status);
  assert.equal(problem.title, PROBLEMS[code!].title);
  assert.equal(problem.request_id, response.headers['x-request-id']);
  if (position !== undefined)
    assert.deepEqual(problem.position, {
      ...(parameter && { parameter }),
      ...{ offset: position[0], length: position[1] },
    });
  if (detail !== undefined) assert.match(problem.detail, detail);
  assert.doesNotMatch(response.body, /secret/);
}

const PAGE = ['total', 'ids', 'echo', 'under', 'data', 'sortKey'];

function checkPage(expected: Scenario, response: LightMyRequestResponse): void {
  const page = response.json();
  if (expected.total !== undefined) assert.equal(page.total_count, expected.total);
  const ids = page.data?.map(({ id }: { id: string }) => id);
  if (expected.ids !== undefined) assert.deepEqual(ids, expected.ids);
  if (expected.under !== undefined) assert.equal(page.under ?? null, expected.under);
  if (typeof expected.data === 'string') assert.equal(JSON.stringify(page.data), expected.data);
  else if (expected.data !== undefined) assert.match(JSON.stringify(page.data), expected.data);
  if (expected.echo !== undefined) assert.equal(page.query, expected.echo);
  if (expected.sortKey !== undefined) assert.deepEqual(page.sort_key, expected.sortKey);
}

/** Only answers of the endpoints with a body that can be read as it is. */
function checkSchema(schemas: AnswerSchemas, scenario: Scenario, response: LightMyRequestResponse): void {
  const path = (scenario.path ?? POSTS_PATH).replace(/\/$/, '').replace('%70', 'p');
  const isEndpoint = /^\/api\/v1\/search\/(posts|comments)$/.test(path);
  if (!isEndpoint || response.body === '' || response.headers['content-encoding'] !== undefined) return;
  const mediaType = String(response.headers['content-type']).split(';')[0]!;
  assert.deepEqual(schemas.faults(path, response.statusCode, mediaType, response.json()), []);
}
