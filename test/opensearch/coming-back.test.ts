// What people come back to, from a cluster by the command line: a feed with its late dump, `watch`, comparisons and
// citations are what they are over the embedded engine.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { type App, openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { compareOf } from '../../src/features/analysis/compare/compare.ts';
import type { Kind } from '../../src/model/record.ts';
import { readQueries } from '../../src/search/asking.ts';
import { readAtom } from '../feeds/rules.ts';
import { comment, temporaryFolder } from '../helpers.ts';
import { commentLine, postLine } from '../import/import-helpers.ts';
import type { CommandResult } from '../one-process.ts';
import { serve, colloquy as startColloquy, until } from '../processes.ts';
import { environmentOf, inPlace, run } from './place.ts';
import { startProxy } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const NOW = Math.floor(Date.now() / 1000);
const DAY = 86_400;
const OLD = Date.UTC(2014, 2, 1) / 1000;
const PUBLIC = 'https://search.example.org';
const TAG = 'tag:search.example.org,2026';

type Env = Readonly<Record<string, string>>;

interface Place {
  readonly folder: string;
  readonly env: Env;
  /** Runs a command to its end. */
  readonly colloquy: (words: readonly string[]) => Promise<CommandResult>;
  /** A dump of these lines; its path. */
  readonly file: (name: string, lines: readonly string[]) => string;
}

await onCluster('OpenSearch: what people come back to', (nodes) => {
  /** Runs `test` with a data folder of its own over indices of its own. */
  function withFolder(test: (place: Place) => Promise<void>): Promise<void> {
    return inPlace(nodes, async (settings) => {
      using home = temporaryFolder();
      const env = {
        ...environmentOf(settings),
        COLLOQUY_DATA: join(home.path, 'data'),
        COLLOQUY_PUBLIC_URL: PUBLIC,
        COLLOQUY_THREADS: '0',
      };
      mkdirSync(join(home.path, 'dumps'));
      await test({
        folder: home.path,
        env,
        colloquy: (words) => run(words, env),
        file: (name, lines) => {
          const path = join(home.path, 'dumps', name);
          writeFileSync(path, lines.join('\n'));
          return path;
        },
      });
    });
  }

  it('a feed has what came in last, and a late dump as one entry; 304 searches nothing', () =>
    withFolder(async ({ env, colloquy, file }) => {
      const bring = async (name: string, lines: readonly string[]) => {
        const { code, stderr } = await colloquy(['import', file(name, lines)]);
        assert.equal(code, 0, stderr);
      };
      await bring('RC_2026-10', said('n', 3, NOW - DAY));
      {
        await using app = await openApp(readConfig(env));
        credentialsOf(app.accounts).createAccount('ann@example.org');
      }
      const saved = ['saved', 'add', 'solar', 'comments', 'solar', '--account', 'ann@example.org', '--feed'];
      const { pathname } = new URL((await colloquy(saved)).stdout.trim());
      const searches: string[] = [];
      await using proxy = await startProxy(nodes[0]!, ({ method, path }) => {
        if (/_search|_count/.test(path)) searches.push(`${method} ${path}`);
        return 'pass';
      });
      await using server = await serve([], { ...env, COLLOQUY_OPENSEARCH_NODES: proxy.address });
      const get = async (headers: Record<string, string> = {}) => {
        const answer = await fetch(server.address + pathname, { headers });
        return { status: answer.status, etag: answer.headers.get('etag')!, body: await answer.text() };
      };
      const entriesOf = (body: string) =>
        readAtom(body).entries.map(({ id, title }) => [id.slice(TAG.length + 1), title]);
      const first = await get();
      const recent = ['n2', 'n1', 'n0'].map((id) => [`comment:${id}`, `/r/energy: solar ${id}`]);
      assert.deepEqual(entriesOf(first.body), recent);
      // What the start page tells is reckoned beside it at first.
      await until(async () => {
        searches.length = 0;
        const again = await get({ 'if-none-match': first.etag });
        assert.deepEqual([again.status, again.body], [304, '']);
        return searches.length === 0 ? true : null;
      });

      await bring('RC_2014-03', said('o', 1_200, OLD));
      await bring('RC_2026-11', said('m', 1, NOW - DAY));
      const late = await get({ 'if-none-match': first.etag });
      assert.deepEqual(entriesOf(late.body), [
        ['comment:m0', '/r/energy: solar m0'],
        ['saved:1:import:2', '1,200 older comments came in: RC_2014-03'],
        ...recent,
      ]);
      const since = new URL(readAtom(late.body).entries[1]!.link).searchParams.get('since')!;
      const found = await fetch(`${server.address}/search?query=solar&kind=comments&since=${since}`);
      assert.match(await found.text(), /<h1 id="total">1,201 /, 'its link leads to what it brought');

      await colloquy(['remove', 'comments', 'n1']);
      const removed = await get({ 'if-none-match': late.etag });
      assert.deepEqual(
        entriesOf(removed.body).map(([id]) => id),
        ['comment:m0', 'saved:1:import:2', 'comment:n2', 'comment:n0'],
      );
      assert.equal((await get({ 'if-none-match': removed.etag })).status, 304);
    }));

  it('`watch` tells what came in at least once, though it is killed, and nothing twice', () =>
    withFolder(async ({ folder, env, colloquy }) => {
      await using app = await openApp(readConfig(env));
      const add = (...ids: readonly string[]) => {
        const records = ids.map((id) => comment({ id, body: 'solar', created: NOW - DAY }));
        return app.engine.index('comment', packRecords(records));
      };
      const state = join(folder, 'state');
      const watching = ['watch', 'comments', 'solar', '--state', state];
      const watch = (...more: readonly string[]) => colloquy([...watching, ...more]);
      /** In a process of its own, whose streams the command has. */
      const executing = (command: string) => startColloquy([...watching, '--exec', command], '', env);
      await add('a');
      assert.match((await watch()).stderr, /the first run/);
      await add('b', 'c');
      await app.engine.index('comment', packRecords([comment({ id: 'd', body: 'rain' })]));
      const before = readFileSync(state, 'utf8');
      // The shell's parent is the watch.
      await executing('cat > /dev/null; kill -9 $PPID');
      assert.equal(readFileSync(state, 'utf8'), before);
      const told = await executing('cat');
      assert.deepEqual([told.code, idsOf(told.stdout)], [10, ['b', 'c']]);
      // A removal folded in is a commit in which nothing comes in.
      await app.engine.hide(1, 'comment', { ids: ['b'] });
      await app.engine.maintain();
      assert.deepEqual(await watch(), { code: 0, stdout: '', stderr: '' });
      await add('e');
      assert.deepEqual(idsOf((await watch('--json')).stdout), ['e']);
      const above = () => colloquy(['watch', 'comments', '--above', '3x', '--state', join(folder, 'days')]);
      assert.match((await above()).stderr, /the first run/);
    }));

  it('a citation and a comparison are those of the embedded engine over the same records', () =>
    withFolder(async ({ folder, env, colloquy, file }) => {
      const dumps = [
        file('RS_2020', [postLine('p'), postLine('q', { title: 'solar roof' })]),
        file('RC_2020', [
          ...said('a', 40, Date.UTC(2020, 0, 20) / 1000, 'cats and dogs'),
          ...said('b', 30, Date.UTC(2020, 3, 5) / 1000, 'cats alone'),
          ...said('c', 20, Date.UTC(2021, 3, 5) / 1000, 'dogs alone, solar'),
        ]),
      ];
      const embedded = { ...env, COLLOQUY_ENGINE: 'embedded', COLLOQUY_DATA: join(folder, 'embedded') };
      const cite = ['cite', 'both', 'cats|solar', '--json'];
      const cited: { readonly id: string; readonly kinds: unknown }[] = [];
      const compared: unknown[] = [];
      for (const own of [env, embedded]) {
        // One batch a file beside one for both: what came in together does not matter.
        const sources = own === env ? dumps : dumps.toReversed();
        assert.equal((await run(['import', ...sources], own)).code, 0);
        const { stdout, code, stderr } = await run(cite, own);
        assert.equal(code, 0, stderr);
        if (own === embedded) writeFileSync(join(folder, 'cited.json'), stdout);
        const { id, kinds } = JSON.parse(stdout);
        cited.push({ id, kinds });
        await using app = await openApp(readConfig(own));
        compared.push(await comparisonsOf(app));
      }
      assert.deepEqual(cited[0], cited[1]);
      assert.deepEqual(compared[0], compared[1]);

      const verify = () => colloquy(['cite', '--verify', join(folder, 'cited.json')]);
      assert.deepEqual(
        [(await verify()).code, (await verify()).stdout],
        [0, `${cited[0]!.id}: the same, 1 post and 90 comments\n`],
      );
      await colloquy(['remove', 'comments', 'a7']);
      const changed = await verify();
      assert.equal(changed.code, 1, changed.stderr);
      assert.match(changed.stdout, /comments: then 90, now 89/);
    }));
});

/** Of these queries, without what the cluster cannot tell: `null`, which the page says in words. */
async function comparisonsOf(app: App): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const kind of ['post', 'comment'] satisfies Kind[]) {
    const queries = readQueries(['cats', 'dogs', 'solar']);
    const { answer } = await compareOf(app, { kind, queries, words: [0, 1] });
    const { words, ...told } = answer;
    all.push({ ...told, series: told.series.map(({ sentiment, ...query }) => query) });
  }
  return all;
}

function said(name: string, count: number, created: number, words = 'solar'): string[] {
  return Array.from({ length: count }, (_, i) =>
    commentLine(`${name}${i}`, { created_utc: created + i, body: `${words} ${name}${i}` }),
  );
}

function idsOf(lines: string): string[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id)
    .sort();
}
