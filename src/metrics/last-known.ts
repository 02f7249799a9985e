// Metrics that have to be asked for elsewhere, where an answer can take its time: who reads them waits for a moment,
// and then gets what was known last.

import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../log.ts';
import type { Family, FamilySource } from './families.ts';

/** Milliseconds that a reader waits. */
const PATIENCE_MS = 1000;

/** Nothing until `source` has answered for the first time. What it throws is logged. */
export function lastKnown(source: FamilySource, patienceMs = PATIENCE_MS): FamilySource {
  let known: readonly Family[] = [];
  let underWay: Promise<void> | null = null;
  const ask = async () => {
    try {
      known = await source();
    } catch (error) {
      log.error({ err: error }, 'figures for the metrics cannot be had');
    }
  };
  return async () => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    const patience = new AbortController();
    const tired = sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([underWay, tired]);
    patience.abort();
    return known;
  };
}
