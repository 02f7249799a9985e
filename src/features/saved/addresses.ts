// The addresses of saved searches and their feeds, the host that names feeds, and what a server says at its start where
// there is none.

import { type Config, settingOf, switchSetting } from '../../config.ts';
import { type AboutSearch, kindAndUnder, pageAddress, type SearchState } from '../../http/addresses.ts';

export const SAVED_PAGE = '/account/saved';

export const NEW_SAVED_PAGE = `${SAVED_PAGE}/new`;

export function newSavedAddress({
  query,
  kind,
  under,
  order,
}: Pick<SearchState, 'query' | 'kind' | 'under' | 'order'>): string {
  return pageAddress(NEW_SAVED_PAGE, [
    ['query', query],
    ['order_by', order === 'newest' ? null : order],
    ...kindAndUnder(kind, under),
  ]);
}

/** The path of feeds: behind it come the token and the ending of the form. */
export const FEED_PATH = '/feed';

/** Ending of the address → media type. */
export const FEED_FORMS = {
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
} as const;

export type FeedForm = keyof typeof FEED_FORMS;

/** `page`: from 1; of 1 it says nothing. */
export function feedAddress(token: string, form: FeedForm, page = 1): string {
  return `${FEED_PATH}/${token}.${form}${page === 1 ? '' : `?page=${page}`}`;
}

/** Feeds of any search, for visitors. */
export const PUBLIC_FEED_PATHS: Readonly<Record<FeedForm, string>> = {
  atom: '/search.atom',
  json: '/search.json',
};

export function publicFeedAddress({ query, kind, under }: AboutSearch, form: FeedForm): string {
  return pageAddress(PUBLIC_FEED_PATHS[form], [['query', query], ...kindAndUnder(kind, under)]);
}

/** Why no feed can be made where there is no `tagHost`. */
export const NO_FEED_HOST =
  'expected a public address with the name of a host in `COLLOQUY_PUBLIC_URL`, found none: ' +
  'the ids of the entries of a feed contain it, and would not last';

/**
 * The host of the server's public address, as names that must last contain it in a tag URI (RFC 4151, 2.1): in lower
 * case, without a port. null: it is an address of IPv6, which a tag URI cannot name, or there is no public address.
 */
export function tagHost(publicUrl: string | null): string | null {
  if (publicUrl === null) return null;
  const { hostname } = new URL(publicUrl);
  return /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/.test(hostname) ? hostname : null;
}

export const PUBLIC_FEEDS = switchSetting('COLLOQUY_PUBLIC_FEEDS');

/** Lines for the operator; empty if there is nothing to say. */
export function feedsNotice(config: Pick<Config, 'ofFeatures' | 'publicUrl'>): string {
  if (settingOf(config, PUBLIC_FEEDS) === 'off' || tagHost(config.publicUrl) !== null) return '';
  return (
    'COLLOQUY_PUBLIC_FEEDS is on, but there are no feeds without COLLOQUY_PUBLIC_URL: the ids of their entries contain\n' +
    'its host. Set it to the address that visitors open, with a name, as in https://search.example.org\n'
  );
}
