// The addresses of saved searches and their feeds, the host in the ids of feeds, and the notice that a server without
// such a host prints at its start.

import { type Config, settingOf, switchSetting } from '../../config.ts';
import { type AboutSearch, kindAndUnder, pageAddress, type SearchState } from '../../http/addresses.ts';

export const SAVED_PAGE = '/account/saved';

export const NEW_SAVED_PAGE = `${SAVED_PAGE}/new`;

export function newSavedAddress(state: Pick<SearchState, 'query' | 'kind' | 'under' | 'order'>): string {
  const { query, kind, under, order } = state;
  return pageAddress(NEW_SAVED_PAGE, [
    ['query', query],
    ['order_by', order === 'newest' ? null : order],
    ...kindAndUnder(kind, under),
  ]);
}

/** The path of a feed is this, the token, and an extension for the format: `/feed/TOKEN.atom`. */
export const FEED_PATH = '/feed';

export const FEED_FORMS = {
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
} as const;

export type FeedForm = keyof typeof FEED_FORMS;

/** `page`: from 1; the address omits 1. */
export function feedAddress(token: string, form: FeedForm, page = 1): string {
  return `${FEED_PATH}/${token}.${form}${page === 1 ? '' : `?page=${page}`}`;
}

export const PUBLIC_FEED_PATHS: Readonly<Record<FeedForm, string>> = {
  atom: '/search.atom',
  json: '/search.json',
};

export function publicFeedAddress({ query, kind, under }: AboutSearch, form: FeedForm): string {
  return pageAddress(PUBLIC_FEED_PATHS[form], [['query', query], ...kindAndUnder(kind, under)]);
}

/** Why no feed can be made if `tagHost` is null. */
export const NO_FEED_HOST =
  'expected a public address with the name of a host in `COLLOQUY_PUBLIC_URL`, found none: ' +
  'the ids of feed entries contain it, and must be permanent';

/**
 * The host of the server's public address for use in tag URIs (RFC 4151, 2.1): in lower case, without a port. null: no
 * public address is set, or it is an IPv6 address, which a tag URI cannot contain.
 */
export function tagHost(publicUrl: string | null): string | null {
  if (publicUrl === null) return null;
  const { hostname } = new URL(publicUrl);
  return /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/.test(hostname) ? hostname : null;
}

export const PUBLIC_FEEDS = switchSetting('COLLOQUY_PUBLIC_FEEDS');

export function feedsNotice(config: Pick<Config, 'ofFeatures' | 'publicUrl'>): string {
  if (settingOf(config, PUBLIC_FEEDS) === 'off' || tagHost(config.publicUrl) !== null) return '';
  return (
    'COLLOQUY_PUBLIC_FEEDS is on, but there are no feeds without COLLOQUY_PUBLIC_URL: the ids of their entries contain\n' +
    'its host. Set it to the address that visitors open, with a name, as in https://search.example.org\n'
  );
}
