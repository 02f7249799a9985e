// What documents add to fingerprints, summed up by the cluster: four fields of 16 bits each (indices.ts), so that the
// sums are exact below 2^53, up to 2^37 records.

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
