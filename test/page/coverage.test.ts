// The page of what the index covers.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineLimit, IndexDamage } from '../../src/model/engine-errors.ts';
import { DAY } from '../../src/model/time.ts';
import { type BuildOptions, openService, type Service } from '../api/service.ts';
import { comment, NO_SOURCE_FACTS, START_OF_2008 } from '../helpers.ts';
import { decode, readable, siteOfTests } from './site.ts';

const at = (day: number) => START_OF_2008 + day * DAY;
const COMMENTS = [0, 2, 70].flatMap((day) =>
  Array.from({ length: 100 }, (_, i) => comment({ id: `${day}x${i}`, created: at(day), community: 'cats' })),
);

describe('/coverage', () => {
  const { inject } = siteOfTests([], COMMENTS);
  let service: Service;
  before(async () => {
    service = await openService([], []);
  });
  after(() => service[Symbol.asyncDispose]());

  const page = async (
    path = '/coverage',
    ask: (path: string) => Promise<LightMyRequestResponse> = inject,
  ) => {
    const { statusCode, body } = await ask(path);
    // A space for each tag: cells of a table stand apart. The drawing says nothing that the table does not.
    const spaced = body.replace(/<svg class="timeline"[\s\S]*?<\/svg>/g, '').replaceAll('<', ' <');
    return { statusCode, body, text: readable(spaced) };
  };

  it('is in the head, and whole for visitors', async () => {
    assert.match((await inject('/')).body, /<a href="\/coverage">Coverage<\/a>/);
    const { statusCode, body, text } = await page();
    assert.equal(statusCode, 200);
    assert.match(body, /<a href="\/coverage" aria-current="page">/);
    assert.match(text, /300 comments from 2008-01-01 to 2008-03-11 : 2 of 3 months have some\./);
    assert.match(text, /Posts There are none\./);
    assert.match(text, /2008-01 200 1 0 200 – 2008-03 100/);
    assert.match(text, /Nothing has been imported yet\..*Nothing was removed here\./);
  });

  it('names the days without a record between busy weeks, and marks their months', async () => {
    const { body, text } = await page();
    assert.match(text, /Between busy weeks, 68 days have none:.* 2008-01-02 2008-01-04 to 2008-03-10/);
    assert.equal(body.match(/class="hit gap"/g)?.length, 3);
  });

  it('tells of the communities asked for, and refuses what is no name', async () => {
    const { text, body } = await page('/coverage?subreddit=r%2FCats,nowhere');
    assert.match(text, /\/r\/cats comments 300 2008-01-01 2008-03-11 2 of 3/);
    assert.match(text, /\/r\/nowhere comments 0 – – –/);
    assert.match(body, /name="subreddit" value="r\/Cats,nowhere"/);
    assert.equal((await page('/coverage?subreddit=a%20b')).statusCode, 400);
  });

  it('names the files that were imported, without their folders and as text alone', async () => {
    const digest = '0123456789abcdef'.repeat(4);
    service.catalogue.addImport({
      ...{ file: '/home/ann/<b>RC.zst', checksum: '', where: 'cats', counts: { read: 1234 } },
      ...{ started: at(1), finished: at(1), ...NO_SOURCE_FACTS },
      ...{ name: '<b>RC.zst', sha256: digest, bytes: 12_345_678, kind: 'comments' },
    });
    const { text, body } = await page('/coverage', await other({}));
    const row = `<b>RC.zst in part: cats comments 1,234 – – 2008-01-02 12.3 MB ${digest}`;
    assert.ok(text.includes(row), text);
    assert.ok(!decode(body).includes('ann'));
  });

  it('says of a kind that cannot be read, or that the engine cannot tell of, and shows the rest', async () => {
    const engine = {
      refresh: async () => undefined,
      coverage: async ({ kind }: { readonly kind: 'post' | 'comment' }) => {
        if (kind === 'post') throw new IndexDamage('post', 'posts.db: broken');
        throw new EngineLimit({ limit: 'not_here', what: 'months and gaps' });
      },
    };
    const archive = { engine: engine as unknown as SearchEngine };
    const { statusCode, text } = await page('/coverage', await other({ archive }));
    assert.equal(statusCode, 200);
    assert.match(text, /Posts cannot be read at the moment\./);
    assert.match(text, /Comments The search engine of this server cannot tell\./);
    assert.match(text, /RC\.zst/);
    assert.doesNotMatch(text, /posts\.db/);
  });

  async function other(options: BuildOptions) {
    const server = await service.build({ pages: {}, ...options });
    return (path: string): Promise<LightMyRequestResponse> => server.inject(path);
  }
});
