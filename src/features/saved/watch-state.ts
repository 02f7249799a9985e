// The state of a watch between two runs: a small file, replaced atomically.

import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StorageError, storageError, UsageError } from '../../errors.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { readIfThere, replaceFile } from '../../sqlite/database.ts';
import type { SavedSearch } from './store.ts';

/** What is watched; `news`: new records, `above`: a day with more records than usual. */
export type Watched = Pick<SavedSearch, 'kind' | 'query' | 'under'> & { readonly watch: 'news' | 'above' };

export interface WatchState extends Watched {
  /** For `news`: everything up to this arrival was reported. */
  readonly arrival?: number;
  /** For `above`: the last day reported, its first second; null: none. */
  readonly day?: number | null;
}

const FORM = 1;

/** Each watch of each data folder has its own file. `saved`: the id of a saved search, or null. */
export function statePathIn(
  folder: string,
  dataFolder: string,
  { kind, query, under, watch }: Watched,
  saved: number | null,
): string {
  const named = [dataFolder, kind, query, under, watch, ...(saved === null ? [] : [saved])];
  const name = createHash('sha256').update(JSON.stringify(named)).digest('hex');
  return join(folder, `watch-${name.slice(0, 32)}.json`);
}

/** null: no such file. Throws a UsageError if it belongs to another watch, a StorageError if it is no state. */
export function readWatchState(path: string, watched: Watched): WatchState | null {
  const text = readIfThere(path);
  if (text === null) return null;
  const state = parsed(text);
  if (state === null) {
    throw new StorageError(
      `\`${path}\`: expected the state of a watch, found something else; choose another file`,
    );
  }
  const keys = ['kind', 'query', 'under', 'watch'] as const;
  if (keys.every((key) => state[key] === watched[key])) return state;
  throw new UsageError(
    `\`${path}\`: expected the state of ${wordsOf(watched)}, found that of ${wordsOf(state)}; choose another file`,
  );
}

/** Synced when it returns; a kill or a power cut leaves this state or the previous one. Makes the folder. */
export function writeWatchState(path: string, state: WatchState): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFile(path, `${JSON.stringify({ form: FORM, ...state })}\n`, 0o600);
  } catch (error) {
    throw storageError(error, path);
  }
}

function parsed(text: string): WatchState | null {
  try {
    const { form, ...state } = JSON.parse(text) as Partial<WatchState> & { readonly form?: unknown };
    const { kind, query, under = null, watch, arrival, day } = state;
    const isKnown = form === FORM && (kind === 'post' || kind === 'comment') && typeof query === 'string';
    if (!isKnown) return null;
    if (watch === 'news' && isCount(arrival)) return { kind, query, under, watch, arrival };
    if (watch === 'above' && (day === null || isCount(day))) return { kind, query, under, watch, day };
    return null;
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function wordsOf({ kind, query, under, watch }: Watched): string {
  const below = under === null ? '' : ` of posts that match \`${under}\``;
  const what = `${KIND_NAMES[kind]} ${query === '' ? '(everything)' : `\`${query}\``}${below}`;
  return watch === 'news' ? what : `${what} with \`--above\``;
}
