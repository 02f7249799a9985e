// What the records of a source say of their communities, brought together to one claim a community.

import { compareIds } from '../../model/order.ts';
import type { CommunityClaim } from './outcome.ts';

/** One claim a community: the newest word (of one second: true) and the least id, as the catalogue joins them too. */
export function keepNewest(claims: Map<string, CommunityClaim>, claim: CommunityClaim): void {
  const other = claims.get(claim.name);
  if (other === undefined) {
    claims.set(claim.name, claim);
    return;
  }
  const isNewer = claim.created > other.created || (claim.created === other.created && claim.nsfw);
  const { nsfw, created } = isNewer ? claim : other;
  claims.set(claim.name, { name: claim.name, nsfw, created, id: leastId(claim.id, other.id) });
}

function leastId(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  return compareIds(a, b) <= 0 ? a : b;
}
