// How far an import of one content has come, as an engine keeps it beside the records (`Checkpoint`).
// Posts and comments are committed one after the other, so each commit says how far both kinds are known to be in.

import { IndexDamage } from '../model/damage.ts';
import type { Checkpoint, SearchEngine } from '../model/engine.ts';
import { KINDS, type Kind } from '../model/record.ts';
import { type SourcePosition, START } from './formats/block.ts';

/** For each kind: every record of the content in front of the place is in the index. */
export type Covered = Readonly<Record<Kind, SourcePosition>>;

export const NOTHING_COVERED: Covered = { post: START, comment: START };

export function checkpointOf(source: string, covered: Covered): Checkpoint {
  return { source, state: JSON.stringify(covered) };
}

/** What is committed when a content is read to its end: the next import of it begins at the beginning. */
export function doneCheckpoint(source: string): Checkpoint {
  return { source, state: null };
}

/** Whether something is kept of how far the kind has come. */
export async function hasCheckpoint(
  engine: Pick<SearchEngine, 'checkpoint'>,
  kind: Kind,
  source: string,
): Promise<boolean> {
  return (await stateOf(engine, kind, source)) !== null;
}

/**
 * The furthest that any commit of the two kinds says, for each kind; the start where a whole import was the last. A kind
 * that cannot be read says nothing, and does not keep the other one out.
 */
export async function readCovered(
  engine: Pick<SearchEngine, 'checkpoint'>,
  source: string,
): Promise<Covered> {
  const states = await Promise.all(KINDS.map((kind) => stateOf(engine, kind, source)));
  const said = states.filter((state) => state !== null).map((state) => JSON.parse(state) as Partial<Covered>);
  const furthest = (kind: Kind) =>
    said.reduce(
      (best: SourcePosition, { [kind]: place }) => (place && place.offset > best.offset ? place : best),
      START,
    );
  return { post: furthest('post'), comment: furthest('comment') };
}

async function stateOf(
  engine: Pick<SearchEngine, 'checkpoint'>,
  kind: Kind,
  source: string,
): Promise<string | null> {
  try {
    return await engine.checkpoint(kind, source);
  } catch (error) {
    if (error instanceof IndexDamage) return null;
    throw error;
  }
}

/** Where reading goes on: whatever is in front of it is in for both kinds. */
export function resumePlace(covered: Covered): SourcePosition {
  return covered.post.offset < covered.comment.offset ? covered.post : covered.comment;
}
