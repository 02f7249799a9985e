// Figures of a whole kind: its fingerprint, and how much there is of it.

import { recordMix } from '../../model/content-hash.ts';
import type { KindStats } from '../../model/engine.ts';
import type { IndexFingerprint } from '../../model/index-fingerprint.ts';
import { comparator } from '../../model/order.ts';
import type { StoredRecord } from '../../model/record.ts';
import { hex64, Sum64 } from '../../model/sum64.ts';
import type { KindState } from './kind-state.ts';

export function fingerprintOf({ records }: KindState): IndexFingerprint {
  const sum = new Sum64();
  for (const record of records.values()) sum.add(mixOf(record));
  return { fingerprint: hex64(sum.value()), records: records.size };
}

/** `bytes`: of the journal. */
export function statsOf({ records: all, arrivals }: KindState, bytes: number): KindStats {
  const records = [...all.values()].sort(comparator('oldest'));
  return {
    records: records.length,
    communities: new Set(records.map((record) => record.community)).size,
    first: records[0]?.created ?? null,
    last: records.at(-1)?.created ?? null,
    segments: records.length === 0 ? 0 : 1,
    bytes,
    lacking: {
      parents: records.filter((record) => record.kind === 'comment' && record.parent === '').length,
      arrivals: records.filter(({ id }) => !arrivals.numbers.has(id)).length,
    },
  };
}

/** Records never change. */
const mixes = new WeakMap<StoredRecord, ReturnType<typeof recordMix>>();

function mixOf(record: StoredRecord): ReturnType<typeof recordMix> {
  const mix = mixes.get(record) ?? recordMix(record);
  mixes.set(record, mix);
  return mix;
}
