// Files as people hold them who have no dump: tables, exports, scraped threads. Each a small one of its shape.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ImportOptions } from '../../src/ingest/importer.ts';
import { KINDS } from '../../src/model/record.ts';
import { type ImportPlace, importPlace } from './import-helpers.ts';

const folder = fileURLToPath(new URL('shapes/', import.meta.url));

/** Kind, id, community, time of creation, the post (comments) or the text (posts); up by time. */
type Row = readonly [string, string, string, number, string];

async function rowsIn(place: ImportPlace): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of KINDS) {
    for await (const batch of place.engine.scan(kind, { items: [] }, 'oldest')) {
      for (const record of batch) {
        const { id, community, created } = record;
        rows.push([kind, id, community, created, record.kind === 'post' ? record.selftext : record.post]);
      }
    }
  }
  return rows;
}

const SHAPES: [file: string, options: Partial<ImportOptions>, rows: Row[], rejected: object][] = [
  [
    'posts-by-address.csv',
    {},
    [
      ['post', 'tb1', 'heatpumps', 1_612_117_815, 'Cold mornings, "warm" floor.\n\nAsk me anything.'],
      ['post', 'tb3', 'heatpumps', 1_612_118_000, ''],
    ],
    { no_community: 1 },
  ],
  [
    'posts-by-address.csv',
    { community: 'heatpumps' },
    [
      ['post', 'tb1', 'heatpumps', 1_612_117_815, 'Cold mornings, "warm" floor.\n\nAsk me anything.'],
      ['post', 'tb2', 'heatpumps', 1_612_117_900, ''],
      ['post', 'tb3', 'heatpumps', 1_612_118_000, ''],
    ],
    {},
  ],
  [
    'comments-with-prefixed-names.csv',
    {},
    [
      ['comment', 'xc1', 'heatpumps', 1_612_118_100, 'tb1'],
      ['comment', 'xc2', 'heatpumps', 1_612_118_200, 'tb1'],
      ['comment', 'xc3', 'u_quiet_cellar', 1_612_118_300, 'up1'],
    ],
    {},
  ],
  [
    'posts-by-permalink.csv',
    {},
    [
      ['post', 'pl1', 'oldmachines', 1_372_096_774, ''],
      ['post', 'pl2', 'oldmachines', 1_372_161_600, 'It has no handle.'],
    ],
    {},
  ],
  [
    'comments-of-one-community.csv',
    { community: 'ponds' },
    [
      ['comment', 'oc1', 'ponds', 1_612_117_815, ''],
      ['comment', 'oc2', 'ponds', 1_612_117_815, ''],
    ],
    {},
  ],
  [
    'records-of-the-site.ndjson',
    {},
    [
      ['post', 'so1', 'solarpower', 1_612_117_815, 'Does it slide off?'],
      ['comment', 'so2', 'solarpower', 1_612_117_900, 'so1'],
      ['comment', 'so3', 'u_quiet_cellar', 1_612_118_000, ''],
    ],
    {},
  ],
  [
    'scraped-thread.json',
    {},
    [
      ['post', 'th1', 'beekeeping_notes', 1_612_072_800, 'How are yours?'],
      ['comment', 'th_c1', 'beekeeping_notes', 1_612_077_000, 'th1'],
      ['comment', 'th_c2', 'beekeeping_notes', 1_612_078_200, 'th1'],
      ['comment', 'th_c3', 'beekeeping_notes', 1_612_080_000, 'th1'],
    ],
    {},
  ],
  [
    'collection.json',
    {},
    [
      ['post', 'co1', 'oldmachines', 1_612_117_815, ''],
      ['post', 'co2', 'oldmachines', 1_612_117_900, 'It turns again.'],
    ],
    {},
  ],
];

describe('shapes that people hold', () => {
  for (const [file, options, rows, rejected] of SHAPES) {
    const given = options.community === undefined ? '' : `, of ${options.community}`;
    it(`${file}${given}: ${rows.length} records`, async () => {
      await using place = await importPlace();
      const report = await place.run([`${folder}${file}`], { workers: 0, ...options });
      assert.deepEqual(report.rejected, rejected);
      assert.deepEqual(await rowsIn(place), rows);
      const again = await place.run([`${folder}${file}`], { workers: 0, ...options });
      assert.equal(again.unchanged, rows.length);
    });
  }

  it('a table that does not name its community is refused in one line that says how to name it', async () => {
    await using place = await importPlace();
    await assert.rejects(place.run([`${folder}comments-of-one-community.csv`]), {
      name: 'UsageError',
      message:
        /^`.*comments-of-one-community\.csv`: neither posts nor comments: expected a community \(.*`--community NAME`\) too, found the columns `id`, `created_utc`, `body`, `score`$/,
    });
  });

  it('an import of another community begins at the beginning', async () => {
    await using place = await importPlace();
    const lines = Array.from({ length: 40 }, (_, i) => `c${i},${i},text`);
    const file = place.file('table.csv', `id,created_utc,body\n${lines.join('\n')}\n`);
    const stop = new AbortController();
    const first = { community: 'one', batchRecords: 10, signal: stop.signal, onProgress: () => stop.abort() };
    await place.run([file], first);
    const report = await place.run([file], { community: 'two' });
    assert.deepEqual([report.sources[0]?.resumed_behind_line, report.read], [0, 40]);
  });
});
