// Which kinds cannot be read at the moment, why, and when to look again.

import { StorageError, UsageError } from '../../errors.ts';
import { log } from '../../log.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import type { Kind } from '../../model/record.ts';
import { SegmentDamage } from './format/segment-file.ts';

/** A kind that is damaged is looked at again after this time: somebody may have put a file back. */
const LOOK_AGAIN_MS = 1_000;

export class Damages {
  readonly #known: Record<Kind, { readonly damage: IndexDamage; readonly until: number } | null> = {
    post: null,
    comment: null,
  };
  /** What the log was told last. */
  readonly #logged: Record<Kind, string | null> = { post: null, comment: null };

  of(kind: Kind): IndexDamage | null {
    return this.#known[kind]?.damage ?? null;
  }

  /** True where the kind was found damaged a moment ago: looking again is not worth while yet. */
  isFresh(kind: Kind): boolean {
    const known = this.#known[kind];
    return known !== null && performance.now() < known.until;
  }

  clear(kind: Kind): void {
    if (this.#known[kind] !== null) this.#logged[kind] = null;
    this.#known[kind] = null;
  }

  /** Notes that the kind cannot be read; throws whatever is no damage. */
  note(kind: Kind, error: unknown): IndexDamage {
    const damage = this.#damageLogged(kind, error);
    this.#known[kind] = { damage, until: performance.now() + LOOK_AGAIN_MS };
    return damage;
  }

  /** Damage that a call which only reads comes upon names its kind; others may be answered even so. */
  async naming<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#damageLogged(kind, error);
    }
  }

  /** As `naming`, for work that writes too: a disk that refuses to be written to is no damage. */
  async namingRead<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof SegmentDamage ? this.#damageLogged(kind, error) : error;
    }
  }

  /** The damage that the error is, logged where it is news. Throws the error where it is none. */
  #damageLogged(kind: Kind, error: unknown): IndexDamage {
    const damage = damageOf(kind, error);
    if (damage === null) throw error;
    const { kind: of } = damage;
    if (damage.message !== this.#logged[of]) log.error({ err: error, kind: of }, 'the index cannot be read');
    this.#logged[of] = damage.message;
    return damage;
  }
}

/** null: the error says nothing of the files of this kind. */
function damageOf(kind: Kind, error: unknown): IndexDamage | null {
  // uncovered: damage that is told already passes through unchanged
  if (error instanceof IndexDamage) return error;
  // What opens a file throws a UsageError for one of a newer format alone.
  const isNewer = error instanceof UsageError;
  if (!isNewer && !(error instanceof StorageError)) return null;
  const of = (error instanceof SegmentDamage ? error.kind : null) ?? kind;
  return new IndexDamage(of, error.message, { isNewer, cause: error });
}
