// From one object of a dump of communities (Arctic Shift `subreddits_YYYY-MM`, API listings of t5) to what it says.

import { booleanCell, type Row } from './cells.ts';
import { communityIdOf, communitySpelling, isFitName } from './community-names.ts';
import { retrievedOf } from './normalise.ts';
import { type Outcome, rejected } from './outcome.ts';

/** True for an object that describes a community: it has a `display_name` and no text of its own. */
export function isCommunityRow(row: Row): boolean {
  return typeof row.display_name === 'string' && row.body === undefined && row.selftext === undefined;
}

export function normaliseCommunity(row: Row): Outcome {
  const spelling = communitySpelling(row.display_name);
  if (spelling === null) return rejected('no_community');
  if (!isFitName(spelling)) return rejected('bad_community');
  return {
    kind: 'community',
    community: {
      name: spelling.toLowerCase(),
      nsfw: booleanCell(row.over18 ?? row.over_18),
      retrieved: retrievedOf(row),
      id: communityIdOf(row.id ?? row.name),
    },
  };
}
