// Pages for reading were made of as many records as there were, however large: 500 comments of 1 MiB of a thread, or
// 100 results, went through the server as a whole, to be shown in part.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readThread } from '../../src/features/reading/threads.ts';
import { PageService } from '../../src/features/search/service.ts';
import { MAX_SHOWN_BYTES } from '../../src/model/pages.ts';
import { openService } from '../api/service.ts';
import { readArchive } from '../archive.ts';
import { comment, post } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';

const COUNT = 20;
const BYTES = 1_000_000;
const FITTING = Math.floor(MAX_SHOWN_BYTES / BYTES);

describe('pages for reading of large records', async () => {
  const comments = Array.from({ length: COUNT }, (_, i) =>
    comment({ id: `c${100 + i}`, created: i, post: 'p1', body: 'x'.repeat(BYTES) }),
  );
  const archive = ofTests(await openService([post({ id: 'p1' })], comments));
  const asked = readArchive(archive.engine);
  const service = new PageService(asked);

  it('a list of results ends early, and goes on behind that', async () => {
    const wish = { query: '', kind: 'comment', order: 'newest', limit: 100, cut: null } as const;
    const first = await service.page({ ...wish, after: null });
    assert.equal(first.records.length, FITTING);
    assert.equal(first.totals.comment, COUNT);
    const second = await service.page({ ...wish, after: String(first.next) });
    assert.equal(second.before, FITTING);
    assert.equal(second.next, null);
    const ids = [...first.records, ...second.records].map(({ id }) => id);
    assert.equal(new Set(ids).size, COUNT);
  });

  it('ten of the largest texts are all there for a visitor', async () => {
    const wish = { query: '', kind: 'comment', order: 'newest', limit: 10, cut: 10, after: null } as const;
    assert.equal((await service.page(wish)).records.length, 10);
  });

  it('a thread ends early, and goes on behind that', async () => {
    const read = (from: number) => readThread(asked, { post: 'p1', after: from, around: null, limit: 500 });
    const first = await read(0);
    assert.equal(first?.comments.length, FITTING);
    const second = await read(FITTING);
    assert.equal(second?.before, FITTING);
    assert.equal(second?.comments.length, COUNT - FITTING);
  });
});
