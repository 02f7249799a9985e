import assert from 'node:assert/strict';
import { it } from 'node:test';
import { stringStarts } from '../format/written-names.ts';
import { NameNumbers } from './name-numbers.ts';

function given(numbers: NameNumbers, names: readonly string[]): number[] {
  const bytes = Buffer.from(JSON.stringify(names));
  return Array.from(stringStarts(bytes), (start) => numbers.number(bytes, start));
}

const ODD = [
  '',
  '"',
  '\\',
  '\\"',
  'a\\',
  'é',
  '日本',
  '\ud800',
  '\u0000\n',
  'a',
  'ab',
  'b',
  '[","]',
  'a","b',
];

it('names have the numbers in whose order they came, each one', () => {
  const numbers = new NameNumbers();
  assert.deepEqual(given(numbers, []), []);
  assert.deepEqual(given(numbers, ['b', 'a', 'b', '']), [0, 1, 0, 2]);
  assert.deepEqual(given(numbers, ['c', '', 'a']), [3, 2, 1]);
  assert.equal(numbers.size, 4);
  assert.deepEqual([numbers.find('c'), numbers.find('d')], [3, -1]);
});

it('any string may be a name', () => {
  const numbers = new NameNumbers();
  assert.deepEqual(given(numbers, ODD), [...ODD.keys()]);
  for (const [number, name] of ODD.entries()) {
    assert.equal(numbers.name(number), name);
    assert.equal(numbers.find(name), number);
  }
});

it('as a Map has them, of many', () => {
  const numbers = new NameNumbers();
  const known = new Map<string, number>();
  for (let round = 0; round < 20; round++) {
    const names = Array.from(
      { length: 2_000 },
      (_, i) => `n${(i * 7_919 + round * 31) % 9_000}${ODD[round % ODD.length]}`,
    );
    for (const name of names) if (!known.has(name)) known.set(name, known.size);
    assert.deepEqual(
      given(numbers, names),
      names.map((name) => known.get(name)),
    );
  }
  assert.equal(numbers.size, known.size);
  for (const [name, number] of known)
    assert.deepEqual([numbers.find(name), numbers.name(number)], [number, name]);
});
