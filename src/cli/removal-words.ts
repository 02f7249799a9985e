// What `remove` prints about the text of removed records.

import type { PurgeReport } from '../model/engine.ts';

const LATER = 'by the index itself, or by a server once the data sets under way are made';

/** `purge`: the result of `--purge`; null if it was not given, or there was nothing to erase. */
export function purgeFields(purge: PurgeReport | null): {
  readonly purged: boolean;
  readonly purge_scheduled: boolean;
} {
  return { purged: purge?.erased === 'now', purge_scheduled: purge?.erased === 'scheduled' };
}

/** About the text of a removal in force; null if no file contains it. `purgeCommand` is `remove --purge` as typed. */
export function textWords(purge: PurgeReport | null, purgeCommand: string): string | null {
  switch (purge?.erased) {
    case 'now':
      return null;
    case 'scheduled':
      return `The text is erased later: ${LATER}; \`remove --list\` shows when it is gone`;
    case undefined:
      return (
        'The text is erased from the files within 24 hours if a server is running. To erase it now: ' +
        purgeCommand
      );
  }
}

/** The outcome of `remove --purge` on its own. */
export function purgeWords({ erased }: PurgeReport, dataFolder: string): string {
  return erased === 'now'
    ? `no file in ${dataFolder} contains removed texts any more`
    : `removed texts are erased later: ${LATER}; \`remove --list\` shows when they are gone`;
}
