// Files as people hold them who have no dump: tables, exports, scraped threads. Each a small one of its shape.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ImportOptions } from '../../src/ingest/importer.ts';
import { type ImportPlace, test } from './import-helpers.ts';

const folder = fileURLToPath(new URL('shapes/', import.meta.url));

/** Kind, id, community, time of creation, the post (comments) or the text (posts); up by time. */
async function rowsIn(place: ImportPlace): Promise<string[]> {
  return (await place.records()).map((record) => {
    const { kind, id, community, created } = record;
    return `${kind} ${id} ${community} ${created} ${record.kind === 'post' ? record.selftext : record.post}`;
  });
}

/** 2021-01-31 18:30:15 UTC, of which most rows are. */
const H1 = 'post h1 heatpumps 1612117815';
const HC1 = 'comment hc1 heatpumps 1612117815 h1';

const SHAPES: [file: string, rows: string[], rejected?: object, options?: Partial<ImportOptions>][] = [
  [
    'posts-by-address.csv',
    [
      'post tb1 heatpumps 1612117815 Cold mornings, "warm" floor.\n\nAsk me anything.',
      'post tb3 heatpumps 1612118000 ',
    ],
    { no_community: 1 },
  ],
  [
    'posts-by-address.csv',
    [
      'post tb1 heatpumps 1612117815 Cold mornings, "warm" floor.\n\nAsk me anything.',
      'post tb2 heatpumps 1612117900 ',
      'post tb3 heatpumps 1612118000 ',
    ],
    {},
    { community: 'heatpumps' },
  ],
  [
    'comments-with-prefixed-names.csv',
    [
      'comment xc1 heatpumps 1612118100 tb1',
      'comment xc2 heatpumps 1612118200 tb1',
      'comment xc3 u_quiet_cellar 1612118300 up1',
    ],
  ],
  [
    'posts-by-permalink.csv',
    ['post pl1 oldmachines 1372096774 ', 'post pl2 oldmachines 1372161600 It has no handle.'],
  ],
  [
    'comments-of-one-community.csv',
    ['comment oc1 ponds 1612117815 ', 'comment oc2 ponds 1612117815 '],
    {},
    { community: 'ponds' },
  ],
  [
    'records-of-the-site.ndjson',
    [
      'post so1 solarpower 1612117815 Does it slide off?',
      'comment so2 solarpower 1612117900 so1',
      'comment so3 u_quiet_cellar 1612118000 ',
    ],
  ],
  [
    'scraped-thread.json',
    [
      'post th1 beekeeping_notes 1612072800 How are yours?',
      'comment th_c1 beekeeping_notes 1612077000 th1',
      'comment th_c2 beekeeping_notes 1612078200 th1',
      'comment th_c3 beekeeping_notes 1612080000 th1',
    ],
  ],
];

/** Heads as they lie on Kaggle and GitHub, and what is read of them. */
const HEADS: [shape: string, text: string, rows: string[], columns?: ReadonlyMap<string, string>][] = [
  [
    'posts without an id but a permalink, by a loop over PRAW',
    `title,selftext,permalink,created_utc\nSeals,All of them.,/r/HeatPumps/comments/h1/seals/,1612117815.0\n`,
    [`${H1} All of them.`],
  ],
  [
    'comments without an id but a permalink',
    `text,author,timestamp,permalink\nYes.,a,2021-01-31 18:30:15,https://reddit.com/r/HeatPumps/comments/h1/seals/hc1/\n`,
    [HC1],
  ],
  [
    'posts by `post_id` and `body_text`',
    `post_id,subreddit,title,body_text,created_at,num_comments\nh1,HeatPumps,Seals,All of them.,2021-01-31T18:30:15Z,3\n`,
    [`${H1} All of them.`],
  ],
  [
    'posts whose columns are words for people',
    `Post ID,Title,Content,Subreddit,Created UTC,Upvotes\nh1,Seals,All of them.,HeatPumps,1612117815,9\n`,
    [`${H1} All of them.`],
  ],
  [
    'comments by `comment_id`, `comment_text` and `comment_created_utc`',
    `comment_id,post_id,subreddit,comment_text,comment_created_utc,comment_score\nhc1,h1,HeatPumps,Yes.,1612117815,2\n`,
    [HC1],
  ],
  [
    'comments joined with their posts',
    `id,title,selftext,score,created_utc,subreddit,post_id,comment_id,comment_body,comment_score,comment_created_utc\n0,Seals,All.,9,1612117000,HeatPumps,h1,hc1,Yes.,2,1612117815\n`,
    [HC1],
  ],
  [
    'posts of Pushshift’s API with `full_link`',
    `author,created_utc,domain,full_link,id,is_self,score,selftext,title,url\na,1612117815,self.HeatPumps,https://www.reddit.com/r/HeatPumps/comments/h1/seals/,h1,True,1,All.,Seals,https://www.reddit.com/r/HeatPumps/comments/h1/seals/\n`,
    [`${H1} All.`],
  ],
  [
    'a scraper’s JSON of both kinds in camel case',
    JSON.stringify([
      {
        ...{ id: 't3_h1', parsedId: 'h1', communityName: 'r/HeatPumps', title: 'Seals', body: 'All.' },
        ...{ createdAt: '2021-01-31T18:30:15.000Z', upVotes: 9, dataType: 'post' },
      },
      {
        ...{ id: 't1_hc1', postId: 't3_h1', parentId: 't3_h1', communityName: 'r/HeatPumps', body: 'Yes.' },
        ...{ createdAt: '2021-01-31T18:30:16.000Z', upVotes: 2, dataType: 'comment' },
      },
    ]),
    [`${H1} All.`, 'comment hc1 heatpumps 1612117816 h1'],
  ],
  [
    'a list in `data` that has its community in the permalink alone',
    `{"data":[{"id":"hc1","body":"Yes.","created_utc":1612117815,"permalink":"/r/HeatPumps/comments/h1/seals/hc1/"}]}`,
    [HC1],
  ],
  [
    'columns by their number: `--column`',
    `,0,1,2,3,4\n0,yes  that,hc1,HeatPumps,x,1612117815\n`,
    ['comment hc1 heatpumps 1612117815 '],
    new Map(Object.entries({ 0: 'body', 1: 'id', 2: 'subreddit', 4: 'created_utc' })),
  ],
  [
    'keys of JSON by `--column`',
    `{"post_number":"h1","headline":"Seals","forum":"HeatPumps","when":1612117815}\n`,
    [`${H1} `],
    new Map(
      Object.entries({ post_number: 'id', headline: 'title', forum: 'subreddit', when: 'created_utc' }),
    ),
  ],
];

describe('shapes that people hold', () => {
  for (const [file, rows, rejected = {}, options = {}] of SHAPES) {
    const given = options.community === undefined ? '' : `, of ${options.community}`;
    test(`${file}${given}: ${rows.length} records`, async (place) => {
      const report = await place.run([`${folder}${file}`], { ...options });
      assert.deepEqual(report.rejected, rejected);
      assert.deepEqual(await rowsIn(place), rows);
      const again = await place.run([`${folder}${file}`], { ...options });
      assert.equal(again.unchanged, rows.length);
    });
  }

  for (const [shape, text, rows, columns] of HEADS) {
    test(shape, async (place) => {
      const report = await place.run([place.file('head', text)], { columns });
      assert.deepEqual(report.rejected, {});
      assert.deepEqual(await rowsIn(place), rows);
    });
  }

  test('a column that is not there is told', async (place) => {
    const file = place.file('table.csv', 'id,subreddit,created_utc,body\nc1,one,1,text\n');
    const run = place.run([file], { columns: new Map([['karma', 'score']]) });
    await assert.rejects(run, /expected a column `karma` too, found the columns `id`/);
  });

  test('a table that does not name its community is refused in one line that says how to name it', async (place) => {
    await assert.rejects(place.run([`${folder}comments-of-one-community.csv`]), {
      name: 'UsageError',
      message: /^`.*-community\.csv`: neither .* a community \(.*`--community NAME`\) too, found .*$/,
    });
  });

  test('an import of another community begins at the beginning', async (place) => {
    const lines = Array.from({ length: 40 }, (_, i) => `c${i},${i},text`);
    const file = place.file('table.csv', `id,created_utc,body\n${lines.join('\n')}\n`);
    await place.runStopped([file], { community: 'one', batchRecords: 10 });
    const report = await place.run([file], { community: 'two' });
    assert.deepEqual([report.sources[0]?.resumed_behind_line, report.read], [0, 40]);
  });
});
