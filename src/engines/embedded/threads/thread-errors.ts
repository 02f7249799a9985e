// Errors on their way from one thread of the engine to another: damage of a segment stays what it is, too.

import type { Kind } from '../../../model/record.ts';
import * as plain from '../../threads/worker-calls.ts';
import { SegmentDamage } from '../format/segment-file.ts';

interface ErrorMessage extends plain.ErrorMessage {
  /** Of a SegmentDamage. */
  readonly kind: Kind | null;
}

export function packError(error: unknown): ErrorMessage {
  return { ...plain.packError(error), kind: error instanceof SegmentDamage ? error.kind : null };
}

export function unpackError(packed: plain.ErrorMessage): Error {
  const { name, message, kind } = packed as ErrorMessage;
  return name === 'SegmentDamage' ? new SegmentDamage(message, { kind }) : plain.unpackError(packed);
}
