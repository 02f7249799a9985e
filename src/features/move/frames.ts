// Records in transit between engines: frames, and the export's shaper that makes them. The source engine loads the
// shaper in its reading thread.
//
//   frame   u32 length of the head, u32 length of the pack, both little-endian; head: JSON of FrameHead; pack

import { createHash } from 'node:crypto';
import { packRecords } from '../../engines/packing/packed-records.ts';
import type { OpenShaper, ShaperModule } from '../../model/export.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { ArrivalTime } from '../../model/time.ts';

interface FrameHead {
  readonly count: number;
  /** Unix seconds: the creation of the last record. */
  readonly last: number;
  readonly arrived: readonly ArrivalTime[];
}

export interface Frame extends FrameHead {
  /** See engines/packing/packed-records.ts. */
  readonly pack: Uint8Array;
}

const LENGTHS_BYTES = 8;

/** The frame in pieces; empty if there are no records. */
function framed(records: readonly StoredRecord[], arrived: readonly ArrivalTime[]): readonly Uint8Array[] {
  const last = records.at(-1);
  if (last === undefined) return [];
  const { parts } = packRecords(records);
  const told: FrameHead = { count: records.length, last: last.created, arrived };
  const head = Buffer.from(JSON.stringify(told));
  const packBytes = parts.reduce((sum, { length }) => sum + length, 0);
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(packBytes, 4);
  return [lengths, head, ...parts];
}

export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that these bytes complete. */
  take(pieces: readonly Uint8Array[]): readonly Frame[] {
    const bytes = Buffer.concat([this.#rest, ...pieces]);
    const frames: Frame[] = [];
    let at = 0;
    while (at + LENGTHS_BYTES <= bytes.length) {
      const packAt = at + LENGTHS_BYTES + bytes.readUInt32LE(at);
      const end = packAt + bytes.readUInt32LE(at + 4);
      if (end > bytes.length) break;
      const head = JSON.parse(bytes.toString('utf8', at + LENGTHS_BYTES, packAt)) as FrameHead;
      frames.push({ ...head, pack: bytes.subarray(packAt, end) });
      at = end;
    }
    this.#rest = bytes.subarray(at);
    return frames;
  }

  /** Throws an Error if a frame is incomplete. */
  expectEnd(): void {
    if (this.#rest.length > 0) throw new Error('expected whole frames of records, found one that breaks off');
  }
}

/** For an export with arrival times. */
export const FRAME_SHAPER: ShaperModule = { url: import.meta.url, options: null };

export const openShaper: OpenShaper = async () => {
  const hash = createHash('sha256');
  return {
    async add(records, _isStep, arrived) {
      const pieces = framed(records, arrived!);
      for (const piece of pieces) hash.update(piece);
      return pieces;
    },
    state: () => null,
    end: async () => ({ bytes: [], report: { sha256: hash.digest('hex'), cutCells: 0 } }),
    close() {},
  };
};
