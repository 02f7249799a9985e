import assert from 'node:assert/strict';
import { it } from 'node:test';
import { properties } from './openapi-document.ts';

it('a field of a field is not always present only where its own schema does not require it', () => {
  const inner = {
    type: 'object',
    properties: { b: { type: 'string' }, c: { type: 'string' } },
    required: ['b'],
  };
  for (const a of [inner, { type: 'array', items: inner }, { anyOf: [inner, { type: 'null' }] }]) {
    const markup = properties({ type: 'object', properties: { a }, required: ['a'] }).toString();
    assert.equal(markup.split('not always present').length - 1, 1);
    assert.match(markup, /<code>c<\/code>[^/]*<\/small> <small>not always present/);
  }
});
