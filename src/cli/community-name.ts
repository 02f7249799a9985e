// The name of a community, as people write it on the command line.

import { UsageError } from '../errors.ts';
import { communityKey, isCommunityName, withoutPrefix } from '../model/community-name.ts';
import { quoted } from '../text/quoted.ts';

/** `name`, `r/name`, `/r/name/`, `/u/name` (the community `u_name`), in lower case. Throws a UsageError. */
export function communityName(text: string): string {
  const name = withoutPrefix(text.replace(/\/$/, ''));
  if (!isCommunityName(name)) {
    throw new UsageError(
      `expected the name of one community such as \`energy\` or \`/r/energy\`, found ${quoted(text)}`,
    );
  }
  return communityKey(name);
}
