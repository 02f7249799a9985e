// Parameters and cursors: which page comes, and which is refused.

import { answered, COMMENTS_PATH, refused, type Scenario } from './scenario.ts';

const NEW_YEAR_MS = 1_609_459_200_000;
const top = (score: number, second: number) => (score + 2 ** 20) * 2 ** 32 + second;

const FOREIGN_NAMES = [
  ['size', /found parameter `size`; here it is `limit`$/],
  ['q', /; here it is `query`$/],
  ['subreddit', /; write `\/r\/name` in `query`$/],
  ['author', /; authors are not stored/],
  ['sort_type', /; here it is `order_by`$/],
  ['page', /; here `after` leads to the next page/],
  ['until', /; write `before:2024-01-31` in `query`$/],
] as const;

const NEWEST = ['rock1', 'video1', 'cats1', 'tie3', 'tie2', 'tie1'];

export const parameters: readonly Scenario[] = [
  answered('an empty query is every record, newest first', 'query=', {
    total: 16,
    echo: '',
    ids: [...NEWEST, ...[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((i) => `adult${i}`)],
  }),
  answered('a query of separators is every record', 'query=,+,', { total: 16, echo: '' }),
  refused('no query', 'limit=1', 'missing_query'),
  refused('nothing behind the path', null, 'missing_query'),
  answered('commas and colons in escapes, as in the interface', 'query=cats%2C%2Fr%2Faww', {
    ids: ['cats1'],
    echo: 'cats,/r/aww',
  }),
  answered('commas and colons as they are', 'query=cats,site:youtube.com', {
    ids: ['video1'],
    echo: 'cats,site:youtube.com',
  }),
  refused('a percent sign alone', 'query=100%', 'bad_encoding', /`%25`/),
  refused(
    'a misspelt parameter is named, with the known ones',
    'query=a&orderby=top',
    'unknown_parameter',
    /`order_by`.*`orderby`/,
  ),
  ...FOREIGN_NAMES.map(([name, clause]) =>
    refused(
      `what other services call a parameter has a clause: ${name}`,
      `query=a&${name}=1`,
      'unknown_parameter',
      clause,
    ),
  ),
  refused(
    'a key in the address is a parameter like any other',
    'query=a&api_key=x',
    'unknown_parameter',
    /`api_key`/,
  ),
  refused('a name in another case', 'Query=a', 'unknown_parameter', /`Query`/),
  refused('a name that every object has', 'query=&constructor=a', 'unknown_parameter', /`constructor`/),
  refused(
    'a line break in a name broke the message in two',
    'query=&a%0Ab=1',
    'unknown_parameter',
    /`a\ufffdb`/,
  ),
  refused('a name that is empty', 'query=&=a', 'unknown_parameter', /``/),
  refused('an empty parameter given twice', 'query=&after=&after=', 'repeated_parameter', /`after`/),
  refused('a parameter given twice', 'query=a&query=b', 'repeated_parameter', /`query`/),
  answered('order_by=oldest', 'query=cats&order_by=oldest', { ids: ['cats1', 'video1'] }),
  answered('order_by=newest', 'query=cats&order_by=newest', { ids: ['video1', 'cats1'] }),
  answered('order_by=top', 'query=/r/aww,/r/music,/r/videos&order_by=top', {
    ids: ['video1', 'cats1', 'rock1'],
  }),
  answered('an empty order_by is newest', 'query=cats&order_by=', { ids: ['video1', 'cats1'] }),
  refused('an order there is not', 'query=cats&order_by=best', 'bad_order', /`newest`, `oldest` or `top`/),
  answered('limit=1 gives one', 'query=cats&limit=1', {
    total: 2,
    ids: ['video1'],
    sortKey: [[NEW_YEAR_MS + 2 * 86_400_000]],
  }),
  answered('limit=0 gives counts only', 'query=cats&limit=0', { total: 2, ids: [], sortKey: [] }),
  answered(
    'fields are those asked for, in that order',
    'query=cats&limit=1&fields=score,id,created,retrieved_utc',
    { data: '[{"score":1000,"id":"video1","created":"2021-01-03T00:00:00Z","retrieved_utc":null}]' },
  ),
  answered(
    'arrived_utc is a time, of the invented records that of their import',
    'query=cats&limit=1&fields=arrived_utc',
    { data: /^\[\{"arrived_utc":\d{10}\}\]$/ },
  ),
  answered('fields of comments have the post', 'query=No&fields=post_id,type', {
    path: COMMENTS_PATH,
    data: '[{"post_id":"rock1","type":"comment"}]',
  }),
  answered('empty fields are those of the interface', 'query=rock&fields=', { ids: ['rock1'] }),
  refused(
    'every field that is unknown is named, with the known ones',
    'query=cats&fields=id,body,author',
    'bad_fields',
    /a post \(`type`, .*`arrived_utc`\), found `body`, `author`$/,
  ),
  refused('bad fields with limit=0', 'query=cats&limit=0&fields=x', 'bad_fields'),
  refused('a bad query comes before bad fields', 'query=score:x&fields=x', 'bad_score'),
  answered('limit=1000', 'query=cats&limit=1000', { total: 2 }),
  refused('limit=1001', 'query=cats&limit=1001', 'bad_limit', /0 to 1000, found `1001`/),
  refused('limit=-1', 'query=cats&limit=-1', 'bad_limit', /`-1`/),
  refused('an empty limit', 'query=cats&limit=', 'bad_limit', /``/),
  ...['+1', '1.0', '1e2', '١'].map((limit) =>
    refused(`limit=${limit}`, `query=cats&limit=${encodeURIComponent(limit)}`, 'bad_limit'),
  ),
  refused('an order in another case', 'query=cats&order_by=TOP', 'bad_order', /`TOP`/),
];

export const cursors: readonly Scenario[] = [
  answered('an empty after is the first page', 'query=/r/ties&after=', { ids: ['tie3', 'tie2', 'tie1'] }),
  answered('after a whole second, newest', `query=&limit=2&after=${NEW_YEAR_MS + 86_400_000}`, {
    ids: ['tie3', 'tie2'],
    sortKey: [[NEW_YEAR_MS + 2]],
  }),
  answered('after a part of a second', `query=/r/ties&after=${NEW_YEAR_MS + 2}`, { total: 3, ids: ['tie1'] }),
  answered('after in brackets', `query=/r/ties&after=[[${NEW_YEAR_MS + 2}]]`, { ids: ['tie1'] }),
  answered('after the last', 'query=/r/ties&after=0', { total: 3, ids: [], sortKey: [] }),
  answered('oldest goes on upwards', `query=cats&order_by=oldest&after=${NEW_YEAR_MS + 86_400_000}`, {
    ids: ['video1'],
  }),
  answered('top does not end inside a tie', 'query=/r/ties&order_by=top&limit=1', {
    ids: ['tie3', 'tie2', 'tie1'],
    sortKey: [[top(7, 1_609_459_200)]],
  }),
  answered('top goes on behind a score', `query=cats&order_by=top&after=${top(1000, 1_609_632_000)}`, {
    ids: ['cats1'],
  }),
  refused('a cursor of 2^53', `query=cats&order_by=top&after=${2 ** 53}`, 'bad_cursor'),
  refused('a negative cursor', 'query=cats&after=-1', 'bad_cursor'),
  refused('a cursor that is no integer', 'query=cats&after=1.5', 'bad_cursor'),
  refused('a bad cursor with limit=0', 'query=cats&after=x&limit=0', 'bad_cursor'),
  refused(
    'a cursor of time with top',
    `query=cats&order_by=top&after=${NEW_YEAR_MS}`,
    'cursor_of_other_order',
    /order_by=top/,
  ),
  refused(
    'a cursor of top with oldest',
    `query=cats&order_by=oldest&after=${top(0, 0)}`,
    'cursor_of_other_order',
  ),
];
