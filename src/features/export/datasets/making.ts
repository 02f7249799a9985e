// The note beside an unfinished edition: its definition, and what of it is complete.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import type { Dataset, DatasetDefinition } from './store.ts';

export interface Making {
  readonly number: number;
  readonly definition: DatasetDefinition;
  /** See `Removals.settledVersion`; read before the first record. */
  readonly settled: number | null;
  readonly bases: Partial<Record<Kind, Base>>;
}

export interface Base {
  readonly records: number;
  readonly index: IndexFingerprint | null;
}

export const MAKING_FILE = 'making.json';

/** Resumes an earlier run of the same edition, or starts a new one. */
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

/** null: missing or truncated. */
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
