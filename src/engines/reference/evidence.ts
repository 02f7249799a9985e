// What the records say of communities: the specification as code.

import type { CommunityEvidence } from '../../model/evidence.ts';
import { leastId } from '../../model/order.ts';
import type { StoredRecord } from '../../model/record.ts';

/** What the records say of these communities; a name that none has is absent. */
export function evidenceOf(
  records: Iterable<StoredRecord>,
  names: ReadonlySet<string>,
): Map<string, CommunityEvidence> {
  const evidence = new Map<string, CommunityEvidence>();
  for (const record of records) {
    if (!names.has(record.community)) continue;
    const known = evidence.get(record.community) ?? { id: '', judgedPosts: 0, adultPosts: 0 };
    const judged = record.kind === 'post' && record.adult !== null;
    evidence.set(record.community, {
      id: leastId(known.id, record.communityId),
      judgedPosts: known.judgedPosts + (judged ? 1 : 0),
      adultPosts: known.adultPosts + (judged && record.adult ? 1 : 0),
    });
  }
  return evidence;
}
