// What package.json says in the package: nothing of development.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly bundleDependencies: readonly string[];
}

/** Fields of package.json that whoever installs the package needs. */
const KEPT_FIELDS = [
  ...['name', 'version', 'description', 'license', 'type', 'bin', 'engines'],
  ...['dependencies', 'optionalDependencies'],
];

/**
 * package.json of the package. `private` keeps the folder without a build from being published, and is left out. What
 * is bundled is what was tested: npm takes no lock file from a package, and would take later versions below ours.
 */
export function packageManifest(project: string): Manifest {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const kept = Object.fromEntries(KEPT_FIELDS.map((field) => [field, manifest[field]]));
  return { ...(kept as unknown as Manifest), bundleDependencies: Object.keys(manifest.dependencies) };
}
