// Around the code: the hosted checks are those of .ci/run, the version is the same everywhere, lines are not too long.

import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { project, read } from './project.ts';

/**
 * Lines that call the project's own commands, in their order; programs of others are installed where they are wanted.
 */
function npmCommands(text: string): string[] {
  return [...text.matchAll(/^(?: +- run: )?(npm (?:ci|run|test)\b[^|\n]*)/gm)].map(([, command]) =>
    command!.trim(),
  );
}

describe('.github/workflows/ci.yml', () => {
  const workflow = read('.github/workflows/ci.yml');

  it('runs the commands of .ci/run', () => {
    const commands = npmCommands(read('.ci/run'));
    assert.ok(commands.length >= 4);
    assert.deepEqual(npmCommands(workflow), commands);
  });

  it('on Linux, macOS and Windows; installs programs on Linux alone; names no registry', () => {
    assert.match(workflow, /os: \[ubuntu-latest, macos-latest, windows-latest\]/);
    const steps = workflow.split(/^ {6}- /m).filter((step) => /\b(?:apt|brew|choco)\b/.test(step));
    const conditions = steps.map((step) => step.split('\n')[0]);
    assert.deepEqual(conditions, ["if: runner.os == 'Linux'"]);
    assert.doesNotMatch(workflow, /:\/\/|registry/);
  });
});

describe('the version', () => {
  it('is the same in package.json and package-lock.json', () => {
    const { version } = JSON.parse(read('package.json'));
    const lock = JSON.parse(read('package-lock.json'));
    assert.deepEqual([lock.version, lock.packages[''].version], [version, version]);
  });

  it('changes that are not released stand on top of CHANGELOG.md; every release has a number and a day', () => {
    const heads = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, head]) => head!);
    assert.equal(heads[0], 'Unreleased');
    for (const head of heads.slice(1)) assert.match(head, /^\d+\.\d+\.\d+, \d{4}-\d{2}-\d{2}$/);
  });
});

describe('documents', () => {
  const documents = globSync(['*.md', 'docs/*.md', 'examples/*.md'], { cwd: project });

  it('are wrapped: no line has more than 120 characters, but for tables, links and code', () => {
    assert.ok(documents.length > 15, `only ${documents.length} found`);
    const long = documents.flatMap((path) =>
      read(path)
        .replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/.+/g, ''))
        .split('\n')
        .map((line, i) => ({ line, place: `${path}:${i + 1}` }))
        .filter(({ line }) => [...line].length > 120 && !/^\||^ {4}|^ *[^ ]+$|^ *`[^`]+`\.$/.test(line)),
    );
    const places = long.map(({ place }) => place);
    assert.deepEqual(places, []);
  });
});

describe('code', () => {
  const code = globSync('{src,test,bench,release,examples,bin}/**/*.{ts,js,mjs,py,sh}', { cwd: project });

  it('has no comment of more than 120 characters, and no line but for a string, template or expression', () => {
    assert.ok(code.length > 300, `only ${code.length} found`);
    const long = code.flatMap((path) =>
      read(path)
        .split('\n')
        .map((line, i) => ({ line, place: `${path}:${i + 1}` }))
        .filter(({ line }) => line.length > 120 && (isComment(line) || !/['"`/]/.test(line))),
    );
    const places = long.map(({ place }) => place);
    assert.deepEqual(places, []);
  });
});

/** Drawings of bytes, with their columns, are none; nor are lines of a usage text. */
function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/?\*|#) ?/.test(line) && !/\S {3,}\S/.test(line);
}
