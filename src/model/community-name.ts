// The name of a community: what it may contain, and how people and sources write it.

/** No name on the site is longer than 23; this bounds what a hostile source can put into the index. */
const MAX_COMMUNITY_NAME = 128;

/** Communities are told apart by their name in lower case. */
export function communityKey(name: string): string {
  return name.toLowerCase();
}

/** True where a record may be of a community of this name. */
export function isCommunityName(name: string): boolean {
  return name !== '' && name.length <= MAX_COMMUNITY_NAME && !/[\s,/+\p{Cc}]/u.test(name);
}

/** The name of the community that is a user's own page. */
export function profileName(user: string): string {
  return `u_${user}`;
}

/**
 * The name after `r/` or `/r/`; `u_name` for `u/name`, `/u/name` and `/user/name`; any other text as it is.
 */
export function withoutPrefix(text: string): string {
  const [prefix, user] = /^\/?(?:r|(u(?:ser)?))\//i.exec(text) ?? [''];
  const name = text.slice(prefix.length);
  return user === undefined ? name : profileName(name);
}
