import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from '../../../model/record.ts';
import { Fingerprints } from '../answering/stats.ts';
import type { Reader } from '../state/reader.ts';
import type { Store } from '../state/store.ts';
import { Exports } from './exports.ts';

it('views of comments that are lost before posts are there ended the process', async () => {
  const hold = async (kind: Kind) => {
    await sleep(kind === 'post' ? 30 : 1);
    throw new Error(`no ${kind}s`);
  };
  const store = { settings: {}, client: {} } as Store;
  const reader = { hold } as unknown as Reader;
  await using exports = new Exports(store, reader, new Fingerprints(store));
  const shaper = { url: 'none:', options: null };
  const request = {
    kind: 'comment',
    query: { items: [] },
    order: 'oldest',
    after: null,
    limit: null,
    shaper,
  } as const;
  await assert.rejects(exports.open(request), /no posts|no comments/);
  await sleep(50);
});
