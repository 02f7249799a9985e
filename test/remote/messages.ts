// What goes over the wire: bytes, so that the two sides share nothing and no function gets through. Errors go as what
// they say, and come out as the classes that the interface promises.

import { deserialize, serialize } from 'node:v8';
import { type ProblemCode, ServiceError, StorageError, UsageError } from '../../src/errors.ts';
import { EngineLimit, IndexDamage, type LimitReached } from '../../src/model/engine-errors.ts';
import type { Kind } from '../../src/model/record.ts';

export interface Request {
  /** The same for every try of one call: what was done under it is not done again. */
  readonly call: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Reply = { readonly value: unknown } | { readonly error: SentError };

/** An error as it is sent. */
type SentError =
  | { readonly type: 'damage'; readonly kind: Kind; readonly message: string; readonly isNewer: boolean }
  | { readonly type: 'limit'; readonly reached: LimitReached }
  | {
      readonly type: 'service';
      readonly code: ProblemCode;
      readonly message: string;
      readonly retryAfter: number;
    }
  | { readonly type: 'usage' | 'call' | 'storage' | 'other'; readonly message: string };

export function bytesOf(request: Request): Uint8Array {
  return serialize(request);
}

export function readRequest(bytes: Uint8Array): Request {
  return deserialize(bytes) as Request;
}

/** A value may be an IndexDamage, or an object with one in its place, as the figures of a kind are. */
export function replyOf(value: unknown): Uint8Array {
  return serialize({ value: withDamage(value, (damage) => ({ [DAMAGE]: sent(damage) })) } satisfies Reply);
}

export function refusalOf(error: unknown): Uint8Array {
  return serialize({ error: sent(error) } satisfies Reply);
}

/** Throws what the other side threw. */
export function readReply(bytes: Uint8Array): unknown {
  const reply = deserialize(bytes) as Reply;
  if ('error' in reply) throw received(reply.error);
  const { value } = reply;
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isSentDamage(one) ? received(one[DAMAGE]) : one]),
  );
}

const DAMAGE = 'damage of a kind';

function isSentDamage(value: unknown): value is { readonly [DAMAGE]: SentError } {
  return typeof value === 'object' && value !== null && DAMAGE in value;
}

function withDamage(value: unknown, replace: (damage: IndexDamage) => unknown): unknown {
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, one instanceof IndexDamage ? replace(one) : one]),
  );
}

function sent(error: unknown): SentError {
  if (!(error instanceof Error)) return { type: 'other', message: String(error) };
  const { message } = error;
  if (error instanceof IndexDamage)
    return { type: 'damage', kind: error.kind, message, isNewer: error.isNewer };
  if (error instanceof EngineLimit) return { type: 'limit', reached: error.reached };
  if (error instanceof ServiceError) {
    return { type: 'service', code: error.code, message, retryAfter: error.retryAfter ?? 1 };
  }
  if (error instanceof UsageError) return { type: 'usage', message };
  if (error instanceof TypeError) return { type: 'call', message };
  return { type: error instanceof StorageError ? 'storage' : 'other', message };
}

function received(error: SentError): Error {
  switch (error.type) {
    case 'damage':
      return new IndexDamage(error.kind, error.message, { isNewer: error.isNewer });
    case 'limit':
      return new EngineLimit(error.reached);
    case 'service':
      return new ServiceError(error.code, error.message, { retryAfter: error.retryAfter });
    case 'usage':
      return new UsageError(error.message);
    case 'call':
      return new TypeError(error.message);
    case 'storage':
      return new StorageError(error.message);
    case 'other':
      return new Error(error.message);
  }
}
