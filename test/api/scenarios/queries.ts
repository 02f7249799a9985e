// The query language as the endpoints give it on: windows, what is dropped, and each error with its place. What is
// understood and found is in ../../queries.txt and the suites of the engines.

import { answered, COMMENTS_PATH, refused, type Scenario } from './scenario.ts';

export const queries: readonly Scenario[] = [
  answered('before: alone gets an after: one day earlier', 'query=before:2021-01-02', {
    ids: ['tie3', 'tie2', 'tie1'],
    echo: 'before:2021-01-02,after:2021-01-01',
    sends: { 'colloquy-implied': 'after:2021-01-01' },
  }),
  answered('with an after: nothing is added', 'query=before:2021-01-02,after:2021-01-01', {
    total: 3,
    sends: { 'colloquy-implied': null },
  }),
  answered('after:1970-01-01 asks for all time', 'query=before:2021-01-02,after:1970-01-01', {
    total: 13,
    sends: { 'colloquy-implied': null },
  }),
  answered('an operator may switch the window off', 'query=before:2021-01-02', {
    total: 13,
    echo: 'before:2021-01-02',
    server: 'windowless',
    sends: { 'colloquy-implied': null },
  }),
  answered('signs beside words are dropped', 'query=two+%26+cats', {
    echo: 'two,cats',
    sends: { 'colloquy-dropped': '%"&"' },
  }),
  answered('signs of a word are dropped, and told', 'query=C%2B%2B+5%25+two-cats', {
    echo: 'C++,5%,two-cats',
    sends: { 'colloquy-dropped': '%"C++", %"5%25"' },
  }),
  answered('where nothing is dropped, nothing is told', 'query=%22two+cats%22,covid-19', {
    sends: { 'colloquy-dropped': null },
  }),
  refused('only signs', 'query=%26', 'nothing_to_search', [0, 1]),
  refused('a prefix of one letter', 'query=cats+c*', 'bad_prefix', [5, 2]),
  refused('a date there is not', 'query=after:2021-02-29', 'bad_date', [0, 16]),
  refused('a score that is none', 'query=score:abc', 'bad_score', [0, 9]),
  refused('a community without a name', 'query=/r/', 'bad_community', [0, 3]),
  answered('the address of a post', 'query=site:i.redd.it', { ids: ['cats1'] }),
  answered('a word of the address of a post is no word of the post', 'query=redd', { total: 0 }),
  refused('a site without a name', 'query=site:', 'bad_site', [0, 5]),
  answered('a post', 'query=post:t3_rock1', { ids: ['c3'], echo: 'post:rock1', path: COMMENTS_PATH }),
  refused('a post that is no id', 'query=post:a.b', 'bad_post', [0, 8]),
  refused('an id of a community', 'query=id:t5_2qh1', 'bad_id', [0, 10]),
  refused('a quote that stays open', 'query=cats+%22rock+and', 'open_quote', [5, 9]),
  refused('excluded twice', 'query=cats+--box', 'double_negation', [5, 5]),
  refused('an exclusion of a date', 'query=-before:2021-01-01', 'cannot_negate', [0, 18]),
  refused('a reserved operator', 'query=author:someone', 'reserved_operator', [0, 14]),
  answered(
    '4,096 characters of three bytes, in escapes',
    `query=${'%E6%97%A5'.repeat(64)},${'%E1%8F%B0'.repeat(4031)}`,
  ),
  refused('4,097 characters', `query=${'a'.repeat(4097)}`, 'query_too_long'),
  refused('65 items', `query=${'a,'.repeat(65)}`, 'too_many_items'),
  refused('65 tokens in a phrase', `query=%22${'a+'.repeat(65)}%22`, 'phrase_too_long'),
];
