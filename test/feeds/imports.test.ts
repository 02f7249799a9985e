// Dumps that are imported into a folder with a feed: what was written long ago is one entry, which names its source.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { type App, openApp, rejectsFolder } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { FEED_PAGE, type FeedWish, feedFingerprint, feedPage } from '../../src/features/saved/feed-routes.ts';
import { importSources } from '../../src/ingest/importer.ts';
import { comment, temporaryFolder } from '../helpers.ts';
import { commentLine, postLine } from '../import/import-helpers.ts';

const HOST = 'search.example.org';
const FEED = `tag:${HOST},2026:saved:1`;
const NOW = Math.floor(Date.now() / 1000);
const OLD = Date.UTC(2014, 2, 1) / 1000;

describe('a feed of a folder into which dumps are imported', () => {
  it('tells of old records by one entry an import, which names its source', async () => {
    await using place = await openPlace();
    const { bring, titles } = place;
    await bring(['RC_2014-03.zst', comments('o', 3_000, OLD)]);
    await bring(['RC_2026-11', comments('n', 2, NOW)]);
    assert.deepEqual(await titles(), [
      '/r/energy: solar n1',
      '/r/energy: solar n0',
      '3,000 older comments came in: RC_2014-03.zst',
    ]);
    await bring(['RC_2014-03.zst', comments('o', 3_000, OLD)]);
    assert.equal((await titles()).length, 3, 'the same dump brings nothing');

    await bring(['RC_2014-04.zst', comments('p', 1, OLD)]);
    const { entries } = await place.page();
    assert.equal(entries[0]!.title, '1 older comment came in: RC_2014-04.zst');
    assert.deepEqual(
      entries.flatMap(({ id }) => (id.startsWith(FEED) ? [id] : [])),
      [`${FEED}:import:4`, `${FEED}:import:1`],
    );
    const since = Number(entries[0]!.link);
    const { total } = await place.app.engine.ask({ kind: 'comment', since, query: { items: [] } });
    assert.equal(total, 1, 'its link leads to what it brought');
  });

  it('is another one once the import is done, and the same while nothing comes in', async () => {
    await using place = await openPlace();
    const { app } = place;
    const { engine, catalogue } = app;
    const old = comment({ id: 'o', body: 'solar', created: OLD });
    await engine.index('comment', packRecords([old]));
    const under = await feedFingerprint(app, 'comment');
    assert.match((await place.titles())[0]!, /^1 older comment came in$/);
    await place.bring(['posts', [postLine('p')]]);
    assert.equal(await feedFingerprint(app, 'comment'), under);
    const { arrival } = await engine.ask({ kind: 'comment', query: { items: [] } });
    const entry = catalogue.listImports()[0]!;
    catalogue.addImports([
      { ...entry, name: 'RC', arrivals: { comment: { first: arrival, last: arrival } } },
    ]);
    assert.notEqual(await feedFingerprint(app, 'comment'), under, 'its entry has another name by now');
    assert.match((await place.titles())[0]!, /: RC$/);
  });

  it('tells of a dump of old and new records once, on the page where its last arrival ends', async () => {
    await using place = await openPlace();
    const mixed = [comments('m', FEED_PAGE + 5, NOW), comments('o', 700, OLD)].flat();
    await place.bring(['RC_mixed', mixed]);
    const [first, second] = [await place.page(1), await place.page(2)];
    const older = [...first.entries, ...second.entries].filter(({ id }) => id.startsWith(FEED));
    const titles = older.map(({ title }) => title);
    assert.deepEqual(titles, ['700 older comments came in: RC_mixed']);
    assert.deepEqual([first.entries.length, second.entries.length], [FEED_PAGE, 6]);
  });
});

function comments(name: string, count: number, created: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    commentLine(`${name}${i}`, { created_utc: created + i, body: `solar ${name}${i}` }),
  );
}

async function openPlace() {
  const folder = temporaryFolder();
  const config = { ...readConfig({}), dataFolder: join(folder.path, 'data'), threads: 0 };
  const app: App = await openApp(config);
  const sources = join(folder.path, 'dumps');
  mkdirSync(sources);
  const wish: FeedWish = {
    ...{ id: FEED, kind: 'comment', query: 'solar', under: null, older: 'one' },
    ...{ page: 1, size: FEED_PAGE, host: HOST },
    home: (since) => `${since ?? ''}`,
  };
  const page = (number = 1) => feedPage(app, { ...wish, page: number });
  return {
    app,
    page,
    titles: async () => (await page()).entries.map(({ title }) => title),
    /** All in one run. */
    bring: (...files: (readonly [name: string, lines: readonly string[]])[]) => {
      const paths = files.map(([name, lines]) => {
        const bytes = Buffer.from(lines.join('\n'));
        const path = join(sources, name);
        writeFileSync(path, name.endsWith('.zst') ? zstdCompressSync(bytes) : bytes);
        return path;
      });
      async function* nothing() {}
      const { engine, catalogue } = app;
      const places = { permalinkBase: '', rejectsFolder: rejectsFolder(config), input: nothing() };
      const deps = { engine, catalogue, ...places };
      return importSources(paths, deps, { kind: null, restart: false, workers: 0 });
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
