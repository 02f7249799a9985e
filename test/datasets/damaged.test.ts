// What becomes of data sets whose files are damaged on the disk.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { App } from '../../src/app.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { shelfOf } from '../../src/features/export/datasets/shelf.ts';
import { datasetsOf } from '../../src/features/export/datasets/store.ts';
import { log } from '../../src/log.ts';
import { comment, temporaryFolder } from '../helpers.ts';
import { define, make, openData } from './house.ts';

const DAMAGES = [
  ['cut off', '{"number":1,'],
  ['empty', ''],
  ['zeros', '\0'.repeat(64)],
  ['other JSON', '{}'],
  ['null', 'null'],
] as const;

/** Calls it, and gives how often the log warned of the data set. */
function warningsOf(name: string, call: () => void): number {
  const { warn } = log;
  let told = 0;
  log.warn = ((fields: { readonly dataset?: string }) => {
    if (fields.dataset === name) told++;
  }) as typeof warn;
  try {
    call();
  } finally {
    log.warn = warn;
  }
  return told;
}

/** With the data sets `damaged` and `sound`. */
async function openHouse(folder: string): Promise<App> {
  const app = await openData(join(folder, 'data'));
  await app.engine.index('comment', packRecords([comment({ id: 'c1', body: 'solar' })]));
  for (const name of ['damaged', 'sound']) {
    define(app, { name, kinds: ['comment'], formats: ['ndjson.zst'] });
    await make(app, name);
  }
  return app;
}

describe('one damaged description of an edition kept all data sets from being listed and made anew', () => {
  for (const [what, text] of DAMAGES) {
    it(what, async () => {
      using folder = temporaryFolder();
      await using app = await openHouse(folder.path);
      // Before the shelf has read it.
      const edition = shelfOf(app).folderOf(datasetsOf(app.catalogue).get('damaged')!);
      writeFileSync(join(edition, 'edition.json'), text);
      const editions = () =>
        shelfOf(app)
          .list()
          .map(({ edition }) => edition?.number ?? null);
      const told = warningsOf('damaged', () => {
        for (let time = 0; time < 3; time++) {
          assert.deepEqual(editions(), [null, 1]);
          assert.deepEqual(shelfOf(app).due(), ['damaged']);
        }
      });
      assert.equal(told, 1);
      await assert.rejects(shelfOf(app).open('damaged', 'README.md'), { code: 'dataset_withdrawn' });
      await make(app, 'damaged');
      assert.deepEqual([editions(), shelfOf(app).due()], [[2, 1], []]);
      await using file = await shelfOf(app).open('damaged', 'damaged-comments.ndjson.zst');
      assert.ok(file.bytes > 0);
    });
  }
});
