// A kind of record that an engine cannot read, while it goes on answering for the other.

import { StorageError } from '../errors.ts';
import type { Kind } from './record.ts';

/** Thrown by calls that concern this kind. The message names the file and the next step, for the operator. */
export class IndexDamage extends StorageError {
  readonly kind: Kind;
  /** Nothing is damaged: a newer version of Colloquy wrote it. */
  readonly isNewer: boolean;

  constructor(kind: Kind, message: string, options: { isNewer?: boolean; cause?: unknown } = {}) {
    super(message, options);
    this.name = 'IndexDamage';
    this.kind = kind;
    this.isNewer = options.isNewer ?? false;
  }
}

/** Does the work for each kind, even if it fails for another; then throws the first error. */
export async function eachOf(kinds: readonly Kind[], work: (kind: Kind) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for (const kind of kinds) await work(kind).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
