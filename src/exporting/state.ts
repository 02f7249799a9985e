// The state of an export at a step, as files keep it.

import { StorageError } from '../errors.ts';

/** Of a format that is text. */
export interface TextState {
  readonly generation: number;
  /** Of the file. */
  readonly bytes: number;
  /** Plain bytes at each step so far. */
  readonly steps: readonly number[];
  readonly cutCells: number;
}

/** Throws a StorageError where it is none, or what is known of communities has changed since. */
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

/** Of a Parquet file. */
export interface ParquetState {
  readonly generation: number;
  /** Of the file. */
  readonly bytes: number;
  /** Row groups, as `ParquetFile` gives them. */
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
    'expected what is known of communities as it was when the export was broken off, ' +
      'found that it has changed; begin again with `--restart`',
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
