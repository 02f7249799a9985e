// `under`: comments of posts that match another query. Limits and walks are in ../under.test.ts.

import { answered, COMMENTS_PATH, POSTS_PATH, refused, type Scenario } from './scenario.ts';

const rows = [
  answered(
    'only comments of posts that match, and the canonical form behind the query',
    'query=&under=rock+and+/R/Music+score:%3C%3D0',
    { total: 1, ids: ['c3'], echo: '', under: 'rock,and,/r/music,score:..0' },
  ),
  answered('both queries hold', 'query=lovely&under=rock', {
    total: 0,
    ids: [],
    echo: 'lovely',
    under: 'rock',
  }),
  answered('a comment without a known post is under none', 'query=&under=-nothinglikethis', { ids: ['c3'] }),
  answered('empty counts as absent', 'query=lovely&under=', { ids: ['c1'], under: null }),
  answered('separators alone count as absent', 'query=lovely&under=+,', { ids: ['c1'], under: null }),
  answered(
    'the window is added to the query alone',
    'query=before:2021-01-02&under=rock+before:2021-02-01+after:1970-01-01',
    {
      ids: ['c3'],
      echo: 'before:2021-01-02,after:2021-01-01',
      under: 'rock,before:2021-02-01,after:1970-01-01',
      sends: { 'colloquy-implied': 'after:2021-01-01' },
    },
  ),
  refused(
    'before: alone is refused in under, with its place there',
    'query=lovely&under=rock,before:2021-02-01',
    'open_window',
    { position: [5, 17], parameter: 'under', detail: /^parameter `under`: .*after:1970-01-01/ },
  ),
  refused('errors of the language name the parameter', 'query=lovely&under=rock,score:abc', 'bad_score', {
    position: [5, 9],
    parameter: 'under',
    detail: /^parameter `under`: expected .*`score:abc`/,
  }),
  refused('signs alone', 'query=lovely&under=!!!', 'nothing_to_search', {
    position: [0, 3],
    parameter: 'under',
  }),
  refused('the limits of a query hold in it', `query=lovely&under=${'a,'.repeat(65)}`, 'too_many_items', {
    position: [128, 1],
    parameter: 'under',
  }),
  refused('an error of the query comes first', 'query=score:x&under=score:abc', 'bad_score', [0, 7]),
  answered(
    'what is dropped of it is told behind what is dropped of the query',
    'query=cats%2B%2B&under=C%23',
    { sends: { 'colloquy-dropped': '%"cats++", %"C#"' } },
  ),
  refused(
    'posts are under none: the parameter is unknown there',
    'query=cats&under=cats',
    'unknown_parameter',
    { path: POSTS_PATH, detail: /`since`, found parameter `under`/ },
  ),
  refused('twice is once too often', 'query=&under=a&under=b', 'repeated_parameter', /`under`/),
];

export const under: readonly Scenario[] = rows.map((row) => ({ path: COMMENTS_PATH, ...row }));
