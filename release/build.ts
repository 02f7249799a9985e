// `npm run release -- [--out FOLDER]`: the package as npm takes it, with its SBOM. The repository itself needs no
// build.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { audit } from './advisories.ts';
import { refusedLicences } from './licences.ts';
import { readLockFile, runtimePackages } from './lock-file.ts';
import { npmOutput } from './npm.ts';
import { sbom } from './sbom.ts';
import { stage } from './staging.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Returns the path, `<folder>/colloquy-<version>.tgz`; its SBOM is beside it, `colloquy-<version>.cdx.json`. */
export function buildPackage(folder: string): string {
  const refused = refusedLicences(runtimePackages(readLockFile(project)));
  if (refused.length > 0) throw new Error(`licences that are not allowed: ${refused.join(', ')}`);
  mkdirSync(folder, { recursive: true });
  const parent = mkdtempSync(join(tmpdir(), 'colloquy-release-'));
  try {
    const staged = join(parent, 'colloquy');
    stage(project, staged);
    const { version } = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8'));
    const made = sbom(project);
    for (const path of [join(staged, 'sbom.cdx.json'), join(folder, `colloquy-${version}.cdx.json`)]) {
      writeFileSync(path, made);
    }
    npmOutput(['pack', '--ignore-scripts', '--pack-destination', folder], staged);
    return join(folder, `colloquy-${version}.tgz`);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
  process.stdout.write(`${buildPackage(resolve(values.out))}\n`);
  // Repeated here, in case nobody has looked before the release.
  const { words, code } = audit();
  process.stderr.write(`${words}\n`);
  if (code === 1) process.exitCode = 1;
}
