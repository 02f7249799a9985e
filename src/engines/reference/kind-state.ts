// What the index of a kind holds, as one commit after the other leaves it.

import { type CopyRules, compareCopies } from '../../model/copies.ts';
import type { StoredRecord } from '../../model/record.ts';
import { Arrivals } from './arrivals.ts';
import type { Commit, HideCommit } from './journal.ts';

export interface KindState {
  /** By id: what is found. */
  readonly records: Map<string, StoredRecord>;
  /** Of these. */
  readonly arrivals: Arrivals;
  /** What removals hide and is not erased yet, in the order of hiding. */
  hidden: readonly HiddenCopy[];
  readonly checkpoints: Map<string, string>;
}

interface HiddenCopy {
  readonly record: StoredRecord;
  readonly arrival: number | undefined;
  /** Numbers of the removals, never empty. */
  readonly by: ReadonlySet<number>;
  /** Unix seconds of the first hiding. */
  readonly time: number;
}

export function emptyState(): KindState {
  return { records: new Map(), arrivals: new Arrivals(), hidden: [], checkpoints: new Map() };
}

/** Leaves the state as it is behind the commit. */
export function applyCommit(
  state: KindState,
  { put = [], arrived, checkpoint, hide, restore, erase }: Commit,
  rules: CopyRules,
): void {
  for (const record of put) state.records.set(record.id, record);
  if (put.length > 0 && arrived !== undefined) state.arrivals.add(arrived.news, arrived.given, arrived.time);
  if (checkpoint?.state === null) state.checkpoints.delete(checkpoint.source);
  else if (checkpoint !== undefined) state.checkpoints.set(checkpoint.source, checkpoint.state);
  if (hide !== undefined) applyHide(state, hide);
  if (restore !== undefined) applyRestore(state, restore, rules);
  if (erase !== undefined) state.hidden = state.hidden.filter(({ time }) => time > erase);
}

function applyHide(state: KindState, { removal, time, ids, copies }: HideCommit): void {
  const again = new Set(copies);
  const known = state.hidden.map((copy, i) =>
    again.has(i) ? { ...copy, by: new Set([...copy.by, removal]) } : copy,
  );
  const fresh = ids.map((id) => {
    const record = state.records.get(id)!;
    return { record, arrival: state.arrivals.numbers.get(id), by: new Set([removal]), time };
  });
  for (const id of ids) {
    state.records.delete(id);
    state.arrivals.numbers.delete(id);
  }
  state.hidden = [...known, ...fresh];
}

/** A copy that no removal hides any more is found again, unless one that ranks higher has come in meanwhile. */
function applyRestore(state: KindState, removal: number, rules: CopyRules): void {
  const left = state.hidden.map((copy) =>
    copy.by.has(removal) ? { ...copy, by: new Set([...copy.by].filter((other) => other !== removal)) } : copy,
  );
  for (const { record, arrival, by } of left) {
    const other = state.records.get(record.id);
    const isBack = by.size === 0 && (other === undefined || compareCopies(record, other, rules) > 0);
    if (!isBack) continue;
    state.records.set(record.id, record);
    if (arrival === undefined) state.arrivals.numbers.delete(record.id);
    else state.arrivals.numbers.set(record.id, arrival);
  }
  state.hidden = left.filter(({ by }) => by.size > 0);
}
