// What an index must hold: the batches that were acknowledged, ranked copy by copy as contract 5.5 says, apart from any
// engine; and what a folder holds in fact, against that.

import { mergeCopies } from '../../src/model/copies.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS, type Kind, type StoredRecord } from '../../src/model/record.ts';

const RULES = { keepOriginals: false };

/** Kind and id → the record as text. */
export type Contents = ReadonlyMap<string, string>;

export interface Batch {
  readonly kind: Kind;
  readonly records: readonly StoredRecord[];
}

/** A state that grows by whole batches. */
export class Acknowledged {
  readonly #records = new Map<string, StoredRecord>();
  readonly #texts = new Map<string, string>();

  add({ records }: Batch): void {
    for (const [key, record] of changes(this.#records, records)) {
      this.#records.set(key, record);
      this.#texts.set(key, textOf(record));
    }
  }

  contents(): Contents {
    return this.#texts;
  }

  records(): ReadonlyMap<string, StoredRecord> {
    return this.#records;
  }

  /** What it would hold with this batch, as far as that is other than now. */
  changedBy({ records }: Batch): Contents {
    const changed = new Map<string, string>();
    for (const [key, record] of changes(this.#records, records)) changed.set(key, textOf(record));
    return changed;
  }
}

function changes(
  known: ReadonlyMap<string, StoredRecord>,
  records: readonly StoredRecord[],
): Map<string, StoredRecord> {
  const changed = new Map<string, StoredRecord>();
  for (const record of records) {
    const key = keyOf(record);
    const current = changed.get(key) ?? known.get(key);
    const merged = current === undefined ? record : mergeCopies(current, record, RULES);
    if (merged !== current) changed.set(key, merged);
  }
  return changed;
}

export async function contentsOf(engine: SearchEngine): Promise<Contents> {
  const contents = new Map<string, string>();
  for (const kind of KINDS) {
    for await (const batch of engine.scan(kind, { items: [] }, 'oldest')) {
      for (const record of batch) {
        const key = keyOf(record);
        if (contents.has(key)) throw new Error(`${key} is live twice`);
        contents.set(key, textOf(record));
      }
    }
  }
  return contents;
}

export function same(a: Contents, b: Contents): boolean {
  return a.size === b.size && [...a].every(([key, text]) => b.get(key) === text);
}

/** How a folder stands to what was acknowledged before it was broken off. */
export interface Verdict {
  /** Acknowledged records that are missing, or there in another form than they should be. */
  readonly lost: readonly string[];
  /** Records that are removed and there all the same. */
  readonly revived: readonly string[];
  /** Records that nothing accounts for. */
  readonly foreign: readonly string[];
  /** What became of the batch under way. */
  readonly pending: 'none' | 'absent' | 'whole' | 'half';
}

/**
 * `pending` is the batch that was begun and not acknowledged: all of it may be there, or nothing of it. `absence` says
 * which records are removed; neither batch holds such.
 */
export function judge(
  found: Contents,
  acknowledged: Acknowledged,
  pending: Batch | null,
  absence: (record: StoredRecord) => 'no' | 'maybe' | 'yes' = () => 'no',
): Verdict {
  const expected = acknowledged.contents();
  const changed: Contents = pending === null ? new Map() : acknowledged.changedBy(pending);
  const lost: string[] = [];
  const revived: string[] = [];
  const foreign: string[] = [];
  let taken = 0;
  for (const [key, text] of changed) if (found.get(key) === text) taken++;
  for (const [key, text] of expected) {
    const is = found.get(key);
    const isOut = absence(acknowledged.records().get(key)!);
    if (is === text) {
      if (isOut === 'yes') revived.push(key);
    } else if (is === undefined ? isOut === 'no' : is !== changed.get(key)) lost.push(key);
  }
  for (const [key, text] of found) if (!expected.has(key) && changed.get(key) !== text) foreign.push(key);
  const state =
    changed.size === 0 ? 'none' : taken === 0 ? 'absent' : taken === changed.size ? 'whole' : 'half';
  return { lost, revived, foreign, pending: state };
}

function keyOf(record: StoredRecord): string {
  return `${record.kind} ${record.id}`;
}

/** The same for records with the same fields in any order. */
function textOf(record: StoredRecord): string {
  const fields = record as unknown as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields).sort();
  return `${names} ${JSON.stringify(names.map((name) => fields[name]))}`;
}
