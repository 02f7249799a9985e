// The progress of an export into a file, kept beside it as `FILE.state`: JSON, replaced atomically. It never claims
// more than is on disk. Beside a finished file it tells which command made it.

import { rmSync } from 'node:fs';
import { StorageError, storageError, UsageError } from '../../../errors.ts';
import type { ExportHead } from '../../../model/export.ts';
import { readIfThere, replaceFile } from '../../../sqlite/database.ts';
import { quoted } from '../../../text/quoted.ts';
import { isCount } from '../compression.ts';
import { type ExportPlan, type ExportSources, namesInShort } from '../export-service.ts';

const FORM = 1;

export interface FileState {
  readonly command: Command;
  readonly replaces: boolean;
  readonly version: string;
  /** null: not known for the view of this export. */
  readonly sources: ExportSources | null;
  readonly head: ExportHead;
  readonly records: number;
  readonly withheld: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly shaper: unknown;
  /** Absent: the part is incomplete. */
  readonly finished?: { readonly cutCells: number };
}

export type Command = ReturnType<typeof commandOf>;

/** What makes the bytes; null: not given. `ids` stands for them in short, in place of a query. */
export function commandOf({ wish, query, under, fields }: ExportPlan) {
  const { kind, names, sample, since, order, after, limit, format, compress } = wish;
  return {
    ...{ kind, query, since: since || null, ids: names === undefined ? null : namesInShort(names), under },
    ...{ sample: sample?.size ?? null, seed: sample?.seed ?? null, order, after: after || null, limit },
    ...{ fields: fields === null ? null : fields.join(','), format, compress },
  };
}

export function partOf(out: string): string {
  return `${out}.part`;
}

export function stateOf(out: string): string {
  return `${out}.state`;
}

/** null: there is none. Throws a StorageError if the file is not an export's state. */
export function readState(out: string): FileState | null {
  const path = stateOf(out);
  const text = readIfThere(path);
  if (text === null) return null;
  const state = parsed(text);
  if (state !== null) return state;
  throw new StorageError(
    `\`${path}\`: expected the state of an export of this version, found something else; ` +
      'begin again with `--restart`, or choose another name',
  );
}

/** Synced when it returns: a power cut leaves this state or the one before. */
export function writeState(out: string, state: FileState): void {
  const path = stateOf(out);
  try {
    replaceFile(path, `${JSON.stringify({ form: FORM, ...state })}\n`);
  } catch (error) {
    throw storageError(error, path);
  }
}

export function removeState(out: string): void {
  // A killed process may have left a draft. The state goes last.
  rmSync(`${stateOf(out)}.new`, { force: true });
  rmSync(stateOf(out), { force: true });
}

/** Throws a UsageError that names all differences. */
export function expectSameCommand(out: string, before: Command, now: Command): void {
  const names = Object.keys(now) as (keyof Command)[];
  // A name that an older version did not write counts as null.
  const different = names.filter((name) => (before[name] ?? null) !== now[name]);
  if (different.length === 0) return;
  const list = different.map(
    (name) =>
      `${WORDS[name] ?? `\`--${name}\``} ${shown(name, before[name])} there, ${shown(name, now[name])} here`,
  );
  throw new UsageError(
    `\`${stateOf(out)}\` was left by another export: ${list.join('; ')}. ` +
      'Go on with the command that left it, choose another name, or begin anew with `--restart`',
  );
}

const WORDS: Partial<Record<keyof Command, string>> = { kind: 'kind', query: 'query', ids: '`--from-ids`' };

function shown(name: keyof Command, value: string | number | null | undefined): string {
  if (name === 'query' && value === '') return 'everything';
  return value === null || value === undefined ? 'none' : quoted(String(value));
}

/** null: not a valid state. */
function parsed(text: string): FileState | null {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof given !== 'object' || given === null) return null;
  const { form, ...state } = given as { readonly form?: unknown } & FileState;
  const isOurs =
    form === FORM &&
    typeof state.command === 'object' &&
    state.command !== null &&
    typeof state.sha256 === 'string' &&
    [state.head?.total, state.head?.matches, state.records, state.withheld, state.bytes].every(isCount);
  return isOurs ? state : null;
}
