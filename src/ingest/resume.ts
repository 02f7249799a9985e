// The progress of an import of one content, stored beside the records (`Checkpoint`). Posts and comments are committed
// one after the other, so each commit has the progress of both.

import type { Checkpoint, SearchEngine } from '../model/engine.ts';
import { IndexDamage } from '../model/engine-errors.ts';
import { KINDS, type Kind } from '../model/record.ts';
import { type SourcePosition, START } from './formats/block.ts';

/** For each kind: every record of the content in front of the place is in the index. */
export type Covered = Readonly<Record<Kind, SourcePosition>>;

const NOTHING_COVERED: Covered = { post: START, comment: START };

export interface Resumption {
  readonly covered: Covered;
  /** True if the interrupted import had another query: it cannot be resumed. */
  readonly isOfOther: boolean;
}

export const FROM_THE_START: Resumption = { covered: NOTHING_COVERED, isOfOther: false };

/** The stored state. `where`: the query in canonical form; absent: everything was imported. */
type State = Partial<Covered> & { readonly where?: string };

export function checkpointOf(source: string, covered: Covered, where: string | null): Checkpoint {
  const state: State = where === null ? covered : { ...covered, where };
  return { source, state: JSON.stringify(state) };
}

/** Committed at the end of a content: its next import starts over. */
export function doneCheckpoint(source: string): Checkpoint {
  return { source, state: null };
}

/** Whether progress of the kind is stored. */
export async function hasCheckpoint(
  engine: Pick<SearchEngine, 'checkpoints'>,
  kind: Kind,
  source: string,
): Promise<boolean> {
  return (await stateOf(engine, kind, source)) !== null;
}

/**
 * For each kind, the furthest place in any commit of both kinds; the start if the last import was complete. An
 * unreadable kind has none, and does not affect the other. Places of another query do not count.
 */
export async function readResumption(
  engine: Pick<SearchEngine, 'checkpoints'>,
  source: string,
  where: string | null,
): Promise<Resumption> {
  const states = await Promise.all(KINDS.map((kind) => stateOf(engine, kind, source)));
  const said = states.filter((state) => state !== null).map((state) => JSON.parse(state) as State);
  const own = said.filter((state) => (state.where ?? null) === where);
  const furthest = (kind: Kind) =>
    own.reduce(
      (best: SourcePosition, { [kind]: place }) => (place && place.offset > best.offset ? place : best),
      START,
    );
  const covered = { post: furthest('post'), comment: furthest('comment') };
  return { covered, isOfOther: own.length === 0 && said.some(isBrokenOff) };
}

/** Older versions stored a state without places after the end of a content. */
function isBrokenOff({ post, comment }: State): boolean {
  return post !== undefined || comment !== undefined;
}

/** The first readable kind, for checkpoints without records; null: neither is readable. */
export async function readableKind(engine: Pick<SearchEngine, 'checkpoints'>): Promise<Kind | null> {
  for (const kind of KINDS) {
    try {
      await engine.checkpoints(kind);
      return kind;
    } catch (error) {
      if (!(error instanceof IndexDamage)) throw error;
    }
  }
  return null;
}

async function stateOf(
  engine: Pick<SearchEngine, 'checkpoints'>,
  kind: Kind,
  source: string,
): Promise<string | null> {
  try {
    return (await engine.checkpoints(kind)).get(source) ?? null;
  } catch (error) {
    if (error instanceof IndexDamage) return null;
    throw error;
  }
}

/** Where reading resumes: everything before it is in the index for both kinds. */
export function resumePlace(covered: Covered): SourcePosition {
  return covered.post.offset < covered.comment.offset ? covered.post : covered.comment;
}
