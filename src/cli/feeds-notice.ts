// What a server says at start if its settings promise feeds that it cannot give.

import type { Config } from '../config.ts';
import { tagHost } from '../model/public-host.ts';

/** Lines for the operator; empty if there is nothing to say. */
export function feedsNotice({ publicFeeds, publicUrl }: Pick<Config, 'publicFeeds' | 'publicUrl'>): string {
  if (publicFeeds === 'off' || tagHost(publicUrl) !== null) return '';
  return (
    'COLLOQUY_PUBLIC_FEEDS is on, but there are no feeds without COLLOQUY_PUBLIC_URL: the ids of their entries contain\n' +
    'its host. Set it to the address that visitors open, with a name, as in https://search.example.org\n'
  );
}
