// The documents for developers and operators name files, folders and npm scripts: all of them are there.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../', import.meta.url));
const DOCUMENTS = [
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'RELEASING.md', 'SECURITY.md', 'examples/README.md'],
  'docs/embedded-engine.md',
];

/** Folders that a whole document is about. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'docs/embedded-engine.md': ['answering', 'index', 'writing'].map((room) => `src/engines/embedded/${room}`),
};

const PARAGRAPHS = /\n\n/;

function read(path: string): string {
  return readFileSync(`${project}${path}`, 'utf8');
}

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
 * `src/search/language/words.ts` is in the same folder.
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
      assert.deepEqual(
        text.split(PARAGRAPHS).flatMap((paragraph) => missing(paragraph, document)),
        [],
      );
    });

    it('names npm scripts that are there', () => {
      const { scripts } = JSON.parse(read('package.json'));
      const named = [...read(document).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name!);
      assert.deepEqual(
        named.filter((name) => scripts[name] === undefined),
        [],
      );
    });
  });
}
