// Tests that a document names: `` `file` "part of a name" "another" ``. How they are read, and whether they are there.

import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { project, read, slashes } from './project.ts';

export interface NamedTest {
  /** The end of a path, as much of it as is needed to name one file. */
  readonly file: string;
  /** Parts of names of tests, or of lines of a table of cases. */
  readonly parts: readonly string[];
}

const testFiles = globSync(['test/**/*.{ts,txt}', 'src/**/*.test.ts'], { cwd: project }).map(slashes);

/** `` `file` "part" "part", `file` "part" `` */
export function readTests(line: string): NamedTest[] {
  return [...line.matchAll(/`([^`"]+)`((?: "[^"]+")+)(?:, |$)/g)].map(([, file, parts]) => ({
    file: file!,
    parts: [...parts!.matchAll(/"([^"]+)"/g)].map(([, part]) => part!),
  }));
}

/** Fails unless the name means one file, and that has each part outside of comments. */
export function expectTest({ file, parts }: NamedTest): void {
  const paths = testFiles.filter((path) => `/${path}`.endsWith(`/${file}`));
  assert.equal(paths.length, 1, `${file} names one file, found ${paths.join(' ') || 'none'}`);
  const text = withoutComments(read(paths[0]!));
  for (const part of parts) assert.ok(text.includes(part), `${paths[0]} has no "${part}"`);
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\/|\/?\*|#).*$/gm, '');
}
