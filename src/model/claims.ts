// What imports say of a community, brought together. Contract 5.4.
// `joinClaims` is commutative, associative and idempotent, so what is known does not depend on the order of imports.

import { compareIds } from './order.ts';

/** What one source, or several of one sort, said of one community. */
export interface Claim {
  /** null: it did not say. */
  readonly nsfw: boolean | null;
  /** Unix seconds: when the record was created, or the dump's row retrieved; 0 where unknown. */
  readonly time: number;
  /** Without `t5_`; empty: it did not say. */
  readonly id: string;
}

export const NO_CLAIM: Claim = { nsfw: null, time: 0, id: '' };

/** Of nsfw the newer claim stays (of one time: true); of ids the least, as everywhere. */
export function joinClaims(a: Claim, b: Claim): Claim {
  const { nsfw, time } = saysMore(b, a) ? b : a;
  return { nsfw, time: nsfw === null ? 0 : time, id: leastId(a.id, b.id) };
}

export function sameClaims(a: Claim, b: Claim): boolean {
  return a.nsfw === b.nsfw && a.time === b.time && a.id === b.id;
}

function saysMore(a: Claim, b: Claim): boolean {
  if (a.nsfw === null || b.nsfw === null) return a.nsfw !== null;
  return a.time === b.time ? a.nsfw && !b.nsfw : a.time > b.time;
}

function leastId(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  return compareIds(a, b) <= 0 ? a : b;
}
