// Records in transit between engines: the export's shaper that makes a frame of each batch, and what reads it. The
// source engine loads the shaper in its reading thread.

import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { packRecords } from '../../engines/packing/packed-records.ts';
import type { OpenShaper, ShaperModule } from '../../model/export.ts';
import type { ArrivalTime } from '../../model/time.ts';

export interface Frame {
  /** Unix seconds: the creation of the last record. */
  readonly last: number;
  readonly arrived: readonly ArrivalTime[];
  readonly pack: Uint8Array;
}

export function frameOf(piece: Uint8Array): Frame {
  return deserialize(piece) as Frame;
}

/** For an export with arrival times. */
export const FRAME_SHAPER: ShaperModule = { url: import.meta.url, options: null };

export const openShaper: OpenShaper = async () => {
  const hash = createHash('sha256');
  return {
    async add(records, _isStep, arrived) {
      const last = records.at(-1);
      if (last === undefined) return [];
      const pack = Buffer.concat(packRecords(records).parts);
      const piece = serialize({ last: last.created, arrived: arrived!, pack } satisfies Frame);
      hash.update(piece);
      return [piece];
    },
    state: () => null,
    end: async () => ({ bytes: [], report: { sha256: hash.digest('hex'), cutCells: 0 } }),
    close() {},
  };
};
