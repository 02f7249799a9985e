import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PathTable } from './framework.ts';

describe('methods of a path', () => {
  const table = new PathTable();
  table.add('/', 'GET');
  table.add('/api/items', ['HEAD', 'GET']);
  table.add('/api/items', 'OPTIONS');
  table.add('/link/:token', 'POST');
  const rows: readonly [rule: string, address: string, methods: readonly string[] | null][] = [
    ['all of them, sorted', '/api/items', ['GET', 'HEAD', 'OPTIONS']],
    ['whatever the query string', '/api/items?a=/nope', ['GET', 'HEAD', 'OPTIONS']],
    ['with a trailing slash', '/api/items/', ['GET', 'HEAD', 'OPTIONS']],
    ['with escapes', '/api/%69tems', ['GET', 'HEAD', 'OPTIONS']],
    ['in absolute form', 'http://example.org/api/items', ['GET', 'HEAD', 'OPTIONS']],
    ['the root', '/', ['GET']],
    ['the root in absolute form', 'http://example.org', ['GET']],
    ['a path with a parameter', '/link/abc', ['POST']],
    ['a parameter is not empty', '/link/', null],
    ['a parameter is one piece', '/link/a/b', null],
    ['two trailing slashes are another path', '/api/items//', null],
    ['another path', '/api/item', null],
    ['a broken escape', '/api/%zz', null],
  ];
  for (const [rule, address, methods] of rows) {
    it(`${rule}: ${methods ?? 'none'}`, () => assert.deepEqual(table.methodsOf(address), methods));
  }
});
