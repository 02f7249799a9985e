// What the manifest says of texts that were deleted and may still be in files.

import type { Manifest } from './manifest.ts';

/** The manifest after so many documents were deleted whose texts must not stay in files; upkeep takes them out. */
export function withErasing(manifest: Manifest, records: number): Manifest {
  if (records === 0) return manifest;
  return { ...manifest, erasing: { records: (manifest.erasing?.records ?? 0) + records, keptBy: null } };
}
