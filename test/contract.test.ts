// The contract (docs/contract.md) against the code: its rules are numbered once each, contract.txt names tests of every
// rule that there are, and every "contract N.M" in code, tests and documents is a rule.

import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { expectTest, readTests } from './named-tests.ts';
import { project, read, slashes } from './project.ts';

const contract = read('docs/contract.md');
const rules = [...contract.matchAll(/^\*\*(\d+\.\d+) /gm)].map(([, number]) => number!);
const tests = read('test/contract.txt')
  .split('\n')
  .filter((line) => /^\d/.test(line))
  .map((line) => /^(\S+) (.*)$/.exec(line)!.slice(1) as [number: string, named: string]);

describe('docs/contract.md', () => {
  it('has rules in every section, and numbers that rise', () => {
    const sections = [...contract.matchAll(/^## (\d+) /gm)].map(([, section]) => Number(section));
    const numbers = rules.map((number) => number.split('.').map(Number) as [number, number]);
    const order = numbers.map(([section, rule]) => section * 1000 + rule);
    const sorted = [...new Set(order)].toSorted((a, b) => a - b);
    assert.deepEqual(order, sorted);
    assert.deepEqual([...new Set(numbers.map(([section]) => section))], sections);
  });

  it('has a line of tests for each rule, in their order', () => {
    const numbers = tests.map(([number]) => number);
    assert.deepEqual(numbers, rules);
  });

  for (const [number, line] of tests) {
    it(`${number}: the tests it names exist`, () => {
      const named = readTests(line);
      const written = named.map(
        ({ file, parts }) => `\`${file}\`${parts.map((part) => ` "${part}"`).join('')}`,
      );
      assert.equal(written.join(', '), line, 'the form `file` "part of a name", …');
      for (const test of named) expectTest(test);
    });
  }
});

describe('"contract N.M" in code, tests and documents', () => {
  const known = new Set(rules);
  const citing = globSync(['{src,test,bench,bin,examples}/**/*.{ts,mjs,js,py,txt}', 'docs/*.md', '*.md'], {
    cwd: project,
  }).map(slashes);

  it('names a rule', () => {
    const wrong = citing.flatMap((path) =>
      cited(read(path))
        .filter((number) => !known.has(number))
        .map((number) => `${path}: contract ${number}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('is how the contract is cited: no comment names papers that are not in the repository', () => {
    const wrong = citing.filter((path) => {
      if (path === 'test/contract.test.ts') return false;
      return /\b(?:in|of|as|[Ww]hat) the decisions\b|\bdecisions, [A-Z]|\b[Tt]he interface document\b/.test(
        joinedLines(read(path)),
      );
    });
    assert.deepEqual(wrong, []);
  });

  it('several in a row are read one by one', () => {
    assert.deepEqual(cited('// Contract 3.2,\n// 3.5 and\n// 7.1; contract\n// 4.3.'), [
      ...['3.2', '3.5', '7.1', '4.3'],
    ]);
    assert.deepEqual(cited(' * (contract\n   * 5.6). Of 10.12'), ['5.6']);
  });
});

/** Lines of comments as one. */
function joinedLines(text: string): string {
  return text.replace(/\s*\n\s*(?:\/\/|\*|#)?\s*/g, ' ');
}

/** Numbers behind the word, also over the end of a line of a comment; `3.2, 3.5 and 3.6` are three. */
function cited(text: string): string[] {
  return [...joinedLines(text).matchAll(/\bcontract ((?:\d+\.\d+(?:,? and |, )?)+)/gi)].flatMap(
    ([, numbers]) => [...numbers!.match(/\d+\.\d+/g)!],
  );
}
