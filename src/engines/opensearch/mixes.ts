// What documents add to fingerprints, summed up by the cluster: four fields of 16 bits each (indices.ts), so that the
// sums are exact below 2^53, up to 2^37 records. And the sum that the manifest keeps, which each change carries on.

import { randomUUID } from 'node:crypto';
import { recordMix } from '../../model/content-hash.ts';
import type { IndexFingerprint } from '../../model/index-fingerprint.ts';
import type { StoredRecord } from '../../model/record.ts';
import { hex64, Sum64 } from '../../model/sum64.ts';
import type { Dsl } from './search.ts';

const FIELDS = ['m0', 'm1', 'm2', 'm3'] as const;

/** The aggregations that make Mixes. */
export const MIX_SUMS: Readonly<Record<string, Dsl>> = Object.fromEntries(
  FIELDS.map((field) => [field, { sum: { field } }]),
);

export type Mixes = Readonly<Record<(typeof FIELDS)[number], { readonly value: number }>>;

/** Not yet modulo 2^64. */
export function mixSum(mixes: Mixes): bigint {
  return FIELDS.reduce((sum, field, i) => sum + (BigInt(mixes[field].value) << BigInt(16 * i)), 0n);
}

/** Modulo 2^64: 16 lower-case hex digits. */
export function hexOf(sum: bigint): string {
  return BigInt.asUintN(64, sum).toString(16).padStart(16, '0');
}

/** Of the records that readers see, without those of removals that are not folded in yet. */
export interface KeptSum extends IndexFingerprint {
  /** null: it is of all of them. Otherwise names what it is short of: all sums of this name lack the same. */
  readonly short: string | null;
}

export const NO_SUM: KeptSum = { fingerprint: hexOf(0n), records: 0, short: null };

/** Nobody knows what there is; what comes and goes from now on is carried on. */
export function unknownSum(): KeptSum {
  return { ...NO_SUM, short: randomUUID() };
}

/** `change`: null: nobody knows it. */
export function carriedOn(sum: KeptSum, change: IndexFingerprint | null): KeptSum {
  return change === null ? unknownSum() : { ...added(sum, change), short: sum.short };
}

/** `sign`: -1 subtracts the other. */
export function added(one: IndexFingerprint, other: IndexFingerprint, sign: 1 | -1 = 1): IndexFingerprint {
  const mix = ({ fingerprint }: IndexFingerprint) => BigInt(`0x${fingerprint}`);
  return {
    fingerprint: hexOf(mix(one) + BigInt(sign) * mix(other)),
    records: one.records + sign * other.records,
  };
}

/** What a sum changes by. */
export function changeOf(came: readonly StoredRecord[], went: readonly StoredRecord[]): IndexFingerprint {
  const sum = new Sum64();
  for (const record of came) sum.add(recordMix(record));
  for (const record of went) sum.subtract(recordMix(record));
  return { fingerprint: hex64(sum.value()), records: came.length - went.length };
}
