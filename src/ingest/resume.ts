// How far an import of one content has come, as an engine keeps it beside the records (`Checkpoint`).
// Posts and comments are committed one after the other, so each commit says how far both kinds are known to be in.

import type { Checkpoint, SearchEngine } from '../model/engine.ts';
import { IndexDamage } from '../model/engine-errors.ts';
import { KINDS, type Kind } from '../model/record.ts';
import { type SourcePosition, START } from './formats/block.ts';

/** For each kind: every record of the content in front of the place is in the index. */
export type Covered = Readonly<Record<Kind, SourcePosition>>;

const NOTHING_COVERED: Covered = { post: START, comment: START };

export interface Resumption {
  readonly covered: Covered;
  /** True where one was broken off that took other records in: there is no going on from there. */
  readonly isOfOther: boolean;
}

export const FROM_THE_START: Resumption = { covered: NOTHING_COVERED, isOfOther: false };

/** What is kept. `where` is the query of what was taken in, in canonical form; absent: everything was. */
type State = Partial<Covered> & { readonly where?: string };

export function checkpointOf(source: string, covered: Covered, where: string | null): Checkpoint {
  const state: State = where === null ? covered : { ...covered, where };
  return { source, state: JSON.stringify(state) };
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
 * The furthest position that any commit of the two kinds gives, for each kind; the start if the last import was
 * whole. A kind that cannot be read gives none, and does not keep the other one out. Positions of an import of
 * another query do not count.
 */
export async function readResumption(
  engine: Pick<SearchEngine, 'checkpoint'>,
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

/** Older versions kept a state without places of what was read to its end. */
function isBrokenOff({ post, comment }: State): boolean {
  return post !== undefined || comment !== undefined;
}

/** The first kind that can be read, for what is kept without records; null: neither can. */
export async function readableKind(
  engine: Pick<SearchEngine, 'checkpoint'>,
  source: string,
): Promise<Kind | null> {
  for (const kind of KINDS) {
    try {
      await engine.checkpoint(kind, source);
      return kind;
    } catch (error) {
      if (!(error instanceof IndexDamage)) throw error;
    }
  }
  return null;
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
