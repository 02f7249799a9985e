// A saved search that is named by its id.

import type { Accounts } from '../accounts/accounts.ts';
import type { OwnedSearch } from '../accounts/saved-searches.ts';
import { UsageError } from '../errors.ts';
import { quoted } from '../text/quoted.ts';

/** Whoever's it is. Throws a UsageError where there is none. */
export function savedById({ saved }: Accounts, text: string): OwnedSearch {
  const found = /^\d{1,15}$/.test(text) ? saved.byId(Number(text)) : null;
  if (found !== null) return found;
  throw new UsageError(
    `expected the id of a saved search (see \`colloquy saved list\`), found ${quoted(text)}`,
  );
}
