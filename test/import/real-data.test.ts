// Imports of real dumps that lie beside the project, against counts that do not come from the importer.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import type { Row } from '../../src/ingest/normalise/cells.ts';
import { normalise } from '../../src/ingest/normalise/normalise.ts';
import { wholeStats } from '../whole-stats.ts';
import { expectSum, test } from './import-helpers.ts';

const fixtures = fileURLToPath(new URL('../../../shared/data/fixtures/', import.meta.url));
const threads = `${fixtures}../corpus/threads_146k.ndjson.zst`;
const skip = existsSync(fixtures) ? false : 'the real dumps (../shared/data) are not here';

/** Path, records that are read, and what else is true of the report. Counted with zstd, wc, grep and Python's csv. */
const DUMPS: [path: string, read: number, left: { skipped?: object; rejected?: object }][] = [
  ['pushshift_dumps/RC_2005-12.zst', 1075, {}],
  ['pushshift_dumps/RS_2006-Q1.sample200.ndjson', 200, {}],
  ['pushshift_dumps/RS_2019-10_AskWomen.sample60.ndjson', 60, {}],
  ['subreddit_dump/AskMen_submissions.zst', 13_050, {}],
  ['awkward/posts_awkward.ndjson', 112, { skipped: { promoted: 5 } }],
  ['awkward/comments_awkward.ndjson', 146, {}],
  ['reddit_listing/comment_tree_listing.json', 7, { skipped: { placeholder: 1 } }],
  ['reddit_listing/comments_listing.json', 6, {}],
  ['reddit_listing/posts_listing_0.json', 25, { skipped: { promoted: 5 } }],
  ['reddit_listing/posts_listing_1.json', 100, {}],
  ['reddit_listing/user_overview_mixed_listing.json', 18, {}],
  ['socialgrep_csv/climate_and_irl_comments.csv', 5, {}],
  ['socialgrep_csv/me_irl_comments.csv', 8, {}],
  ['socialgrep_csv/me_irl_posts.csv', 10, {}],
  ['socialgrep_csv/r_datasets_comments.csv', 98, {}],
  ['socialgrep_csv/r_datasets_posts.pandas-resaved.csv', 19, {}],
  ['other_csv/umbrae_top_posts.csv', 80, {}],
  ['other_csv/URS_thread_2024-08-18-ethfinance-1ev1b2x.json', 70, {}],
  // Of 80 posts 24 are text posts, whose address names the community.
  ['in_the_wild/kaggle_wsb_head.csv', 80, { rejected: { no_community: 56 } }],
  ['in_the_wild/praw_export_comments_head.csv', 80, {}],
  ['in_the_wild/urs_submission.json', 39, {}],
  ['in_the_wild/api_collection.json', 3, {}],
];

const REFUSED: [path: string, found: RegExp][] = [
  ['other_csv/linanqiu_lifestyle_drunk.head60.csv', /found text that begins with/],
  ['other_csv/mais_RC_2023-11.head150.csv', /found text that begins with/],
];

describe('real dumps', { skip }, () => {
  for (const [path, read, { skipped = {}, rejected = {} }] of DUMPS) {
    test(`${path}: ${read} read`, async (place) => {
      const report = await place.run([`${fixtures}${path}`]);
      assert.deepEqual([report.read, report.skipped, report.rejected], [read, skipped, rejected]);
      expectSum(report);
    });
  }

  for (const [path, found] of REFUSED) {
    test(`${path}: refused`, async (place) => {
      await assert.rejects(place.run([`${fixtures}${path}`]), found);
    });
  }

  test('a table of one community is in as a whole where the community is said', async (place) => {
    const options = { community: 'wallstreetbets' };
    const report = await place.run([`${fixtures}in_the_wild/kaggle_wsb_head.csv`], options);
    assert.deepEqual([report.added, report.rejected], [80, {}]);
    const { post } = await wholeStats(place.engine);
    assert.equal(post.communities, 1);
  });

  it('every parent of the daily threads comes through', () => {
    const lines = zstdDecompressSync(readFileSync(threads)).toString().split('\n');
    const found = { top: 0, answers: 0 };
    for (const line of lines) {
      const row = line === '' ? {} : (JSON.parse(line) as Row);
      if (typeof row.body !== 'string') continue;
      const outcome = normalise(row, { kind: null, permalinkBase: '' });
      assert.ok(outcome.kind === 'record' && outcome.record.kind === 'comment', line);
      const { post, parent } = outcome.record;
      assert.equal(`${parent === post ? 't3' : 't1'}_${parent}`, row.parent_id);
      found[parent === post ? 'top' : 'answers']++;
    }
    // Counted with zstd and grep.
    assert.deepEqual(found, { top: 28_024, answers: 117_598 });
  });

  test('ratings of the published dataset are kept', async (place) => {
    await place.run([`${fixtures}socialgrep_csv/climate_and_irl_comments.csv`]);
    const first = (await place.records()).find(({ id }) => id === 'imlbfv6');
    assert.ok(first?.kind === 'comment');
    assert.deepEqual([first.sentiment, first.ratings.length, first.post], [0.3182, 1, 'x2phwz']);
  });
});
