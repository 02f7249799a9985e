// What a running server does for data sets.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { makeDue, shelfOf } from '../../src/features/export/datasets/shelf.ts';
import { datasetsOf } from '../../src/features/export/datasets/store.ts';
import { comment, temporaryFolder } from '../helpers.ts';
import { define, make, openData } from './house.ts';

it('upkeep of data sets makes the ones behind one that cannot be made', async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  await using app = await openData(data);
  await app.engine.index('comment', packRecords([comment({ id: 'c1', body: 'solar' })]));
  const store = datasetsOf(app.catalogue);
  for (const name of ['alpha', 'beta']) {
    define(app, { name, query: 'solar', kinds: ['comment'], formats: ['ndjson.zst'] });
    await make(app, name);
    store.withdraw(name, 1, null);
  }
  {
    using catalogue = new DatabaseSync(join(data, 'catalogue.db'));
    // A query that an export refuses.
    catalogue.exec("UPDATE datasets SET query = 'before:2024-01-01' WHERE name = 'alpha'");
  }
  await makeDue(app, new AbortController().signal);
  assert.deepEqual(shelfOf(app).due(), ['alpha']);
  assert.deepEqual([store.get('beta')!.state, store.get('beta')!.edition], ['published', 2]);
});
