// Parameters and cursors: which page comes, and which is refused.

import type { Scenario } from './scenario.ts';

const NEW_YEAR_MS = 1_609_459_200_000;
const top = (score: number, second: number) => (score + 2 ** 20) * 2 ** 32 + second;

export const parameters: readonly Scenario[] = [
  {
    rule: 'an empty query is every record, newest first',
    query: 'query=',
    status: 200,
    answer: {
      total: 16,
      echo: '',
      ids: [
        'rock1',
        'video1',
        'cats1',
        'tie3',
        'tie2',
        'tie1',
        ...[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((i) => `adult${i}`),
      ],
    },
  },
  {
    rule: 'a query of separators is every record',
    query: 'query=,+,',
    status: 200,
    answer: { total: 16, echo: '' },
  },
  { rule: 'no query', query: 'limit=1', status: 400, code: 'missing_query' },
  { rule: 'nothing behind the path', status: 400, code: 'missing_query' },
  {
    rule: 'commas and colons in escapes, as in the interface',
    query: 'query=cats%2C%2Fr%2Faww',
    status: 200,
    answer: { ids: ['cats1'], echo: 'cats,/r/aww' },
  },
  {
    rule: 'commas and colons as they are',
    query: 'query=cats,site:youtube.com',
    status: 200,
    answer: { ids: ['video1'], echo: 'cats,site:youtube.com' },
  },
  {
    rule: '+ is a space',
    query: 'query=two+cats',
    status: 200,
    answer: { ids: ['cats1'], echo: 'two,cats' },
  },
  {
    rule: 'letters beyond ASCII',
    query: 'query=caf%C3%A9',
    status: 200,
    answer: { ids: ['rock1'], echo: 'café' },
  },
  { rule: 'bytes that are no UTF-8', query: 'query=%ff', status: 400, code: 'bad_encoding' },
  { rule: 'a percent sign alone', query: 'query=100%', status: 400, code: 'bad_encoding', detail: /`%25`/ },
  {
    rule: 'a misspelt parameter is named, with the known ones',
    query: 'query=a&orderby=top',
    status: 400,
    code: 'unknown_parameter',
    detail: /`order_by`.*`orderby`/,
  },
  {
    rule: 'a key in the address is a parameter like any other',
    query: 'query=a&api_key=x',
    status: 400,
    code: 'unknown_parameter',
    detail: /`api_key`/,
  },
  {
    rule: 'a parameter given twice',
    query: 'query=a&query=b',
    status: 400,
    code: 'repeated_parameter',
    detail: /`query`/,
  },
  { rule: 'empty pieces of the query string', query: '&query=cats&&', status: 200 },
  {
    rule: 'order_by=oldest',
    query: 'query=cats&order_by=oldest',
    status: 200,
    answer: { ids: ['cats1', 'video1'] },
  },
  {
    rule: 'order_by=newest',
    query: 'query=cats&order_by=newest',
    status: 200,
    answer: { ids: ['video1', 'cats1'] },
  },
  {
    rule: 'order_by=top',
    query: 'query=/r/aww,/r/music,/r/videos&order_by=top',
    status: 200,
    answer: { ids: ['video1', 'cats1', 'rock1'] },
  },
  {
    rule: 'an empty order_by is newest',
    query: 'query=cats&order_by=',
    status: 200,
    answer: { ids: ['video1', 'cats1'] },
  },
  {
    rule: 'an order there is not',
    query: 'query=cats&order_by=best',
    status: 400,
    code: 'bad_order',
    detail: /`newest`, `oldest` or `top`/,
  },
  {
    rule: 'limit=1 gives one',
    query: 'query=cats&limit=1',
    status: 200,
    answer: { total: 2, ids: ['video1'], sortKey: [[NEW_YEAR_MS + 2 * 86_400_000]] },
  },
  {
    rule: 'limit=0 gives counts only',
    query: 'query=cats&limit=0',
    status: 200,
    answer: { total: 2, ids: [], sortKey: [] },
  },
  { rule: 'limit=1000', query: 'query=cats&limit=1000', status: 200, answer: { total: 2 } },
  { rule: 'limit=1001', query: 'query=cats&limit=1001', status: 400, code: 'bad_limit' },
  { rule: 'limit=-1', query: 'query=cats&limit=-1', status: 400, code: 'bad_limit' },
  { rule: 'an empty limit', query: 'query=cats&limit=', status: 400, code: 'bad_limit' },
];

export const cursors: readonly Scenario[] = [
  {
    rule: 'an empty after is the first page',
    query: 'query=/r/ties&after=',
    status: 200,
    answer: { ids: ['tie3', 'tie2', 'tie1'] },
  },
  {
    rule: 'after a whole second, newest',
    query: `query=&limit=2&after=${NEW_YEAR_MS + 86_400_000}`,
    status: 200,
    answer: { ids: ['tie3', 'tie2'], sortKey: [[NEW_YEAR_MS + 2]] },
  },
  {
    rule: 'after a part of a second',
    query: `query=/r/ties&after=${NEW_YEAR_MS + 2}`,
    status: 200,
    answer: { total: 3, ids: ['tie1'] },
  },
  {
    rule: 'after in brackets',
    query: `query=/r/ties&after=[[${NEW_YEAR_MS + 2}]]`,
    status: 200,
    answer: { ids: ['tie1'] },
  },
  {
    rule: 'after the last',
    query: 'query=/r/ties&after=0',
    status: 200,
    answer: { total: 3, ids: [], sortKey: [] },
  },
  {
    rule: 'oldest goes on upwards',
    query: `query=cats&order_by=oldest&after=${NEW_YEAR_MS + 86_400_000}`,
    status: 200,
    answer: { ids: ['video1'] },
  },
  {
    rule: 'top does not end inside a tie',
    query: 'query=/r/ties&order_by=top&limit=1',
    status: 200,
    answer: { ids: ['tie3', 'tie2', 'tie1'], sortKey: [[top(7, 1_609_459_200)]] },
  },
  {
    rule: 'top goes on behind a score',
    query: `query=cats&order_by=top&after=${top(1000, 1_609_632_000)}`,
    status: 200,
    answer: { ids: ['cats1'] },
  },
  {
    rule: 'the largest cursor there can be',
    query: `query=cats&order_by=top&after=${2 ** 53 - 1}`,
    status: 200,
  },
  {
    rule: 'a cursor of 2^53',
    query: `query=cats&order_by=top&after=${2 ** 53}`,
    status: 400,
    code: 'bad_cursor',
  },
  { rule: 'a negative cursor', query: 'query=cats&after=-1', status: 400, code: 'bad_cursor' },
  { rule: 'a cursor that is no integer', query: 'query=cats&after=1.5', status: 400, code: 'bad_cursor' },
  { rule: 'a bad cursor with limit=0', query: 'query=cats&after=x&limit=0', status: 400, code: 'bad_cursor' },
  { rule: 'the largest cursor of time', query: `query=cats&after=${2 ** 42 - 1}`, status: 200 },
  {
    rule: 'a cursor between the orders, newest',
    query: `query=cats&after=${2 ** 42}`,
    status: 400,
    code: 'cursor_of_other_order',
  },
  { rule: 'the least cursor of top', query: `query=cats&order_by=top&after=${2 ** 47}`, status: 200 },
  {
    rule: 'a cursor of time with top',
    query: `query=cats&order_by=top&after=${NEW_YEAR_MS}`,
    status: 400,
    code: 'cursor_of_other_order',
    detail: /order_by=top/,
  },
  {
    rule: 'a cursor of top with oldest',
    query: `query=cats&order_by=oldest&after=${top(0, 0)}`,
    status: 400,
    code: 'cursor_of_other_order',
  },
];
