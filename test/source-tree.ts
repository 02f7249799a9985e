// The source files of a checkout with what each imports, for tests and figures of the structure.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { slashes } from './project.ts';

export interface SourceFile {
  /** From the root of the checkout, with slashes. */
  readonly path: string;
  readonly text: string;
  /** As they are written: relative paths, packages and built-ins. */
  readonly imports: readonly string[];
  /** Those of its imports that are TypeScript files of the checkout, as paths like its own. */
  readonly targets: readonly string[];
}

/** Below these folders of the checkout `root`, in the order of their paths. */
export function sourceFiles(root: string, folders: readonly string[]): SourceFile[] {
  const paths = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => globSync('**/*.ts', { cwd: join(root, folder) }).map((name) => `${folder}/${name}`));
  return paths
    .map(slashes)
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const imports = importsOf(text);
      const targets = imports
        .filter((name) => name.startsWith('.') && name.endsWith('.ts'))
        .map((name) => posix.join(dirname(path), name));
      return { path, text, imports, targets };
    });
}

/**
 * Ways along `arrows` that lead back to where they started, as `a → b → a`; empty: there is none. Not all of them,
 * but one at least wherever there are any.
 */
export function circlesIn(arrows: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    const known = trail.indexOf(node);
    if (known >= 0) circles.push([...trail.slice(known), node].join(' → '));
    if (done.has(node) || known >= 0) return;
    for (const target of arrows.get(node) ?? []) visit(target, [...trail, node]);
    done.add(node);
  };
  for (const node of arrows.keys()) visit(node, []);
  return circles;
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function importsOf(text: string): string[] {
  const code = withoutComments(text);
  const statements = code.matchAll(/^(?:import|export)\b[^;'"=(]*?\bfrom\s+['"]([^'"]+)['"]/gm);
  const bare = code.matchAll(/^import\s+['"]([^'"]+)['"]/gm);
  const calls = code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g);
  return [...statements, ...bare, ...calls].map((match) => match[1]!);
}
