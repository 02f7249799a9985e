import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneLine, quoted } from './quoted.ts';

describe('a text in a message', () => {
  it('stands in backticks, cut between characters, what steers a terminal made visible', () => {
    assert.equal(quoted('a b'), '`a b`');
    assert.equal(quoted('\u001b[31m\ud800'), '`\ufffd[31m\ufffd`');
    assert.equal(quoted('😀'.repeat(60)), `\`${'😀'.repeat(60)}\``);
    assert.equal(quoted('😀'.repeat(61)), `\`${'😀'.repeat(60)}…\``);
    assert.equal(quoted('abc', 2), '`ab…`');
  });

  it('stands on one line', () => {
    assert.equal(oneLine(' a\n\u001b\tb\u200b c ', 10), 'a b c');
    assert.equal(oneLine('a\nbcd', 3), 'a b…');
  });
});
