// The content of the package: the project with JavaScript in place of TypeScript, and its dependencies; nothing for
// development.

import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { relativeNames, toJavaScript, withJavaScriptNames } from './javascript.ts';
import { thirdPartyNotices } from './licences.ts';
import { isNode, type RuntimePackage, readLockFile, runtimePackages } from './lock-file.ts';
import { packageManifest } from './manifest.ts';

/** Copied unchanged. The code reads its files in the first three (test/packages/). */
export const WHOLE: readonly string[] = [
  ...['docs', 'sample', 'examples'],
  ...['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'],
];

/** Of `src/`: tests, and kernels before they are assembled. */
const LEFT_OUT = /\.test\.ts$|\.wat$|\/build-module\.ts$/;

/** Writes the package's files into `folder`, which must not exist. `project`: has its dependencies installed. */
export function stage(project: string, folder: string): void {
  stageOwn(project, folder);
  stagePackages(project, folder, runtimePackages(readLockFile(project)));
}

/** Everything but the bundled packages. */
export function stageOwn(project: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of WHOLE) cpSync(join(project, name), join(folder, name), { recursive: true });
  for (const name of ['bin', 'src']) stageCode(project, folder, name);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageManifest(project), null, 2)}\n`);
  const lexicon = readFileSync(join(project, 'src/ingest/sentiment/vader-licence.txt'), 'utf8');
  const notices = thirdPartyNotices(project, runtimePackages(readLockFile(project)), {
    'src/ingest/sentiment (MIT)': lexicon,
  });
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices);
}

/** Copies each package to its place; npm installs Node for each platform. */
function stagePackages(project: string, folder: string, packages: readonly RuntimePackage[]): void {
  for (const entry of packages.filter((candidate) => !isNode(candidate))) {
    const from = join(project, entry.place);
    cpSync(from, join(folder, entry.place), {
      recursive: true,
      // Packages inside it are copied by their own entry.
      filter: (path) => path !== join(from, 'node_modules'),
    });
  }
}

/** `top`: `src`. Throws if code names a file that is not in the package. */
function stageCode(project: string, folder: string, top: string): void {
  const paths = globSync(`${top}/**/*.*`, { cwd: project }).map((path) => path.replaceAll('\\', '/'));
  for (const path of paths.filter((name) => !LEFT_OUT.test(name)).sort()) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    if (!/\.(?:ts|mjs)$/.test(path)) {
      cpSync(join(project, path), join(folder, path));
      continue;
    }
    const source = readFileSync(join(project, path), 'utf8');
    refuseStrangers(project, path, source);
    if (path.endsWith('.mjs')) {
      // An executable: npm would set the mode, other ways of unpacking would not.
      writeFileSync(join(folder, path), withJavaScriptNames(source), { mode: 0o755 });
    } else {
      const { code, map } = toJavaScript(source, path);
      const target = join(folder, path.replace(/\.ts$/, '.js'));
      writeFileSync(target, code);
      writeFileSync(`${target}.map`, JSON.stringify(map));
    }
  }
}

function refuseStrangers(project: string, path: string, source: string): void {
  for (const name of relativeNames(source)) {
    const named = `${posix.join(dirname(path), name)}.ts`;
    if (!existsSync(join(project, named)) || LEFT_OUT.test(named)) {
      throw new Error(`${path} names ${name}.ts, which is not in the package`);
    }
  }
}
