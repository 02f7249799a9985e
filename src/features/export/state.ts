// The options of an export in an engine's thread, and its state at a step, as files keep it.

import type { CatalogueFile } from '../../catalogue/catalogue.ts';
import { StorageError } from '../../errors.ts';
import type { Kind } from '../../model/record.ts';
import type { Compression, Format } from './parameters.ts';

export interface TextState {
  readonly generation: number;
  readonly bytes: number;
  /** Plain bytes at each step so far. */
  readonly steps: readonly number[];
  readonly cutCells: number;
}

/** Throws a StorageError if it is invalid, or if what is known of communities has changed since. */
export function readTextState(state: unknown, generation: number): TextState {
  const { generation: before, bytes, steps, cutCells } = (state ?? {}) as Partial<TextState>;
  const isWhole =
    [before, bytes, cutCells].every(isCount) &&
    Array.isArray(steps) &&
    steps.every((at, i) => isCount(at) && at >= (i === 0 ? 0 : steps[i - 1]));
  if (!isWhole) throw noState();
  checkGeneration(before!, generation);
  return state as TextState;
}

export interface ParquetState {
  readonly generation: number;
  readonly bytes: number;
  readonly groups: readonly unknown[];
}

/** Throws as `readTextState` does. */
export function readParquetState(state: unknown, generation: number): ParquetState {
  const { generation: before, bytes, groups } = (state ?? {}) as Partial<ParquetState>;
  if (!isCount(before) || !isCount(bytes) || !Array.isArray(groups)) throw noState();
  checkGeneration(before!, generation);
  return state as ParquetState;
}

export function noState(): StorageError {
  return new StorageError('expected the state of an export, found something else; `--restart`');
}

function checkGeneration(before: number, now: number): void {
  if (before === now) return;
  throw new StorageError(
    'expected the known communities as they were when the export was interrupted, ' +
      'found that they have changed; begin again with `--restart`',
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export interface ShaperOptions {
  readonly kind: Kind;
  readonly format: Format;
  readonly compress: Compression;
  readonly fields: readonly string[] | null;
  readonly permalinkBase: string;
  /** null: communities are known from the records alone. */
  readonly catalogue: CatalogueFile | null;
  /** Metadata for formats that have a place for it: Parquet, each as `colloquy.<name>`. */
  readonly about?: Readonly<Record<string, string>>;
  /** Resumes a part; null: from the first byte. Everything else must be as it was. */
  readonly resume: Resumption | null;
}

export interface Resumption {
  readonly state: unknown;
  /** A file with exactly the bytes up to that step. */
  readonly part: string;
}
