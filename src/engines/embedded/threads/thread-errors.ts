// Errors on their way from one thread to another: those that a caller can act on stay what they are.

import { type ProblemCode, ServiceError, StorageError, UsageError } from '../../../errors.ts';
import { EngineLimit, type LimitReached } from '../../../model/engine-errors.ts';
import type { Kind } from '../../../model/record.ts';
import { SegmentDamage } from '../format/segment-file.ts';

export interface ErrorMessage {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  /** SQLite's result code. */
  readonly errcode: unknown;
  readonly retryAfter: number | undefined;
  /** Of a SegmentDamage. */
  readonly kind: Kind | null;
  /** Of an EngineLimit. */
  readonly reached: LimitReached | undefined;
}

export function packError(error: unknown): ErrorMessage {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const service = error instanceof ServiceError ? error : null;
  const code = service?.code ?? (error as { code?: unknown }).code;
  const { errcode } = error as { errcode?: unknown };
  const reached = error instanceof EngineLimit ? error.reached : undefined;
  const kind = error instanceof SegmentDamage ? error.kind : null;
  return { name, message, stack, code, errcode, retryAfter: service?.retryAfter, kind, reached };
}

export function unpackError(packed: ErrorMessage): Error {
  const { name, message, stack, code, errcode, retryAfter, kind, reached } = packed;
  if (reached !== undefined) return new EngineLimit(reached);
  if (name === 'ServiceError') {
    return new ServiceError(code as ProblemCode, message, retryAfter === undefined ? {} : { retryAfter });
  }
  if (name === 'UsageError') return new UsageError(message);
  if (name === 'StorageError') return new StorageError(message);
  if (name === 'SegmentDamage') return new SegmentDamage(message, { kind });
  const error = Object.assign(new Error(message), { name, code, errcode });
  if (stack !== undefined) error.stack = stack;
  return error;
}
