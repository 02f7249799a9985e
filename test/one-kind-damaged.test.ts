// A server and the commands over a folder of which one kind cannot be read: what concerns the other one works,
// nothing is an internal error.

import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { openApp } from '../src/app.ts';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import { readConfig } from '../src/config.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { ServiceError } from '../src/errors.ts';
import { statusPage } from '../src/features/monitoring/page.ts';
import { readRecord, readThread } from '../src/features/reading/threads.ts';
import { PageService } from '../src/features/search/service.ts';
import type { Question } from '../src/model/engine.ts';
import { IndexDamage } from '../src/model/engine-errors.ts';
import { KINDS, type Kind, otherKind } from '../src/model/record.ts';
import { keyWish } from './account-fixtures.ts';
import { readArchive, serverOver } from './archive.ts';
import { INDEX_DAMAGES, LATE_DAMAGE } from './corruption.ts';
import { LONG_TEXT } from './engine-damage.ts';
import type { FolderDamage } from './engine-harness.ts';
import { comment, post, START_OF_2008, temporaryFolder } from './helpers.ts';
import { ofTests, settingsOfTests } from './of-tests.ts';
import { colloquy } from './one-process.ts';
import { silenceLog } from './silent-log.ts';

const RECORDS = 2_100;
/** Of a question: what is tested here is no speed. */
const PATIENCE_MS = 60_000;
// Neither are threads: they hand damage on, as src/engines/embedded/threads/ tests.
settingsOfTests({ COLLOQUY_QUERY_TIMEOUT_MS: String(PATIENCE_MS), COLLOQUY_THREADS: '0' });

const AS_IT_IS: FolderDamage = { name: 'none', apply: () => undefined };

const whole = ofTests(temporaryFolder());
before(async () => {
  await using _catalogue = Catalogue.open(whole.path);
  await using engine = await openEmbeddedEngine(whole.path, { rules: { keepOriginals: false }, workers: 0 });
  const all = Array.from({ length: RECORDS }, (_, i) => ({ id: `a${i}`, created: START_OF_2008 + i }));
  // Behind the list of `solar` there are more than two pages of other words.
  const textOf = (id: string) => `solar word${id} zone${id} zoom${id}${id === 'a2' ? ` ${LONG_TEXT}` : ''}`;
  await engine.index('post', packRecords(all.map((fields) => post({ ...fields, title: textOf(fields.id) }))));
  const comments = all.map((fields) => comment({ ...fields, post: 'a0', body: textOf(fields.id) }));
  await engine.index('comment', packRecords(comments));
});

/** A data folder with records of both kinds; then this kind of it is damaged. */
function damagedFolder({ apply }: FolderDamage, kind: Kind) {
  const folder = temporaryFolder();
  cpSync(whole.path, folder.path, { recursive: true });
  apply(folder.path, kind);
  return folder;
}

describe('a server with one kind damaged', () => {
  // Any that is found on opening is one to callers: engine-damage.ts does every one.
  for (const way of [INDEX_DAMAGES[0]!, LATE_DAMAGE]) {
    for (const kind of KINDS) {
      const other = otherKind(kind);
      it(`${kind}s, ${way.name}: pages and routes of ${other}s work, no answer is 500`, async () => {
        silenceLog();
        using folder = damagedFolder(way, kind);
        const config = { ...readConfig(), dataFolder: folder.path, queryTimeoutMs: PATIENCE_MS };
        await using app = await openApp(config, { sample: true });
        const { key } = app.accounts.createKey(keyWish());
        await using server = await serverOver(app);
        const get = (url: string) => server.inject({ url, headers: { authorization: `Bearer ${key}` } });
        assert.equal(app.isSample(), false);
        // Else only what reads the pages meets them.
        const isKnown = way.isLate !== true;

        const [listOf, words] = [(one: Kind) => `${one}s`, kind === 'post' ? 'Posts' : 'Comments'];
        const whole = await get(`/api/v1/search/${listOf(other)}?query=solar&limit=3`);
        assert.equal(whole.statusCode, 200);
        assert.equal(JSON.parse(whole.body).total_count, RECORDS);
        const refused = await get(`/api/v1/search/${listOf(kind)}?query=solar`);
        assert.equal(refused.statusCode, 503);
        assert.equal(JSON.parse(refused.body).code, 'index_damaged');
        assert.ok(Number(refused.headers['retry-after']) > 0);
        assert.doesNotMatch(refused.body, /\.db|\.seg|colloquy-test/, 'files are the operator’s');

        for (const path of ['/', '/status', `/search?query=solar&kind=${listOf(other)}`]) {
          const { statusCode, body } = await get(path);
          assert.equal(statusCode, 200, path);
          if (isKnown) assert.match(body, new RegExp(`${words} cannot be read at the moment\\.`), path);
          assert.match(body, /2,100/, path);
        }
        for (const path of [
          `/search?query=nothinglikethis&kind=${listOf(other)}`,
          `/breakdown?query=solar&field=subreddit&kind=${listOf(other)}`,
          '/suggest?item=/r/en',
        ]) {
          assert.equal((await get(path)).statusCode, 200, path);
        }
        const hint = `"text":"/r/energy","hint":"${isKnown ? '2,100' : '4,200'} records"`;
        assert.ok((await get('/suggest?item=/r/en')).body.includes(hint), hint);
        for (const path of [
          `/search?query=solar&kind=${listOf(kind)}`,
          `/breakdown?query=solar&field=subreddit&kind=${listOf(kind)}`,
        ]) {
          const { statusCode, body, headers } = await get(path);
          assert.equal(statusCode, 503, path);
          assert.ok(Number(headers['retry-after']) > 0, path);
          assert.match(body, new RegExp(`Search the ${listOf(other)}`), path);
        }
        for (const path of ['/about', '/privacy', '/docs', '/sign-in', '/api/v1/openapi.json']) {
          assert.ok((await get(path)).statusCode < 500, path);
        }
        const works = isKnown ? new RegExp(`Searching works for ${listOf(other)}\\.<`) : /Searching works/;
        assert.match((await get('/status')).body, works);

        const read: readonly (readonly [path: string, shown: RegExp])[] = [
          [`/record/${listOf(other)}/a1?query=solar`, /<mark>solar<\/mark> worda1/],
          kind === 'post'
            ? ['/thread/a0', /2,100 comments.*solar worda0.*solar worda1/s]
            : ['/thread/a0', /<h1[^>]*>.*solar worda0/s],
        ];
        for (const [path, shown] of read) {
          const { statusCode, body } = await get(path);
          assert.equal(statusCode, 200, path);
          if (isKnown) assert.match(body, new RegExp(`${words} cannot be read at the moment\\.`), path);
          assert.match(body, shown, path);
          assert.doesNotMatch(body, /not in the archive|No comment of this post|[^\d,]0 comments/, path);
        }
        for (const path of isKnown ? [`/record/${listOf(kind)}/a1`, '/thread/nope'] : []) {
          assert.equal((await get(path)).statusCode, 503, `${path}: it may be in what cannot be read`);
        }
        assert.equal((await get(`/record/${listOf(other)}/nope`)).statusCode, 404);
        const ready = await get('/readyz');
        assert.equal(ready.statusCode, isKnown ? 503 : 200);
        if (isKnown) assert.match(ready.body, new RegExp(`found that of ${listOf(kind)} damaged`));
      });
    }
  }
});

it('a record whose post and thread cannot be had in time is read without them', async () => {
  using folder = temporaryFolder();
  await using app = await openApp({ ...readConfig(), dataFolder: folder.path });
  await app.engine.index('comment', packRecords([comment({ id: 'a1', post: 'a0', body: 'solar' })]));
  const slow = Object.assign(Object.create(app.engine) as typeof app.engine, {
    refresh: () => app.engine.refresh(),
    damages: () => app.engine.damages(),
    ask: (question: Question) => {
      const isRecord = question.kind === 'comment' && question.page !== undefined;
      if (isRecord) return app.engine.ask(question);
      return Promise.reject(new ServiceError(question.kind === 'post' ? 'busy' : 'query_timeout', 'late'));
    },
  });
  const archive = readArchive(slow, app.config, app.catalogue);
  const { record, ...rest } = (await readRecord(archive, 'comment', 'a1'))!;
  assert.equal(record.id, 'a1');
  const damages = { post: null, comment: null };
  assert.deepEqual(rest, { thread: 'a0', post: null, answers: null, comments: null, first: [], damages });
  const thread = readThread(archive, { post: 'a0', after: 0, around: null, limit: 10 });
  await assert.rejects(thread, { code: 'busy' });
});

it('the page of the status says for which kind searching works, and that it does not where both are out', () => {
  const lacking = { parents: 0, arrivals: 0 };
  const whole = { records: 1, communities: 1, first: 0, last: 0, segments: 1, bytes: 1, lacking };
  const of = (...out: Kind[]) => {
    const found = (kind: Kind) => (out.includes(kind) ? new IndexDamage(kind, 'cut') : whole);
    const stats = { post: found('post'), comment: found('comment') };
    return statusPage(true, false, stats).toString();
  };
  assert.match(of(), /class="dot" [^>]*><\/span> Searching works\.</);
  assert.match(of('post'), /class="dot down" [^>]*><\/span> Searching works for comments\.</);
  assert.match(of('comment'), /class="dot down" [^>]*><\/span> Searching works for posts\.</);
  assert.match(of('post', 'comment'), /class="dot down" [^>]*><\/span> Searching does not work\.</);
});

it('where looking names up fails, a keystroke of suggestions does not try again at once', async () => {
  silenceLog();
  using folder = temporaryFolder();
  await using app = await openApp({ ...readConfig(), dataFolder: folder.path });
  let asked = 0;
  const failing = Object.assign(Object.create(app.engine) as typeof app.engine, {
    refresh: async () => undefined,
    fingerprints: () => app.engine.fingerprints(),
    ask: async () => {
      asked++;
      throw new Error('out of order');
    },
  });
  const service = new PageService({ ...app, engine: failing });
  await assert.rejects(service.suggestions.of('/r/en', 8), /out of order/);
  const askedOnce = asked;
  for (const typed of ['/r/en', '/r/ene', '/r/ener'])
    assert.deepEqual(await service.suggestions.of(typed, 8), []);
  assert.equal(asked, askedOnce);
});

/** Commands over a folder, each of which must end with its code. */
function commandsOver(folder: string) {
  return async (words: string, { code = 0, input = '' } = {}) => {
    const result = await colloquy([...words.split(' '), '--data', folder], input);
    assert.equal(result.code, code, `${words}: ${result.stderr}`);
    return result;
  };
}

describe('the commands with one kind damaged', () => {
  const AWAY: FolderDamage = {
    name: 'its database is elsewhere',
    apply: (data, kind) => renameSync(join(data, `${kind}s.db`), join(data, 'away')),
  };
  const putBack = (data: string) => renameSync(join(data, 'away'), join(data, 'posts.db'));
  const [missing] = INDEX_DAMAGES;
  const newer = INDEX_DAMAGES.at(-1)!;
  const LINE = { subreddit: 'energy', created_utc: 1_200_000_000 };

  it('search, stats and check: the other kind is answered, and what is out is told', async () => {
    for (const { way, code } of [
      { way: missing!, code: 1 },
      { way: newer, code: 2 },
    ]) {
      using folder = damagedFolder(way, 'post');
      const run = commandsOver(folder.path);
      const found = await run('search comments solar --limit 1');
      assert.match(found.stdout, /2,100 comments match solar/);
      const refused = await run('search posts solar', { code });
      assert.match(refused.stderr, /colloquy: .*posts\.db/);
      const stats = await run('stats', { code: 1 });
      assert.match(stats.stdout, /posts +cannot be read/);
      assert.match(stats.stdout, /comments +2,100/);
      assert.match(stats.stderr, /colloquy: .*posts\.db/);
      const { posts, comments } = JSON.parse((await run('stats --json', { code: 1 })).stdout);
      assert.match(posts.damage, /posts\.db/);
      assert.equal(comments.records, RECORDS);
      const checked = await run('check --json', { code: 1 });
      const { problems } = JSON.parse(checked.stdout) as { problems: string[] };
      // The folder has no accounts.
      assert.ok(problems[0]!.startsWith('posts'), checked.stdout);
      assert.ok(!problems.some((line) => line.startsWith('comments')), checked.stdout);
    }
  });

  it('import and remove: comments come in, go out and are erased while posts are damaged', async () => {
    using folder = damagedFolder(missing!, 'post');
    const run = commandsOver(folder.path);
    const ids = { id: 'fresh', name: 't1_fresh', link_id: 't3_a1', parent_id: 't3_a1' };
    const input = JSON.stringify({ ...LINE, ...ids, body: 'solar zyxwordfresh' });
    assert.equal(JSON.parse((await run('import - --json', { input })).stdout).added, 1);

    await run('remove comments fresh a7 --purge');
    assert.match((await run('search comments zyxwordfresh|worda7')).stdout, /^0 comments/);
    const files = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /comments/.test(name) && /\.(db|db-wal|seg)$/.test(name))) {
      assert.ok(!readFileSync(join(folder.path, file)).includes('zyxwordfresh'), file);
    }

    const community = await run('remove community energy', { code: 1 });
    assert.match(community.stderr, /posts\.db.*the posts go out when they can be read again/);
    assert.match((await run('search comments solar')).stdout, /^0 comments/);
    assert.match((await run('remove --list')).stdout, /community .*not finished/);
    rmSync(join(folder.path, 'posts'), { recursive: true });
    // The posts are given up.
    await run('remove --purge');
    assert.match((await run('remove --list')).stdout, /community .*erased/);
  });

  it('damage found on reading kept comments from going out, and every later removal from being made', async () => {
    using folder = damagedFolder(AS_IT_IS, 'post');
    using posts = temporaryFolder();
    cpSync(join(folder.path, 'posts'), posts.path, { recursive: true });
    LATE_DAMAGE.apply(folder.path, 'post');
    const run = commandsOver(folder.path);
    const community = await run('remove community energy', { code: 1 });
    assert.match(community.stderr, /\.seg.*the posts go out when they can be read again/);
    assert.match((await run('search comments solar')).stdout, /^0 comments/);
    await run('remove comments a7');
    assert.match((await run('remove --list')).stdout, /community .*not finished/);
    await run(`remove --undo ${(await firstRemoval(folder.path)) + 1}`);
    cpSync(posts.path, join(folder.path, 'posts'), { recursive: true });
    await run('remove --purge');
    assert.match((await run('remove --list')).stdout, /community .*2,100 +2,100 +erased/);
  });

  it('a removal of both kinds that could only reach one is brought to its end when the other is back', async () => {
    using folder = damagedFolder(AWAY, 'post');
    const run = commandsOver(folder.path);
    await run('remove community energy', { code: 1 });
    putBack(folder.path);
    assert.match((await run('search posts solar')).stdout, /^2,100 posts/);
    await run('remove --purge');
    assert.equal(JSON.parse((await run('stats --json')).stdout).posts.records, 0);
    assert.match((await run('remove --list')).stdout, /community .*2,100 +2,100 +erased/);
    await run(`remove --undo ${await firstRemoval(folder.path)}`);
  });

  it('the undo of a removal that waited for a damaged kind ended with a stack trace', async () => {
    using folder = damagedFolder(AWAY, 'post');
    const run = commandsOver(folder.path);
    await run('remove community energy', { code: 1 });
    const number = await firstRemoval(folder.path);
    const told = new RegExp(`posts\\.db[^\\n]*removal ${number} is being undone; the posts come back`);
    // Again too: it goes on with what is being undone.
    for (const _ of [1, 2]) {
      const { stderr } = await run(`remove --undo ${number}`, { code: 1 });
      assert.match(stderr, told);
      assert.match(stderr, /^colloquy: [^\n]*\n$/);
    }
    assert.match((await run('search comments solar')).stdout, /^2,100 comments/);
    putBack(folder.path);
    await run('remove --purge');
    assert.match((await run('remove --list')).stdout, /community .*undone/);
    assert.match((await run('search posts solar')).stdout, /^2,100 posts/);
  });

  it('a lost database of a few records counted as empty: what was removed meanwhile was found when it was back', async () => {
    using folder = temporaryFolder();
    const run = commandsOver(folder.path);
    const line = (id: string) => JSON.stringify({ ...LINE, title: 'solar', id, name: `t3_${id}` });
    await run('import -', { input: line('a1') });
    AWAY.apply(folder.path, 'post');
    const copy = `backup ${join(folder.path, 'copy')}`;
    const asked = [
      'check',
      'stats',
      'search posts solar',
      copy,
      'remove community energy',
      'import - --restart',
    ];
    for (const words of asked) {
      const { stdout, stderr } = await run(words, { code: 1, input: line('a2') });
      assert.match(stdout + stderr, /posts\.db`: expected the database of .*put it back/, words);
    }
    assert.ok(!existsSync(join(folder.path, 'posts.db')));
    putBack(folder.path);
    await run('remove --purge');
    assert.match((await run('search posts solar')).stdout, /^0 posts/);
  });
});

/** The number of the oldest removal, which is a time where the list began beside an index that could not be read. */
async function firstRemoval(folder: string): Promise<number> {
  const { stdout } = await colloquy(['remove', '--list', '--data', folder]);
  return Math.min(...[...stdout.matchAll(/^ *(\d+) /gm)].map(([, number]) => Number(number)));
}
