// Those who wait in the manifest until they may write.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ManifestStore } from '../../src/engines/opensearch/state/manifest.ts';

const POLL_MS = 10;

/** Resolves when so many wait. */
export async function waitingIn(manifest: ManifestStore, count: number): Promise<void> {
  while ((await manifest.read()).waiting.length < count) await sleep(POLL_MS);
}
