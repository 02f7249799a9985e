// What an export tells of the index that it comes from, and how a caller who has its bytes need not fetch them again.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parquetMetadata } from 'hyparquet';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import type { IndexFingerprint } from '../../src/model/hash.ts';
import { comment, post } from '../helpers.ts';
import { openEmbedded } from './asking.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { type Exported, exported, forever, listen, watchExports } from './export-client.ts';
import { openService, type Service } from './service.ts';

/** A service on a port, and what asks it. */
async function serving(options: Parameters<Service['build']>[0] = {}) {
  const service = await openService(POSTS, COMMENTS, openEmbedded);
  const port = await listen(await service.build(options));
  const ask = (what: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    exported(port, what, { key: service.keys.good, headers, method });
  return { service, port, ask, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const tagOf = ({ status, headers }: Exported): string => {
  assert.equal(status, 200);
  assert.match(String(headers.etag), /^"[\w-]{22}"$/, 'strong');
  return String(headers.etag);
};

const unseen = (id: string) => packRecords([comment({ id })]);

/** Calls `before` whenever an export is taken, when it has no view yet, and `behind` when it is open. */
function meddling(
  engine: SearchEngine,
  { before, behind }: { before?: () => Promise<void>; behind?: () => Promise<void> },
): void {
  const original = engine.export.bind(engine);
  engine.export = async (request, signal) => {
    await before?.();
    const run = await original(request, signal);
    await behind?.();
    return run;
  };
}

describe('the tag of an export', () => {
  it('is the same for the same request on the same index, and tells GET and HEAD that nothing is new', async () => {
    await using site = await serving();
    const watch = watchExports(site.service.engine);
    const what = 'comments?query=cats&format=csv&compress=gzip';
    const tag = tagOf(await site.ask(what));
    assert.equal(tagOf(await site.ask(what)), tag);
    assert.equal(tagOf(await site.ask(what, {}, 'HEAD')), tag);
    const before = watch.exports.length;
    for (const method of ['GET', 'HEAD']) {
      for (const known of [tag, `"x", W/${tag}`, '*']) {
        const { status, body, headers } = await site.ask(what, { 'if-none-match': known }, method);
        assert.deepEqual([status, body.length, headers.etag], [304, 0, tag]);
        assert.equal(headers['cache-control'], 'private, no-cache, no-transform');
      }
    }
    assert.equal(watch.exports.length, before, 'nothing was looked for');
    assert.equal((await site.ask(what, { 'if-none-match': '"x"' })).status, 200);
  });

  it('is another one after a change of records of either kind, or of what is known of communities', async () => {
    await using site = await serving();
    const { engine, catalogue } = site.service;
    const what = 'comments?query=';
    const head = (headers = {}) => site.ask(what, headers, 'HEAD');
    const tags = [tagOf(await head())];
    const changes = [
      () => engine.index('comment', unseen('new')),
      () => engine.index('post', packRecords([post({ id: 'new' })])),
      () => engine.hide(1, 'comment', { ids: ['new'] }),
      async () => catalogue.setNsfw('aww', true),
    ];
    for (const change of changes) {
      await change();
      assert.equal((await head({ 'if-none-match': tags.join(', ') })).status, 200);
      tags.push(tagOf(await head()));
    }
    assert.equal(new Set(tags).size, tags.length);
    await engine.restore(1);
    await engine.hide(2, 'comment', { ids: ['new'] });
    assert.equal((await head({ 'if-none-match': tags.at(-1)! })).status, 304, 'the same records');
  });

  it('Colloquy-Index is that of the view that all of it comes from', async () => {
    await using site = await serving();
    const { engine } = site.service;
    for (const kind of ['post', 'comment'] as const) {
      const { fingerprint, records } = (await engine.fingerprints())[kind] as IndexFingerprint;
      const told = `fingerprint="${fingerprint}", records=${records}`;
      assert.equal((await site.ask(`${kind}s?query=&limit=1`)).headers['colloquy-index'], told);
      const head = await site.ask(`${kind}s?query=nothingatall`, {}, 'HEAD');
      assert.equal(head.headers['colloquy-index'], told);
    }
  });

  it('is of what was exported where records come in, or communities are judged, as the export begins', async () => {
    const changes: ((site: Service) => Promise<unknown>)[] = [
      ({ engine }) => engine.index('comment', unseen('new')),
      async ({ catalogue }) => catalogue.setNsfw('aww', true),
    ];
    // Parquet files tell the fingerprint themselves.
    const what = 'comments?query=&format=parquet';
    for (const change of changes) {
      for (const when of ['before', 'behind']) {
        await using site = await serving();
        let left = 2;
        const meanwhile = async () => {
          if (left-- > 0) await change(site.service);
        };
        meddling(site.service.engine, { [when]: meanwhile });
        const { body, headers } = await site.ask(what);
        const next = await site.ask(what);
        assert.equal(tagOf(next) === headers.etag, body.equals(next.body), when);
      }
    }
  });

  it('is not claimed where the index changes each time, and the export is whole', async () => {
    await using site = await serving();
    let n = 0;
    const before = async () => {
      await site.service.engine.index('comment', unseen(`new${n++}`));
    };
    meddling(site.service.engine, { before });
    const { status, headers, isWhole, trailers } = await site.ask('comments?query=&format=parquet');
    assert.deepEqual([status, isWhole, headers.etag], [200, true, undefined]);
    assert.equal(trailers['colloquy-count'], String(COMMENTS.length + n));
    assert.match(String(headers['colloquy-index']), new RegExp(`records=${COMMENTS.length + n}$`));
  });

  it('depends on everything of the request that the bytes depend on', async () => {
    await using site = await serving();
    const base = 'query=cats&order_by=oldest&format=csv&compress=gzip&fields=id,body&limit=9&after=0';
    const changes = [
      ...['cats→rock', 'oldest→newest', 'csv→ndjson', 'gzip→zstd', 'gzip→none', 'id,body→body,id'],
      ...['&fields=id,body→', 'limit=9→limit=8', '&limit=9→', 'after=0→after=1000'],
      'after=0→after=0&under=rock',
    ].map((change) => change.split('→') as [string, string]);
    const others = changes.map(([from, to]) => base.replace(from, to));
    const tags = new Set<string>();
    // A HEAD has the tag of a GET, and takes no thread.
    const tag = async (what: string, { ask } = site) => tagOf(await ask(`comments?${what}`, {}, 'HEAD'));
    for (const what of [base, ...others]) tags.add(await tag(what));
    assert.equal(tags.size, others.length + 1);
    // Other words for the same.
    assert.ok(tags.has(await tag(base.replace('cats', '+cats,'))));
    await using moved = await serving({ searchSettings: { permalinkBase: 'https://site.example' } });
    assert.ok(!tags.has(await tag(base, moved)));
  });

  it('is not claimed with a field that can change under the same fingerprint', async () => {
    await using site = await serving();
    for (const field of ['retrieved_utc', 'arrived_utc']) {
      const what = `comments?query=&fields=id,${field}`;
      const { status, headers } = await site.ask(what, { 'if-none-match': '*' });
      assert.deepEqual([status, headers.etag], [200, undefined]);
      assert.match(String(headers['colloquy-index']), /^fingerprint="[0-9a-f]{16}", records=\d+$/);
    }
  });

  it('is looked at behind the parameters, and needs no place', async () => {
    await using site = await serving();
    const tag = tagOf(await site.ask('posts?query='));
    const watch = watchExports(site.service.engine, (_, signal) => forever(signal));
    const key = site.service.keys.good;
    const begin = () => {
      const { promise: began, resolve } = Promise.withResolvers<() => void>();
      const ended = exported(site.port, 'comments?query=', { key, onHead: resolve });
      return { began, ended };
    };
    const running = [begin(), begin()];
    const destroys = await Promise.all(running.map(({ began }) => began));
    assert.equal(watch.exports.length, 2);
    const known = { 'if-none-match': tag };
    assert.equal((await site.ask('posts?query=', known)).status, 304);
    assert.equal((await site.ask('posts?query=', known, 'HEAD')).status, 304);
    assert.equal((await site.ask('posts?query=')).status, 429);
    assert.equal((await site.ask('posts?query=&limit=0', { 'if-none-match': '*' })).status, 400);
    for (const destroy of destroys) destroy();
    await Promise.all(running.map(({ ended }) => ended));
  });
});

it('a Parquet file tells what it holds, and of which index', async () => {
  await using site = await serving();
  const { body, headers } = await site.ask('posts?query=cats&limit=1&format=parquet');
  const { buffer, byteOffset, byteLength } = body;
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  const pairs = parquetMetadata(bytes).key_value_metadata ?? [];
  const told = Object.fromEntries(pairs.map(({ key, value }) => [key.replace('colloquy.', ''), value]));
  const { fingerprint, records } = JSON.parse(told.index!);
  assert.equal(headers['colloquy-index'], `fingerprint="${fingerprint}", records=${records}`);
  assert.deepEqual(told, {
    made_by: 'Colloquy',
    bytes_version: '2',
    kind: 'post',
    query: 'cats',
    order: 'oldest',
    fields: 'type,id,subreddit,created_utc,permalink,domain,title,selftext,url,score',
    index: told.index,
    limit: '1',
    total_count: headers['colloquy-total-count'],
    matches: headers['colloquy-matches'],
  });
});

it('the bytes of an export are let go of once they are sent', async () => {
  await using service = await openService([], COMMENTS, openEmbedded);
  const pieces: Uint8Array[] = [];
  const original = service.engine.export.bind(service.engine);
  service.engine.export = async (request, signal) => {
    const run = await original(request, signal);
    async function* blocks() {
      for await (const block of run.blocks) {
        pieces.push(...block.bytes);
        yield block;
      }
    }
    return {
      head: run.head,
      blocks: blocks(),
      fingerprints: () => run.fingerprints(),
      [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
    };
  };
  const port = await listen(await service.build());
  for (const format of ['ndjson&compress=zstd', 'csv', 'parquet']) {
    const answer = await exported(port, `comments?query=&format=${format}`, { key: service.keys.good });
    assert.equal(answer.isWhole, true);
  }
  assert.ok(pieces.length >= 3);
  assert.deepEqual([...new Set(pieces.map(({ buffer }) => buffer.byteLength))], [0]);
});
