// The release makes JavaScript of TypeScript: every word stays at its place, names of files change, maps lead back.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { describe, it } from 'node:test';
import { relativeNames, toJavaScript, withJavaScriptNames } from '../../release/javascript.ts';

const SOURCE = [
  "import type { A } from './a.ts';",
  'import { b } from "../x/b.ts";',
  '',
  'interface C { readonly d: string }',
  "export const worker: URL = new URL('./worker.ts', import.meta.url);",
  'export const later = async (c: C): Promise<unknown> => (await import(`./c.ts`)).of(b(c) as A);',
  '',
].join('\n');

describe('toJavaScript', () => {
  const { code, map } = toJavaScript(SOURCE, 'src/some/file.ts');

  it('keeps every word at its line and column', () => {
    const lines = SOURCE.split('\n');
    const made = code.split('\n').slice(0, lines.length - 1);
    for (const [row, line] of made.entries()) {
      assert.ok(line.length <= lines[row]!.length);
      for (const { 0: word, index } of line.matchAll(/\w+/g)) {
        const before = lines[row]!.slice(index, index + word.length);
        assert.equal(word, before === 'ts' ? 'js' : before);
      }
    }
  });

  it('names JavaScript in imports, in calls of them and in the URLs of threads', () => {
    assert.match(code, /from "\.\.\/x\/b\.js"/);
    assert.match(code, /new URL\('\.\/worker\.js', import\.meta\.url\)/);
    assert.match(code, /import\(`\.\/c\.js`\)/);
    assert.deepEqual(relativeNames(SOURCE), ['./a', '../x/b', './worker', './c']);
    assert.equal(withJavaScriptNames("import('../src/main.ts')"), "import('../src/main.js')");
    assert.equal(withJavaScriptNames("'dump.ts' and ./a.ts"), "'dump.ts' and ./a.ts");
  });

  it('has a map that leads every word back to its source', () => {
    assert.match(code, /\n\/\/# sourceMappingURL=file\.js\.map\n$/);
    assert.deepEqual([map.sources, map.sourcesContent], [['file.ts'], [SOURCE]]);
    const read = new SourceMap(map as never);
    let words = 0;
    for (const [row, line] of code.split('\n').slice(0, -2).entries()) {
      for (const { index } of line.matchAll(/[\w$]+|[^\s\w$]/g)) {
        const entry = read.findEntry(row, index) as { originalLine: number; originalColumn: number };
        assert.deepEqual([entry.originalLine, entry.originalColumn], [row, index]);
        words++;
      }
    }
    assert.ok(words > 60, `${words} words`);
  });

  it('of the largest of our files is as long as they are', () => {
    const source = readFileSync(new URL('../../src/http/server.ts', import.meta.url), 'utf8');
    const made = toJavaScript(source, 'server.ts');
    assert.equal(made.code.trimEnd().split('\n').length - 1, source.trimEnd().split('\n').length);
  });

  it('refuses what is more than types', () => {
    assert.throws(() => toJavaScript('enum A { B }', 'a.ts'), SyntaxError);
  });
});
