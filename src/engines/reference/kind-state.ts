// What the index of a kind holds, as one commit after the other leaves it.

import { type CopyRules, compareCopies } from '../../model/copies.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Commit, HideCommit } from './journal.ts';

export interface KindState {
  /** By id: what is found. */
  readonly records: Map<string, StoredRecord>;
  /** When they came in, by id; what nobody noted is absent. */
  readonly arrived: Map<string, number>;
  /** What removals hide and is not erased yet, in the order of hiding. */
  hidden: readonly HiddenCopy[];
  readonly checkpoints: Map<string, string>;
}

interface HiddenCopy {
  readonly record: StoredRecord;
  readonly arrived: number | undefined;
  /** Numbers of the removals, never empty. */
  readonly by: ReadonlySet<number>;
  /** Unix seconds of the first hiding. */
  readonly time: number;
}

export function emptyState(): KindState {
  return { records: new Map(), arrived: new Map(), hidden: [], checkpoints: new Map() };
}

/** Leaves the state as it is behind the commit. */
export function applyCommit(
  state: KindState,
  { put = [], arrived, checkpoint, hide, restore, erase }: Commit,
  rules: CopyRules,
): void {
  for (const record of put) state.records.set(record.id, record);
  for (const [id, time] of Object.entries(arrived ?? {})) {
    if (time === null) state.arrived.delete(id);
    else state.arrived.set(id, time);
  }
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
    return { record, arrived: state.arrived.get(id), by: new Set([removal]), time };
  });
  for (const id of ids) {
    state.records.delete(id);
    state.arrived.delete(id);
  }
  state.hidden = [...known, ...fresh];
}

/** A copy that no removal hides any more is found again, unless one that ranks higher has come in meanwhile. */
function applyRestore(state: KindState, removal: number, rules: CopyRules): void {
  const left = state.hidden.map((copy) =>
    copy.by.has(removal) ? { ...copy, by: new Set([...copy.by].filter((other) => other !== removal)) } : copy,
  );
  for (const { record, arrived, by } of left) {
    const other = state.records.get(record.id);
    const isBack = by.size === 0 && (other === undefined || compareCopies(record, other, rules) > 0);
    if (!isBack) continue;
    state.records.set(record.id, record);
    if (arrived === undefined) state.arrived.delete(record.id);
    else state.arrived.set(record.id, arrived);
  }
  state.hidden = left.filter(({ by }) => by.size > 0);
}
