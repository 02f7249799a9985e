// What an export answers: its head, its bytes in every format, and what stands behind them.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import {
  type Compression,
  compressionsOf,
  FORMATS,
  type Format,
} from '../../src/features/export/parameters.ts';
import { ORDERS, type Order } from '../../src/model/pages.ts';
import type { Query } from '../../src/model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../src/model/record.ts';
import { interpretWithoutWindow } from '../../src/search/language/interpret.ts';
import { EVERYTHING } from '../engine-suite.ts';
import { AWKWARD_TEXTS, parquetRows, shape, viewWith } from '../export-shaping.ts';
import { comment, jsonLines, linkPost, post, temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';
import { idsOf, openEmbedded } from './asking.ts';
import { broadPrefixPost, COMMENTS, NEW_YEAR, POSTS } from './corpus.ts';
import { type Exported, exported, listen } from './export-client.ts';
import { openService, SETTINGS } from './service.ts';
import { exchange } from './socket.ts';

const ALL_POSTS = [
  ...POSTS,
  ...AWKWARD_TEXTS.map((text, i) =>
    post({ id: `1e${i}`, created: NEW_YEAR + i, title: text, selftext: `${text}.` }),
  ),
  linkPost({ id: '007', domain: 'a.example', title: 'solar', created: NEW_YEAR }),
];
const ALL_COMMENTS = [
  ...COMMENTS,
  ...AWKWARD_TEXTS.map((text, i) =>
    comment({ id: `1e${i}`, created: NEW_YEAR, body: text, sentiment: i / 1e4 }),
  ),
  comment({ id: 'long', body: `=${'solar '.repeat(8_000)}`, created: NEW_YEAR + 9, post: 'rock1' }),
];

const PATHS: Readonly<Record<Kind, string>> = { post: 'posts', comment: 'comments' };

const FILES = (Object.keys(FORMATS) as Format[]).flatMap((format) =>
  compressionsOf(format).map((compress) => ({ format, compress })),
);

const QUERIES = ['', 'cats', 'score:1,-solar', 'nothingatall'];

describe('an export', async () => {
  const opened = new AsyncDisposableStack();

  const service = opened.use(await openService(ALL_POSTS, ALL_COMMENTS, openEmbedded));
  const port = await listen(await service.build());
  const folder = opened.use(temporaryFolder());
  const reference = opened.use(await openReferenceEngine(folder.path, { rules: { keepOriginals: false } }));
  await reference.index('post', packRecords(ALL_POSTS));
  await reference.index('comment', packRecords(ALL_COMMENTS));
  after(() => opened.disposeAsync());

  /** From the engine that looks at every record. */
  async function matchesOf(kind: Kind, query: Query, order: Order): Promise<StoredRecord[]> {
    return (await Array.fromAsync(reference.scan(kind, query, order))).flat();
  }

  /** Throws where the bytes are not those of these records in this order. */
  async function assertHolds(
    bytes: Buffer,
    file: { readonly kind: Kind; readonly format: Format; readonly compress: Compression },
    records: readonly StoredRecord[],
    where: string,
  ): Promise<void> {
    const page = { order: 'oldest', limit: 1_000_000, after: null } as const;
    const { evidence } = await reference.ask({ kind: file.kind, query: EVERYTHING, page, evidence: true });
    const options = { ...file, permalinkBase: SETTINGS.permalinkBase };
    const expected = (await shape(records, options, { view: viewWith(evidence!) })).bytes;
    // A Parquet file tells of its query and index too.
    if (file.format === 'parquet')
      assert.deepEqual(await parquetRows(bytes), await parquetRows(expected), where);
    else assert.ok(bytes.equals(expected), where);
  }

  const get = (what: string, headers: Readonly<Record<string, string>> = {}): Promise<Exported> =>
    exported(port, what, { key: service.keys.good, headers });

  for (const { format, compress } of FILES) {
    // The others are made of the same records in the same order.
    const isFirst = format === 'ndjson' && compress === 'none';
    const orders = isFirst ? ORDERS : ORDERS.slice(0, 1);
    const queries = isFirst ? QUERIES : ['', 'nothingatall'];
    it(`${format}, ${compress}: holds what a scan finds, in each order`, async () => {
      for (const kind of KINDS) {
        for (const order of orders) {
          for (const query of queries) {
            const what = `${PATHS[kind]}?query=${query}&order_by=${order}&format=${format}&compress=${compress}`;
            const { status, body, headers, isWhole } = await get(what);
            assert.deepEqual([status, isWhole], [200, true], what);
            const expected = await matchesOf(kind, interpretWithoutWindow(query).query, order);
            assert.equal(headers['colloquy-total-count'], String(expected.length), what);
            await assertHolds(body, { kind, format, compress }, expected, what);
          }
        }
      }
    });

    it(`${format}, ${compress}: count and digest stand behind the last byte`, async () => {
      const { body, trailers, headers } = await get(`comments?query=&format=${format}&compress=${compress}`);
      const digest = createHash('sha256').update(body).digest('base64');
      const expected = {
        'colloquy-count': String(ALL_COMMENTS.length),
        'colloquy-withheld': '0',
        'repr-digest': `sha-256=:${digest}:`,
        ...(format === 'csv-excel' ? { 'colloquy-cut-cells': '1' } : {}),
      };
      assert.deepEqual({ ...trailers }, expected);
      assert.deepEqual(String(headers.trailer).toLowerCase().split(', '), Object.keys(expected));
      assert.equal(headers['transfer-encoding'], 'chunked');
    });
  }

  it('its head tells how much comes, under which name, and where the columns are described', async () => {
    const path = 'comments?query=solar+-cats&limit=1&format=csv&compress=zstd&fields=id,body';
    const { headers } = await get(path);
    const today = new Date().toISOString().slice(0, 10);
    const address = `http://127.0.0.1:${port}/api/v1/export/comments/schema?format=csv&fields=id%2Cbody`;
    const expected = {
      'colloquy-total-count': '1',
      'colloquy-matches': '1',
      'content-type': 'application/zstd',
      'content-disposition': `attachment; filename="colloquy-comments-solar-cats-${today}.csv.zst"`,
      link: `<${address}>; rel="describedby"`,
      'cache-control': 'private, no-cache, no-transform',
      vary: 'Authorization',
      'colloquy-dropped': undefined,
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, name);
  });

  it('tells what of both queries is not searched for', async () => {
    const { headers } = await get('comments?query=C%2B%2B&under=rock+%26');
    assert.equal(headers['colloquy-dropped'], '%"C++", %"&"');
  });

  it('has no content coding, whatever the caller accepts', async () => {
    const { headers } = await get('posts?query=', { 'accept-encoding': 'gzip, br, zstd' });
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(headers['content-type'], 'application/x-ndjson');
  });

  it('a limit is exact inside a tie, and of everything behind a cursor', async () => {
    const ids = async (what: string) => {
      const { body, headers } = await get(`posts?query=/r/ties&fields=id&${what}`);
      const given = idsOf(jsonLines(body.toString()));
      assert.equal(headers['colloquy-total-count'], String(given.length));
      assert.equal(headers['colloquy-matches'], '3');
      return given;
    };
    assert.deepEqual(await ids('order_by=top&limit=2'), ['tie3', 'tie2']);
    assert.deepEqual(await ids('limit=1'), ['tie1']);
    assert.deepEqual(await ids('limit=4'), ['tie1', 'tie2', 'tie3']);
    assert.deepEqual(await ids(`after=${NEW_YEAR * 1000 + 1}`), ['tie2', 'tie3']);
    assert.deepEqual(await ids(`after=[[${NEW_YEAR * 1000 + 1}]]&limit=1`), ['tie2']);
    assert.deepEqual(await ids(`order_by=newest&after=${NEW_YEAR * 1000}`), []);
    assert.deepEqual(await ids('after=&limit=2'), ['tie1', 'tie2']);
  });

  it('goes on where a page of a search ended, in each order', async () => {
    for (const order of ORDERS) {
      const headers = { authorization: `Bearer ${service.keys.good}` };
      const search = `http://127.0.0.1:${port}/api/v1/search/posts?query=&order_by=${order}&limit=5`;
      // biome-ignore lint/suspicious/noExplicitAny: the answer is looked at field by field
      const { data, sort_key } = (await (await fetch(search, { headers })).json()) as any;
      const { body } = await get(`posts?query=&order_by=${order}&after=${sort_key[0][0]}`);
      const all = await matchesOf('post', EVERYTHING, order);
      const plain = { kind: 'post', format: 'ndjson', compress: 'none' } as const;
      await assertHolds(body, plain, all.slice(data.length), order);
    }
  });

  it('oldest first is the default, and the fields chosen come in their order', async () => {
    const { body } = await get('posts?query=/r/aww+/r/videos&fields=score,created,id');
    const rows = jsonLines(body.toString()).map((row) => JSON.stringify(row));
    assert.deepEqual(rows, [
      '{"score":321,"created":"2021-01-02T00:00:00Z","id":"cats1"}',
      '{"score":1000,"created":"2021-01-03T00:00:00Z","id":"video1"}',
    ]);
  });

  it('under: comments of posts that match', async () => {
    const { body, headers } = await get('comments?query=&under=rock&fields=id');
    assert.deepEqual(body.toString(), '{"id":"c3"}\n{"id":"long"}\n');
    assert.equal(headers['colloquy-total-count'], '2');
  });

  it('shows what the catalogue knows of communities', async () => {
    service.catalogue.setNsfw('videos', true);
    const { body } = await get('posts?query=/r/videos&fields=subreddit');
    service.catalogue.setNsfw('videos', null);
    assert.equal(body.toString(), '{"subreddit":{"id":"","name":"videos","nsfw":true}}\n');
  });

  it('HEAD has the head of GET, and nothing behind it', async () => {
    const what = 'comments?query=cats&format=csv&compress=gzip';
    const head = await exported(port, what, { key: service.keys.good, method: 'HEAD' });
    const whole = await get(what);
    const own = ['x-request-id', 'date', 'transfer-encoding', 'trailer', 'connection', 'keep-alive'];
    const shared = ({ headers }: Exported) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
    assert.deepEqual(shared(head), shared(whole));
    assert.deepEqual([head.status, head.body.length], [200, 0]);
  });

  it('the same request gives the same bytes', async () => {
    const one = await get('comments?query=&compress=zstd');
    const other = await get('comments?query=&compress=zstd');
    assert.ok(one.body.equals(other.body));
  });

  it('the address in Link describes the columns, without a key', async () => {
    for (const kind of KINDS) {
      for (const { format } of FILES.filter(({ compress }) => compress === 'none')) {
        for (const fields of ['', '&fields=subreddit,id']) {
          const { headers, body } = await get(`${PATHS[kind]}?query=&limit=1&format=${format}${fields}`);
          const address = /<(.*)>/.exec(String(headers.link))![1]!;
          const answer = await fetch(address);
          assert.equal(answer.status, 200);
          const schema = (await answer.json()) as { fields: { name: string }[] };
          const names = schema.fields.map(({ name }) => name);
          if (format === 'ndjson') assert.deepEqual(Object.keys(JSON.parse(body.toString())), names);
          else if (format === 'csv') assert.equal(body.toString().split('\n')[0], names.join(','));
          else assert.ok(names.includes('subreddit.name'));
        }
      }
    }
  });

  const WINDOW = /`cats,before:2021-01-02,after:2021-01-01` for .* `cats,before:2021-01-02,after:1970-01-01`/;
  const ALONE = /expected `none` with `format=parquet`, found `zstd`/;
  const refusals: readonly (readonly [what: string, code: string, detail: RegExp])[] = [
    ['posts?query=cats,before:2021-01-02', 'open_window', WINDOW],
    ['comments?query=x&under=before:2021-01-02', 'open_window', /^parameter `under`/],
    ['posts?query=x&format=xlsx', 'bad_format', /`ndjson`, .*, found `xlsx`/],
    ['posts?query=x&compress=br', 'bad_format', /`compress`: expected `none`, `gzip` or `zstd`, found `br`/],
    ['posts?query=x&format=parquet&compress=zstd', 'bad_format', ALONE],
    ['posts?query=x&limit=0', 'bad_limit', /1 to 999999999/],
    ['posts?query=x&fields=body', 'bad_fields', /found `body`/],
    ['posts?query=x&order_by=best', 'bad_order', /`best`/],
    ['posts?query=x&order_by=top&after=5', 'cursor_of_other_order', /order_by=top/],
    ['posts?query=x&under=y', 'unknown_parameter', /`under`/],
    ['posts?query=x&measure=score', 'unknown_parameter', /`format`, `compress`/],
    ['posts', 'missing_query', /`query`/],
    ['posts?query=%22x', 'open_quote', /quote/],
    ['posts/schema?format=xlsx', 'bad_format', /`xlsx`/],
    ['posts/schema?fields=body', 'bad_fields', /`body`/],
  ];
  for (const [what, code, detail] of refusals) {
    it(`refuses ${what}: ${code}`, async () => {
      const { status, body, headers } = await get(what);
      const problem = JSON.parse(body.toString());
      assert.deepEqual([status, problem.code], [400, code]);
      assert.match(problem.detail, detail);
      assert.equal(headers['content-type'], 'application/problem+json');
    });
  }

  it('refuses what only the engine finds, before the first byte', async () => {
    await using own = await openService([broadPrefixPost()], []);
    const ownPort = await listen(await own.build());
    const { status, body } = await exported(ownPort, 'comments?query=&under=zz*', { key: own.keys.good });
    assert.deepEqual([status, JSON.parse(body.toString()).code], [400, 'prefix_too_broad']);
  });

  it('refuses HTTP/1.0, in which a body that was cut looks whole', async () => {
    const head = `Host: x\r\nAuthorization: Bearer ${service.keys.good}\r\n\r\n`;
    const [answer] = await exchange(port, `GET /api/v1/export/posts?query= HTTP/1.0\r\n${head}`);
    const { code, detail } = JSON.parse(answer!.body);
    assert.deepEqual([answer!.status, code], [400, 'malformed_request']);
    assert.match(detail, /HTTP\/1\.1/);
  });
});
