// A shaper for tests: a line of JSON for each record. Its options make it keep bytes back, or fail.

import { createHash } from 'node:crypto';
import { UsageError } from '../src/errors.ts';
import type { OpenShaper, ShaperModule } from '../src/model/export.ts';
import type { StoredRecord } from '../src/model/record.ts';

export interface LineOptions {
  /** Hands out bytes at steps alone, and can forget what it keeps. */
  readonly keepsBack?: boolean;
  /** Says in this BroadcastChannel when it has the first records, and waits for a word in it. */
  readonly waits?: string;
  /** Fails in this call: `exits` ends the thread. */
  readonly fails?: 'open' | 'add' | 'end' | 'exits';
  /** Says at the end what the records say of these communities. */
  readonly communities?: readonly string[];
  /** Gives lines of an id and a time of arrival instead. */
  readonly arrived?: true;
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
  const {
    keepsBack = false,
    fails,
    communities,
    waits,
    arrived: tellsArrived = false,
  } = given as LineOptions;
  if (fails === 'open') throw new UsageError('no shaper today');
  const hash = createHash('sha256');
  let kept: Uint8Array[] = [];
  let count = 0;
  let isOpen = true;
  let mustWait = waits !== undefined;
  const out = (text: string) => {
    // Larger than what it holds: what is handed out must not be taken for all of it.
    const room = new Uint8Array(text.length * 4 + 8);
    const { written } = new TextEncoder().encodeInto(text, room);
    kept.push(room.subarray(0, written));
  };
  const handOut = () => {
    const bytes = kept;
    kept = [];
    for (const piece of bytes) hash.update(piece);
    return bytes;
  };
  return {
    async add(records, isStep, arrived) {
      if (!isOpen) throw new Error('given records after its end');
      if (fails === 'add') throw new UsageError('no records today');
      if (fails === 'exits') process.exit(3);
      const lines = records.map((record, i) =>
        tellsArrived ? `${JSON.stringify({ id: record.id, arrived: arrived?.[i] })}\n` : lineOf(record),
      );
      if (keepsBack) for (const line of lines) out(line);
      else if (records.length > 0) out(lines.join(''));
      count += records.length;
      if (mustWait) await wordIn(waits!);
      mustWait = false;
      return keepsBack && !isStep ? [] : handOut();
    },
    ...(keepsBack && {
      held: {
        get count() {
          return kept.length;
        },
        forget() {
          count -= kept.length;
          kept = [];
        },
      },
    }),
    state: () => ({ count }),
    async end() {
      if (fails === 'end') throw new Error('no end today');
      if (communities !== undefined)
        out(`${JSON.stringify([head, ...(await view.evidence(communities))])}\n`);
      return { bytes: handOut(), report: { sha256: hash.digest('hex'), cutCells: 0 } };
    },
    close() {
      if (!isOpen) throw new Error('closed twice');
      isOpen = false;
    },
  };
};

async function wordIn(name: string): Promise<void> {
  const channel = new BroadcastChannel(name);
  const word = Promise.withResolvers<unknown>();
  channel.onmessage = word.resolve;
  channel.postMessage('waiting');
  await word.promise;
  channel.close();
}
