// Every page of searching in each of its states, for what holds of all of them. Pages of accounts are in
// test/account-pages/browser.test.ts.

import { linkPost } from '../helpers.ts';
import { PI_DAY } from './corpus.ts';

/** With names so short and so long that the line of links below a title breaks anywhere on a phone. */
export const NAMED = ['a', 'coachella', 'indieheads', 'listentothis_and_more'].flatMap((community, i) =>
  ['npr.org', 't.co', 'news.example.org', ''].map((domain, j) =>
    linkPost({
      id: `n${i}${j}`,
      community,
      domain,
      created: PI_DAY - 600 * 86_400 - i,
      score: 10 ** (i + j),
      title: 'First listen',
      url: `https://${domain === '' ? 'example.org' : domain}/${j}`,
    }),
  ),
);

/** Every page of searching and its states; what is clicked before it is looked at, by selector. */
export const PAGES: readonly (readonly [path: string, clicks?: readonly string[], who?: 'signed in'])[] = [
  ['/'],
  [
    '/search?query=solar',
    [
      ...['.panel > summary:has-text("as a table")', '.panel > summary:has-text("Copy as")'],
      ...['.inner > summary:text("Python")', '.doings button'],
    ],
  ],
  ['/search?query=solar&kind=comments&order_by=top'],
  ['/search?query=first+listen&timeline=share', ['.download > summary'], 'signed in'],
  ['/search?query=rooftop&after=1677000000000&trail=0.1677900000000', [], 'signed in'],
  ['/search?query=rated+before%3A2023-06-01+after%3A2020-01-01', [], 'signed in'],
  ['/search?query=panel&kind=comments&show=titles', [], 'signed in'],
  ['/coverage?subreddit=solarpower', ['.inner > summary']],
  ['/record/posts/p01?query=panel'],
  ['/record/posts/a0', ['.adult summary']],
  ['/record/comments/c00?query=panel'],
  ['/record/posts/nope'],
  ['/thread/p00?query=panel'],
  ['/thread/p00?query=panel&around=c42', [], 'signed in'],
  ['/search?query=%2Fr%2Fgrownups', ['.adult summary'], 'signed in'],
  ['/search?query=%2Fr%2Fgrownups&adult=shown', [], 'signed in'],
  ['/search?query=solar+OR+panel+before%3A2023-01-01'],
  ['/search?query=rooftop+zzz'],
  ['/search?query=rooftop&kind=comments'],
  ['/search?query=after%3A2023-02-30'],
  ['/search?query=solar&after=5'],
  ['/breakdown?query=&field=domain'],
  ['/breakdown?query=&field=domain&page=9'],
  ['/breakdown?query=&field=subreddit&prefix=s'],
  ['/breakdown?query=&field=subreddit&prefix=zzz'],
  ['/pictures?query=panel&kind=comments', ['.picture summary']],
  ['/pictures?query=panel+%2Fr%2Fsolar', ['.picture summary']],
  ['/pictures?query=zzz'],
  ['/compare?kind=comments&query=panel&query=solar&query=roof&query=number', ['.inner > summary']],
  ['/compare?query=panel'],
  ['/compare?query=panel&query=after%3A2023-02-30'],
  ['/docs'],
  ['/docs/query-language'],
  ['/docs/errors'],
  ['/docs/limits'],
  ['/docs/search?query=export'],
  ['/docs/reference'],
  ['/docs/reference/timeline-comments', ['.answer > summary:has-text("401")', '.fields summary']],
  ['/docs/reference/search-posts', ['.run summary', '.run button'], 'signed in'],
  ['/about', ['[data-shortcuts]']],
  ['/privacy'],
  ['/settings?return=%2Fabout'],
  ['/settings?saved=1'],
  ['/status'],
  ['/nope'],
];
