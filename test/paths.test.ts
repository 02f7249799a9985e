// The documents for developers and operators name files, folders and npm scripts: all of them are there.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../', import.meta.url));
const DOCUMENTS = [
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'RELEASING.md', 'SECURITY.md', 'examples/README.md'],
  'docs/embedded-engine.md',
];

/**
 * Folders that a path in these documents may be short for: `search/language/parser.ts` is
 * `src/search/language/parser.ts`.
 */
const ROOTS = ['', 'src/', 'src/*/', 'src/**/'];

function read(path: string): string {
  return readFileSync(`${project}${path}`, 'utf8');
}

/** Words in code or in a link that look like a path: with a folder or an ending of a source file, without wildcards. */
function paths(text: string): string[] {
  const inline = text.replace(/^```[\s\S]*?^```$/gm, '');
  const words = [...inline.matchAll(/`([^`\n]+)`|\]\(([^)#\s]+)/g)].map(([, code, link]) => (code ?? link)!);
  return words.filter(
    (word) =>
      /^\.?[\w@-]+(?:[./][\w.@-]+)*\/?$/.test(word) &&
      /\/$|\w\.(?:ts|mjs|txt|md|json|yml|py|sh|service)$|^src\//.test(word),
  );
}

function isThere(path: string, document: string): boolean {
  if (existsSync(new URL(path, new URL(document, new URL('../', import.meta.url))))) return true;
  return ROOTS.some((root) => globSync(`${root}${path}`, { cwd: project }).length > 0);
}

for (const document of DOCUMENTS) {
  describe(document, () => {
    it('names files and folders that are there', () => {
      const named = paths(read(document));
      assert.ok(named.length > 3, `only ${named.length} paths found`);
      assert.deepEqual(
        named.filter((path) => !isThere(path, document)),
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
