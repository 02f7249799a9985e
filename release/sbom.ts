// What the package is made of, as CycloneDX: npm's list of the lock file.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFileFor, readLockFile } from './lock-file.ts';
import { packageManifest } from './manifest.ts';
import { npmOutput } from './npm.ts';

/** JSON. Node for every platform is in it; packages for development are not. */
export function sbom(project: string): string {
  const parent = mkdtempSync(join(tmpdir(), 'colloquy-sbom-'));
  try {
    // npm names what it describes by the folder; a checkout may have any name.
    const folder = join(parent, 'colloquy');
    mkdirSync(folder);
    // As if there were nothing for development: `--omit=dev` leaves out what is needed for both.
    const { bundleDependencies: _, ...manifest } = packageManifest(project);
    const lock = lockFileFor(manifest, readLockFile(project));
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const words = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
    return npmOutput(['sbom', ...words], folder);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
