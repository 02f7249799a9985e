// The page of what the index covers.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineLimit, IndexDamage } from '../../src/model/engine-errors.ts';
import { DAY } from '../../src/model/time.ts';
import { type BuildOptions, openService } from '../api/service.ts';
import { comment, NO_SOURCE_FACTS, START_OF_2008 } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { decode, readable, siteOfTests } from './site.ts';

const at = (day: number) => START_OF_2008 + day * DAY;
const COMMENTS = [0, 2, 70].flatMap((day) =>
  Array.from({ length: 100 }, (_, i) => comment({ id: `${day}x${i}`, created: at(day), community: 'cats' })),
);

/** Ten comments a day for a hundred days, but for two. */
const DENSE = Array.from({ length: 1000 }, (_, i) => Math.floor(i / 10))
  .filter((day) => day !== 40 && day !== 41)
  .map((day, i) => comment({ id: `d${i}`, created: at(day) }));
/** In January 2008, in January and February 2015, and in May 2015. */
const SPARSE = [0, 2557, 2588, 2690].map((day) => comment({ id: `s${day}`, created: at(day) }));

describe('/coverage', async () => {
  const { inject } = siteOfTests([], COMMENTS);
  const dense = siteOfTests([], DENSE);
  const sparse = siteOfTests([], SPARSE);
  const service = ofTests(await openService([], []));

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
    assert.match(text, /Nothing has been imported yet\..*Nothing has been removed\./);
  });

  it('names the days without a record between busy weeks, and marks their months', async () => {
    const { body, text } = await page('/coverage', dense.inject);
    assert.match(text, /2 days between busy weeks have no records: 2008-02-10 to 2008-02-11/);
    assert.equal(body.match(/class="hit gap"/g)?.length, 1);
    assert.doesNotMatch(text, /No comments|sample/);
  });

  it('said "no gap" above seven blank years: names runs of empty months, and says that it is a sample, without yellow', async () => {
    const { body, text } = await page();
    assert.match(text, /2 of 3 months have some\. No comments in February 2008 /);
    assert.match(text, /Days are missing in over half of the months: this is a sample/);
    assert.doesNotMatch(body, /class="hit gap"|class="gaps"/);
    const { text: years } = await page('/coverage', sparse.inject);
    assert.match(
      years,
      /No comments from February 2008 to December 2014 No comments from March 2015 to April/,
    );
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
    service.catalogue.addImports([
      {
        ...{ file: '/home/ann/<b>RC.zst', checksum: '', where: 'cats', counts: { read: 1234 } },
        ...{ started: at(1), finished: at(1), ...NO_SOURCE_FACTS },
        ...{ name: '<b>RC.zst', sha256: digest, bytes: 12_345_678, kind: 'comments' },
      },
    ]);
    const { text, body } = await page('/coverage', await other({}));
    assert.ok(text.includes(`<b>RC.zst in part: cats comments 1,234 – – 2008-01-02 12.3 MB ${digest}`), text);
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
    assert.match(text, /Comments This server’s search engine cannot report coverage\./);
    assert.match(text, /RC\.zst/);
    assert.doesNotMatch(text, /posts\.db/);
  });

  async function other(options: BuildOptions) {
    const server = await service.build(options);
    return (path: string): Promise<LightMyRequestResponse> => server.inject(path);
  }
});
