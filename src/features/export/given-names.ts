// An export of records that are named one by one, in place of a query: what stands for the list where a query would be
// printed, and which of the records are not there.

import { createHash } from 'node:crypto';
import type { SearchEngine } from '../../model/engine.ts';
import type { Query, RecordName } from '../../model/query.ts';
import type { Kind } from '../../model/record.ts';
import { NAMED_AT_ONCE } from '../../model/removals.ts';

/** Finds the records of these names, of which there is one at the least. */
export function queryOfNames(names: readonly RecordName[]): Query {
  return { items: names.map((record) => ({ kind: 'id', record, negated: false })) };
}

/** Equal for equal sets of names: `3 ids 2c26b46b68ffc68f`. */
export function namesInShort(names: readonly RecordName[]): string {
  const list = names.map(({ id, of }) => `${of ?? ''} ${id}\n`).sort();
  const digest = createHash('sha256').update(list.join('')).digest('hex');
  const count = list.length.toLocaleString('en');
  return `${count} ${list.length === 1 ? 'id' : 'ids'} ${digest.slice(0, 16)}`;
}

/** Those of a list that are not found at this moment, in its order: `most` of them at the most. */
export async function missingNames(
  engine: SearchEngine,
  kind: Kind,
  names: readonly RecordName[],
  most: number,
): Promise<readonly RecordName[]> {
  const missing = new Set<RecordName>();
  const ofKind = names.filter((name) => name.of === null || name.of === kind);
  const present = (some: readonly RecordName[]) =>
    engine.present(
      kind,
      some.map(({ id }) => id),
    );
  /** `found`: how many of them are there. */
  const look = async (some: readonly RecordName[], found: number): Promise<void> => {
    if (found === some.length || missing.size >= most) return;
    if (found === 0) {
      for (const name of some) missing.add(name);
      return;
    }
    const half = some.slice(0, some.length >> 1);
    const inHalf = await present(half);
    await look(half, inHalf);
    await look(some.slice(half.length), found - inHalf);
  };
  for (let at = 0; at < ofKind.length && missing.size < most; at += NAMED_AT_ONCE) {
    const some = ofKind.slice(at, at + NAMED_AT_ONCE);
    await look(some, await present(some));
  }
  return names.filter((name) => missing.has(name) || (name.of !== null && name.of !== kind)).slice(0, most);
}
