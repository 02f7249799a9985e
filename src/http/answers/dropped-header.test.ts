import assert from 'node:assert/strict';
import { it } from 'node:test';
import { droppedHeader } from './problems.ts';

const position = { offset: 0, length: 1 };
const headerOf = (...written: readonly string[]) =>
  droppedHeader(written.map((text) => ({ written: text, searched: null, position })));

it('Colloquy-Dropped is a list of display strings of RFC 9651', () => {
  assert.equal(headerOf(), null);
  assert.equal(headerOf('C++'), '%"C++"');
  assert.equal(headerOf('C#', '5%', '"'), '%"C#", %"5%25", %"%22"');
  assert.equal(headerOf('für€', '\u0000\n', '\ud800'), '%"f%c3%bcr%e2%82%ac", %"%00%0a", %"%ef%bf%bd"');
});

it('and stays short: 20 of 60 characters at the most', () => {
  const header = headerOf(...Array.from({ length: 99 }, () => '😀'.repeat(500)));
  assert.equal(header!.split(', ').length, 20);
  assert.equal(header!.split(', ')[0]!.length, '%""'.length + 60 * 4 * 3);
});
