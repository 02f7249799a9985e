// The ids that `--from-ids` gives, one a line.

import { linesOf } from '../../cli/command-line.ts';
import { UsageError } from '../../errors.ts';
import { type Kind, type RecordName, readRecordName } from '../../model/record.ts';
import { quoted } from '../../text/quoted.ts';

const MAX_GIVEN_IDS = 1_000_000;

/** Most invalid lines listed in a message. */
const MAX_LISTED = 10;
const MAX_SHOWN = 120;

export interface GivenId {
  readonly name: RecordName;
  readonly typed: string;
}

/**
 * Each record once; one of the other kind has its kind in `of`. `base`: as in `readRecordName`. Throws a UsageError
 * that lists invalid lines, and for a file with no ids or too many.
 */
export async function readGivenIds(file: string, kind: Kind, base: string): Promise<readonly GivenId[]> {
  const given = new Map<string, GivenId>();
  const problems: string[] = [];
  for await (const { text, place } of linesOf(file)) {
    const name = readRecordName(text, base);
    if (name === null) problems.push(`${place}: ${quoted(text, MAX_SHOWN)}`);
    else {
      const key = `${name.of ?? kind} ${name.id}`;
      if (!given.has(key)) given.set(key, { name: { id: name.id, of: name.of ?? kind }, typed: text });
    }
    if (given.size > MAX_GIVEN_IDS) {
      const most = MAX_GIVEN_IDS.toLocaleString('en');
      throw new UsageError(`\`--from-ids\`: expected at most ${most} different ids, found more`);
    }
  }
  if (problems.length > 0) {
    const more = problems.length - MAX_LISTED;
    const listed = [...problems.slice(0, MAX_LISTED), ...(more > 0 ? [`and ${more} more lines`] : [])];
    throw new UsageError(
      `\`--from-ids\`: expected an id or permalink of a ${kind} on each line, found ${listed.join('; ')}`,
    );
  }
  if (given.size === 0) throw new UsageError('`--from-ids`: expected ids, one a line, found none');
  return [...given.values()];
}
