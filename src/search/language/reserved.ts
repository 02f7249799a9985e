// Names that are not operators yet, or never will be, and what to write instead. Contract 3.6.

import { normaliseDomain } from '../../text/domains.ts';
import { quoted } from '../../text/quoted.ts';
import type { ReservedName } from './query-syntax.ts';
import { type FaultyItem, faulty, type Written } from './syntax-tree.ts';

interface Advice {
  /** What to write instead of the name with this value; null: nothing. */
  readonly instead: (value: string) => string | null;
  /** What it is for, or why; added after what to write instead, or after `no author:`. */
  readonly words: string;
}

const nothing = () => null;
const NOT_SEARCHED: Advice = { instead: nothing, words: ', which cannot be searched for' };
const NO_AUTHORS: Advice = {
  instead: nothing,
  words: ', since authors are not stored and cannot be searched',
};
const TWO_LISTS: Advice = { instead: nothing, words: ', since posts and comments are searched separately' };
const WORDS_ALONE: Advice = {
  instead: (value) => (value === '' ? null : value),
  words: ', since words are searched in both title and text',
};

/** Only the beginning of a longer value is read. */
const MAX_VALUE_UNITS = 256;

const DOMAIN: Advice = {
  instead: (value) => `site:${normaliseDomain(value.slice(0, MAX_VALUE_UNITS)) ?? 'example.com'}`,
  words: ' for links to a domain',
};
const COMMUNITY: Advice = {
  instead: (value) => `/r/${/^(?:\/?r\/)?([^/+|"]+)/i.exec(value)?.[1] ?? 'name'}`,
  words: ' for a community',
};

const ADVICE: Readonly<Record<ReservedName, Advice>> = {
  arrived: NOT_SEARCHED,
  author: NO_AUTHORS,
  body: WORDS_ALONE,
  comment: TWO_LISTS,
  domain: DOMAIN,
  flair: NOT_SEARCHED,
  lang: NOT_SEARCHED,
  nsfw: NOT_SEARCHED,
  sentiment: NOT_SEARCHED,
  subreddit: COMMUNITY,
  title: WORDS_ALONE,
  type: TWO_LISTS,
  url: DOMAIN,
  user: NO_AUTHORS,
};

export function refuseReserved(name: ReservedName, value: string, item: Written): FaultyItem {
  const { instead: insteadOf, words } = ADVICE[name];
  const instead = insteadOf(value);
  const expected = (instead === null ? `no \`${name}:\`` : quoted(instead)) + words;
  const found = `${quoted(item.text)}; in quotes, it is searched for as text`;
  return faulty(item, 'reserved_operator', expected, { found });
}

/** What to write instead, without `-`; null if there is nothing. */
export function insteadOfReserved(name: ReservedName, value: string): string | null {
  return value === '' ? null : ADVICE[name].instead(value);
}
