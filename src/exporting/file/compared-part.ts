// A part that is made once more, because what its bytes depend on has changed: an export goes on behind it
// only where they come out the same.

import { EXPORT_STEP, type ExportBlock } from '../../model/export.ts';
import type { FileState } from './file-state.ts';
import type { PartFile } from './part-file.ts';

export class ComparedPart {
  readonly #part: PartFile;
  readonly #before: FileState;
  readonly #other: (where: string) => Error;
  #at = 0;

  /** `other` makes what is thrown where the bytes are others; it is told where. */
  constructor(part: PartFile, before: FileState, other: (where: string) => Error) {
    this.#part = part;
    this.#before = before;
    this.#other = other;
  }

  /** The bytes behind the part, where the block reaches its end; null: it is not reached yet. */
  take({ bytes, records, withheld, report }: ExportBlock): readonly Uint8Array[] | null {
    const { bytes: end, records: last } = this.#before;
    const rest: Uint8Array[] = [];
    for (const piece of bytes) {
      const inside = piece.subarray(0, Math.max(0, end - this.#at));
      const at = this.#part.firstDifference(inside, this.#at);
      if (at !== null) throw this.#other(`${within(records)}, at byte ${at.toLocaleString('en')},`);
      if (inside.length < piece.length) rest.push(piece.subarray(inside.length));
      this.#at += inside.length;
    }
    const isThere = records === last && withheld === 0 && records % EXPORT_STEP === 0 && this.#at === end;
    // At a step all bytes have come, and none of what is behind it; but for the end of the whole.
    if (isThere && (rest.length === 0 || report !== undefined)) return rest;
    if (rest.length > 0 || records + withheld >= last || report !== undefined)
      throw this.#other(within(records));
    return null;
  }
}

function within(records: number): string {
  return `within the first ${records.toLocaleString('en')} records`;
}
