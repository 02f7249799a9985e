// The name of a community as people write it on the command line.

import { UsageError } from '../errors.ts';

/** `name`, `r/name`, `/r/name/`, `/u/name` (the community `u_name`), in lower case. Throws a UsageError. */
export function communityName(text: string): string {
  const parts = /^(?:\/?(?<kind>[ru])\/)?(?<name>[^\s,/+]+)\/?$/i.exec(text)?.groups;
  if (parts === undefined) {
    throw new UsageError(
      `expected the name of one community such as \`energy\` or \`/r/energy\`, found ${JSON.stringify(text)}`,
    );
  }
  const name = parts.name!.toLowerCase();
  return parts.kind?.toLowerCase() === 'u' ? `u_${name}` : name;
}
