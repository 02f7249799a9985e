// How far a move has come, as the target keeps it beside the records (`Checkpoint`), for each kind. It stays when the
// move is through: so a later run knows that what is there came from here.

import type { Checkpoint, SearchEngine } from '../model/engine.ts';
import type { Kind } from '../model/record.ts';

/** The name of the mark among the checkpoints; no import has one like it (those are hashes of contents). */
export const MOVE_MARK = 'colloquy move';

export interface MoveMark {
  /** Names the data folder whose records are moved. */
  readonly folder: string;
  /** Unix seconds: every record written before is there. null: nothing is known to be. */
  readonly second: number | null;
}

export function markOf(mark: MoveMark): Checkpoint {
  return { source: MOVE_MARK, state: JSON.stringify(mark) };
}

/** null: nothing was moved there. */
export async function readMark(target: SearchEngine, kind: Kind): Promise<MoveMark | null> {
  const state = await target.checkpoint(kind, MOVE_MARK);
  return state === null ? null : (JSON.parse(state) as MoveMark);
}
