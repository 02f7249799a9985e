// A short form of `npm run test:long -- live`: what is measured there is only counted here.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { runLive } from './live-run.ts';
import { fillFolder, startServer } from './live-server.ts';

const PATHS = ['the', 'the,-a', '"of the"', 'th*', ''].map(
  (query) => `/api/v1/search/comments?limit=25&query=${encodeURIComponent(query)}`,
);

it('batches that one process writes are found whole through the server of another, which answers on', async () => {
  using folder = temporaryFolder();
  const data = `${folder.path}/data`;
  await fillFolder(data, 2_000);
  await using server = await startServer(data);
  const options = {
    folder: data,
    server,
    paths: PATHS,
    seconds: 4,
    recordsASecond: 300,
    searchesASecond: 20,
  };
  const { batches, half, missing, searches, samples } = await runLive(options);
  assert.ok(batches > 0);
  assert.deepEqual({ half, missing, failed: searches.failed }, { half: 0, missing: 0, failed: 0 });
  assert.ok(samples.every(({ segments }) => segments <= 64));
});
