// The SBOM of the package, as CycloneDX: npm's list of the lock file.

import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFileFor, readLockFile } from './lock-file.ts';
import { packageManifest } from './manifest.ts';
import { npmOutput } from './npm.ts';

/**
 * JSON, the same for the same commit: without a time, and with a serial number computed from its content. It includes
 * Node for every platform, but no development packages.
 */
export function sbom(project: string): string {
  const parent = mkdtempSync(join(tmpdir(), 'colloquy-sbom-'));
  try {
    // npm takes the name from the folder; a checkout may have any name.
    const folder = join(parent, 'colloquy');
    mkdirSync(folder);
    // As if there were no development packages: `--omit=dev` also leaves out those needed for both.
    const { bundleDependencies: _, ...manifest } = packageManifest(project);
    const lock = lockFileFor(manifest, readLockFile(project));
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const words = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
    const { serialNumber: _random, metadata, ...listed } = JSON.parse(npmOutput(['sbom', ...words], folder));
    const { timestamp: _now, ...described } = metadata;
    const content = { ...listed, metadata: described };
    const digest = hash('sha256', JSON.stringify(content));
    const serialNumber = `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
    return `${JSON.stringify({ ...content, serialNumber }, null, 2)}\n`;
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
