// An import into a folder that a server serves.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { BATCH_RECORDS } from '../../src/ingest/batcher.ts';
import { START_OF_2008, temporaryFolder } from '../helpers.ts';
import { colloquy, serve, start, until } from '../processes.ts';
import { commentLine } from './import-helpers.ts';

/** One comment a second. */
function lines(from: number, to: number): string {
  const line = (i: number) => `${commentLine(`c${i}`, { created_utc: START_OF_2008 + i })}\n`;
  return Array.from({ length: to - from }, (_, i) => line(from + i)).join('');
}

it('a server shows what an import commits, whole batches in the order of the source, without a restart', {
  timeout: 300_000,
}, async () => {
  using folder = temporaryFolder();
  const data = ['--data', join(folder.path, 'data')];
  const key = (await colloquy(['keys', 'create', '--account', 'ann@example.org', ...data])).stdout.trim();
  await using server = await serve(['--no-sample', ...data]);

  /** How many comments there are. They are always the first ones of the source, without a hole. */
  async function shown(): Promise<number> {
    const response = await fetch(`${server.address}/api/v1/search/comments?query=&limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(response.status, 200);
    const { total_count, data } = JSON.parse(await response.text());
    const newest = data[0]?.created_utc ?? START_OF_2008 - 1;
    assert.equal(newest - START_OF_2008 + 1, total_count);
    return total_count;
  }

  assert.equal(await shown(), 0);
  await using importing = start(['import', '-', ...data]);
  let seen = 0;
  for (let sent = 0; sent < 2; sent++) {
    // Enough for a batch, and for what is on its way through the import.
    const from = sent * 2 * BATCH_RECORDS;
    importing.process.stdin!.write(lines(from, from + 2 * BATCH_RECORDS));
    const before = seen;
    seen = await until(async () => {
      const now = await shown();
      assert.ok(now === seen || now - seen >= BATCH_RECORDS, `${now} records behind ${seen}`);
      return now > before ? now : null;
    });
  }
  importing.process.stdin!.end();
  assert.equal(await importing.ended, 0);
  assert.equal(await shown(), 4 * BATCH_RECORDS);
});
