// The documents for developers and operators name files, folders and npm scripts: all of them are there.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { project, read } from './project.ts';

const DOCUMENTS = [
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'RELEASING.md', 'SECURITY.md', 'examples/README.md'],
  'docs/embedded-engine.md',
];

/** Folders that a whole document is about. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'docs/embedded-engine.md': ['answering', 'index', 'writing'].map((room) => `src/engines/embedded/${room}`),
};

const PARAGRAPHS = /\n\n/;

function withoutBlocks(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** Words in code or in a link that look like a path: with a folder or an ending of a source file, without wildcards. */
function paths(text: string): string[] {
  const words = [...text.matchAll(/`([^`\n]+)`|\]\(([^)#\s]+)/g)].map(([, code, link]) => (code ?? link)!);
  return words.filter(
    (word) =>
      /^\.?[\w@-]+(?:[./][\w.@-]+)*\/?$/.test(word) &&
      /\/$|\w\.(?:ts|mjs|txt|md|json|yml|py|sh|service)$|^src\//.test(word),
  );
}

/**
 * The paths of a paragraph that are not there. A path counts from the project, from `src/` or from the document;
 * or from a folder that the same paragraph names or goes through: `parser.ts` beside
 * `src/search/language/parser.ts` is in the same folder.
 */
function missing(paragraph: string, document: string): string[] {
  const folders = new Set(['', 'src', dirname(document), ...(FOLDERS[document] ?? [])]);
  let left = paths(paragraph);
  for (let before = Infinity; left.length < before; ) {
    before = left.length;
    left = left.filter((path) => {
      const places = [...folders].map((folder) => join(folder, path)).filter(isThere);
      for (const place of places) for (const folder of foldersOf(place)) folders.add(folder);
      return places.length === 0;
    });
  }
  return left;
}

/** The folder itself or that of a file, and those around it. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, path.endsWith('/') ? undefined : -1);
  return names.map((_, i) => names.slice(0, i + 1).join('/'));
}

function isThere(path: string): boolean {
  return existsSync(`${project}${path}`);
}

for (const document of DOCUMENTS) {
  describe(document, () => {
    it('names files and folders that are there', () => {
      const text = withoutBlocks(read(document));
      const named = paths(text);
      assert.ok(named.length > 3, `only ${named.length} paths found`);
      for (const paragraph of text.split(PARAGRAPHS)) assert.deepEqual(missing(paragraph, document), []);
    });
  });
}

it('what documents tell to type runs under any Node: scripts of npm that are there, and their programs', () => {
  const { scripts } = JSON.parse(read('package.json'));
  assert.ok(Object.keys(scripts).length <= 15);
  const names = (script: string) =>
    execFileSync(process.execPath, scripts[script].split(' ').slice(1), { cwd: project, encoding: 'utf8' })
      .split('\n')
      .map((line) => line.split(' ')[0]!);
  const programs: Record<string, string[]> = { bench: names('bench'), 'test:long': names('test:long') };
  for (const name of globSync(['*.md', 'docs/*.md', 'examples/*.md', '.github/**/*.{md,yml}'], {
    cwd: project,
  })) {
    if (name === 'CHANGELOG.md') continue;
    const text = read(name);
    assert.doesNotMatch(text, /\bnode\s+(?:bench|test)\//, name);
    for (const [called, script, program] of text.matchAll(/\bnpm run ([\w:-]+)(?:\s+--\s+([a-z][\w-]*))?/g)) {
      assert.ok(scripts[script!] !== undefined, `${name}: ${called}`);
      if (program !== undefined)
        assert.ok(programs[script!]?.includes(program) ?? true, `${name}: ${called}`);
    }
  }
});
