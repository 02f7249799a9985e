// The note beside an edition that is being made: what it is to be, and what of it is whole.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import type { Dataset, DatasetDefinition } from './store.ts';

export interface Making {
  readonly number: number;
  readonly definition: DatasetDefinition;
  /** See `Removals.settledVersion`, from before the first record was read. */
  readonly settled: number | null;
  readonly bases: Partial<Record<Kind, Base>>;
}

export interface Base {
  readonly records: number;
  readonly index: IndexFingerprint | null;
}

export const MAKING_FILE = 'making.json';

/** What an earlier run left of the same edition, or a new beginning. */
export function openMaking(folder: string, dataset: Dataset, settled: () => number | null): Making {
  const { state: _, created: __, withdrawn: ___, edition, wanted, ...definition } = dataset;
  const number = Math.max(edition + 1, wanted);
  const there = readMaking(folder);
  if (there !== null && there.number === number && isDeepStrictEqual(there.definition, definition))
    return there;
  const making = { number, definition, settled: settled(), bases: {} };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeMaking(folder, making);
  return making;
}

/** null: there is none, or it was cut. */
export function readMaking(folder: string): Making | null {
  try {
    return JSON.parse(readFileSync(join(folder, MAKING_FILE), 'utf8')) as Making;
  } catch {
    return null;
  }
}

export function writeMaking(folder: string, making: Making): void {
  const path = join(folder, MAKING_FILE);
  writeFileSync(`${path}.new`, JSON.stringify(making));
  renameSync(`${path}.new`, path);
}
