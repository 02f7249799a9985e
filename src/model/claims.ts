// What sources say about a community, joined. Contract 5.4. `joinClaims` is commutative, associative and
// idempotent, so what is known does not depend on the order of imports.

import { communityKey } from './community-name.ts';
import { leastId } from './order.ts';

/** What one source, or several of one sort, said about one community. */
export interface Claim {
  /** null: it did not say. */
  readonly nsfw: boolean | null;
  /** Unix seconds: when the record was created, or the dump's row retrieved; 0 if unknown. */
  readonly time: number;
  /** Without `t5_`; empty: it did not say. */
  readonly id: string;
}

/** The sort of source: records of a dataset or of the API, or a dump of communities. */
export type ClaimSource = 'record' | 'dump';

/** A claim with the name of the community, in any case. */
export interface CommunityClaim extends Claim {
  readonly name: string;
}

export const NO_CLAIM: Claim = { nsfw: null, time: 0, id: '' };

/** For nsfw the newer claim stays (true, if both have the same time); of ids the least, as everywhere. */
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

/** Joins a claim to the others: one for each community, by its name in lower case. */
export function addClaim(
  claims: Map<string, CommunityClaim>,
  { name, nsfw, time, id }: CommunityClaim,
): void {
  const key = communityKey(name);
  // Even a single claim is joined, so that all have the same form.
  claims.set(key, { name: key, ...joinClaims(claims.get(key) ?? NO_CLAIM, { nsfw, time, id }) });
}
