// The package.json of the package, without development fields.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly bundleDependencies: readonly string[];
}

/** Fields of package.json that users of the package need. */
const KEPT_FIELDS = [
  ...['name', 'version', 'description', 'license', 'type', 'bin', 'engines'],
  ...['dependencies', 'optionalDependencies'],
];

/**
 * package.json of the package. `private`, which prevents publishing the folder without a build, is left out. Tested
 * dependencies are bundled: npm ignores the lock file of a package, and would install later versions.
 */
export function packageManifest(project: string): Manifest {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const kept = Object.fromEntries(KEPT_FIELDS.map((field) => [field, manifest[field]]));
  return { ...(kept as unknown as Manifest), bundleDependencies: Object.keys(manifest.dependencies) };
}
