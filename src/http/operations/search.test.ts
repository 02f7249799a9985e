import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readParameters } from '../../operation/parameters.ts';
import { SEARCH_PARAMETERS, type SearchParameters } from './search.ts';

const DEFAULTS: SearchParameters = {
  ...{ query: '', after: null, order_by: 'newest', limit: 100, fields: null, since: 0 },
};

const read = (raw: string) => readParameters(SEARCH_PARAMETERS.post, `/x?${raw}`);

describe('parameters of the endpoints', () => {
  const good: readonly [rule: string, raw: string, values: Partial<SearchParameters>][] = [
    ['an empty query is a query', 'query=', {}],
    ['a bare query is an empty one', 'query', {}],
    ['without order_by: newest', 'query=a', { query: 'a' }],
    ['an empty order_by is as absent', 'query=&order_by=', {}],
    ['oldest', 'query=&order_by=oldest', { order_by: 'oldest' }],
    ['top', 'query=&order_by=top', { order_by: 'top' }],
    ['newest by its name', 'query=&order_by=newest', {}],
    ['limit from 0 …', 'query=&limit=0', { limit: 0 }],
    ['… over 1 …', 'query=&limit=1', { limit: 1 }],
    ['… to 1000', 'query=&limit=1000', { limit: 1000 }],
    ['an empty after is as absent', 'query=&after=', {}],
    ['after is handed on as it is', 'query=&after=1609459200000', { after: '1609459200000' }],
    ['an empty fields is as absent', 'query=&fields=', {}],
    ['fields are handed on as they are', 'query=&fields=id,x', { fields: 'id,x' }],
    ['after in brackets too', 'query=&after=%5B%5B5%5D%5D', { after: '[[5]]' }],
  ];
  for (const [rule, raw, values] of good) {
    it(rule, () => assert.deepEqual(read(raw), { ...DEFAULTS, ...values }));
  }

  const bad: readonly [rule: string, raw: string, code: string, message: RegExp][] = [
    ['no query', 'limit=1', 'missing_query', /`query`/],
    ['nothing at all', '', 'missing_query', /`query`/],
    [
      'a misspelt name',
      'query=&orderby=top',
      'unknown_parameter',
      /`query`, `after`, `order_by`, `limit`, `fields`, `since`.*`orderby`/,
    ],
    ['a name in another case', 'Query=a', 'unknown_parameter', /`Query`/],
    ['a name that every object has', 'query=&constructor=a', 'unknown_parameter', /`constructor`/],
    ['a line break in a name broke the message in two', 'query=&a%0Ab=1', 'unknown_parameter', /`a\ufffdb`/],
    ['a name that is empty', 'query=&=a', 'unknown_parameter', /``/],
    ['a query given twice', 'query=a&query=a', 'repeated_parameter', /`query`/],
    ['an empty parameter given twice', 'query=&after=&after=', 'repeated_parameter', /`after`/],
    ['a broken escape', 'query=%', 'bad_encoding', /`query`/],
    ['limit 1001', 'query=&limit=1001', 'bad_limit', /0 to 1000, found `1001`/],
    ['limit -1', 'query=&limit=-1', 'bad_limit', /`-1`/],
    ['limit with a sign', 'query=&limit=%2B1', 'bad_limit', /`\+1`/],
    ['an empty limit', 'query=&limit=', 'bad_limit', /``/],
    ['limit 1.0', 'query=&limit=1.0', 'bad_limit', /`1.0`/],
    ['limit 1e2', 'query=&limit=1e2', 'bad_limit', /`1e2`/],
    ['limit in other digits', 'query=&limit=%D9%A1', 'bad_limit', /`١`/],
    ['another order', 'query=&order_by=best', 'bad_order', /`newest`, `oldest` or `top`, found `best`/],
    ['an order in another case', 'query=&order_by=TOP', 'bad_order', /`TOP`/],
    ['a fragment', 'query=a#b', 'malformed_request', /`#`/],
  ];
  for (const [rule, raw, code, message] of bad) {
    it(`${rule}: ${code}`, () => assert.throws(() => read(raw), { code, message }));
  }
});
