// Which records a list of ids, prefixed ids and permalinks names.

import { ServiceError } from '../errors.ts';
import type { Kind } from '../model/record.ts';
import { MAX_NAMED_RECORDS, readRecordName } from '../model/record-link.ts';
import { quoted } from '../text/quoted.ts';

/** How much of a text a message shows; most links are no longer than this. */
const MAX_SHOWN = 120;

interface AskedName {
  /** As typed, where it was named first; without blanks around it. */
  readonly typed: string;
  /** Without prefix; null: it is that of a record of the other kind. */
  readonly id: string | null;
}

/**
 * The records that a list with commas names, each once, in its order. Empty pieces are passed over. `base`: as in
 * `readRecordName`. Throws `bad_ids` for a list without any or with what is no id, and `too_many_ids`.
 */
export function readAskedNames(list: string, kind: Kind, base: string): readonly AskedName[] {
  const asked = new Map<string, AskedName>();
  const strange: string[] = [];
  for (const typed of list.split(',').map((piece) => piece.trim())) {
    if (typed === '') continue;
    const name = readRecordName(typed, base);
    if (name === null) strange.push(typed);
    else {
      const of = name.of ?? kind;
      const key = `${of} ${name.id}`;
      if (!asked.has(key)) asked.set(key, { typed, id: of === kind ? name.id : null });
    }
  }
  if (strange.length > 0) throw badIds(`${quoted(strange[0]!, MAX_SHOWN)}${andOthers(strange.length - 1)}`);
  if (asked.size === 0) throw badIds('none');
  if (asked.size <= MAX_NAMED_RECORDS) return [...asked.values()];
  const [most, found] = [MAX_NAMED_RECORDS, asked.size].map((number) => number.toLocaleString('en'));
  throw new ServiceError(
    'too_many_ids',
    `parameter \`ids\`: expected at most ${most} different ids, found ${found}`,
  );
}

function badIds(found: string): ServiceError {
  const expected = 'ids or permalinks of records, separated by commas';
  return new ServiceError('bad_ids', `parameter \`ids\`: expected ${expected}, found ${found}`);
}

function andOthers(count: number): string {
  return count === 0 ? '' : ` and ${count.toLocaleString('en')} more that are none`;
}
