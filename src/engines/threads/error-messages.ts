// Errors on their way from one thread to another: those that a caller can act on stay what they are.

import { type ProblemCode, type Refusal, ServiceError, StorageError, UsageError } from '../../errors.ts';
import { EngineLimit, EngineUnavailable, IndexDamage, type LimitReached } from '../../model/engine-errors.ts';

export interface ErrorMessage {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  /** SQLite's result code. */
  readonly errcode: unknown;
  readonly retryAfter: number | undefined;
  /** Of a StorageError. */
  readonly refusal: Refusal | null;
  /** Of an EngineLimit. */
  readonly reached: LimitReached | undefined;
}

export function packError(error: unknown): ErrorMessage {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const told = error instanceof ServiceError || error instanceof EngineUnavailable ? error : null;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const refusal = error instanceof StorageError ? error.refusal : null;
  const reached = error instanceof EngineLimit ? error.reached : undefined;
  const isUnavailable = error instanceof EngineUnavailable || error instanceof IndexDamage;
  return {
    ...{ name: isUnavailable ? 'EngineUnavailable' : name, message, stack },
    ...{ code, errcode, retryAfter: told?.retryAfter, refusal, reached },
  };
}

export function unpackError({
  name,
  message,
  stack,
  code,
  errcode,
  retryAfter,
  refusal,
  reached,
}: ErrorMessage): Error {
  if (reached !== undefined) return new EngineLimit(reached);
  const told = retryAfter === undefined ? {} : { retryAfter };
  if (name === 'ServiceError') return new ServiceError(code as ProblemCode, message, told);
  if (name === 'EngineUnavailable') return new EngineUnavailable(message, told);
  if (name === 'UsageError') return new UsageError(message);
  if (name === 'StorageError') return new StorageError(message, { refusal });
  const error = Object.assign(new Error(message), { name, code, errcode });
  if (stack !== undefined) error.stack = stack;
  return error;
}
