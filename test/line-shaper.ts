// A shaper for tests: a line of JSON for each record. Its options make it keep bytes back, or fail.

import { createHash } from 'node:crypto';
import { UsageError } from '../src/errors.ts';
import type { OpenShaper, ShaperModule } from '../src/model/export.ts';
import type { StoredRecord } from '../src/model/record.ts';

export interface LineOptions {
  /** Hands out bytes at steps alone. */
  readonly keepsBack?: boolean;
  /** Fails in this call: `exits` ends the thread. */
  readonly fails?: 'open' | 'add' | 'end' | 'exits';
  /** Says at the end what the records say of these communities. */
  readonly communities?: readonly string[];
}

export function lineShaper(options: LineOptions = {}): ShaperModule {
  return { url: import.meta.url, options };
}

/** Engines put the fields of a record in orders of their own. */
export function lineOf(record: StoredRecord): string {
  const fields = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(fields))}\n`;
}

export const openShaper: OpenShaper = async (given, head, view) => {
  const { keepsBack = false, fails, communities } = given as LineOptions;
  if (fails === 'open') throw new UsageError('no shaper today');
  const hash = createHash('sha256');
  let kept: Uint8Array[] = [];
  let count = 0;
  let isOpen = true;
  const out = (text: string) => {
    // Larger than what it holds: what is handed out must not be taken for all of it.
    const room = new Uint8Array(text.length * 4 + 8);
    const { written } = new TextEncoder().encodeInto(text, room);
    hash.update(room.subarray(0, written));
    kept.push(room.subarray(0, written));
  };
  const handOut = () => {
    const bytes = kept;
    kept = [];
    return bytes;
  };
  return {
    async add(records, isStep) {
      if (!isOpen) throw new Error('given records after its end');
      if (fails === 'add') throw new UsageError('no records today');
      if (fails === 'exits') process.exit(3);
      if (records.length > 0) out(records.map(lineOf).join(''));
      count += records.length;
      return keepsBack && !isStep ? [] : handOut();
    },
    state: () => ({ count }),
    async end() {
      if (fails === 'end') throw new Error('no end today');
      if (communities !== undefined) out(`${JSON.stringify([head, ...view.evidence(communities)])}\n`);
      return { bytes: handOut(), report: { sha256: hash.digest('hex'), cutCells: 0 } };
    },
    close() {
      if (!isOpen) throw new Error('closed twice');
      isOpen = false;
    },
  };
};
