// Reads one object of a dump of communities (Arctic Shift `subreddits_YYYY-MM`, API listings of t5).

import { communityKey, isCommunityName } from '../../model/community.ts';
import { booleanCell, type Row } from './cells.ts';
import { communityIdOf, communitySpelling } from './community-names.ts';
import { retrievedOf } from './normalise.ts';
import { type Outcome, rejected } from './outcome.ts';

/** True for an object that describes a community: it has a `display_name` and no text of its own. */
export function isCommunityRow(row: Row): boolean {
  return typeof row.display_name === 'string' && row.body === undefined && row.selftext === undefined;
}

export function normaliseCommunity(row: Row): Outcome {
  const spelling = communitySpelling(row.display_name);
  if (spelling === null) return rejected('no_community');
  if (!isCommunityName(spelling)) return rejected('bad_community');
  return {
    kind: 'community',
    claim: {
      name: communityKey(spelling),
      nsfw: booleanCell(row.over18 ?? row.over_18),
      time: retrievedOf(row),
      id: communityIdOf(row.id ?? row.name),
    },
  };
}
