// The progress of an import of one content, stored beside the records (`Checkpoint`). Posts and comments are committed
// one after the other, so each commit has the progress of both.

import type { Checkpoint, SearchEngine } from '../model/engine.ts';
import { IndexDamage } from '../model/engine-errors.ts';
import { KINDS, type Kind } from '../model/record.ts';
import { type SourcePosition, START } from './formats/block.ts';

/** For each kind: every record of the content in front of the place is in the index. */
export type Covered = Readonly<Record<Kind, SourcePosition>>;

export interface Resumption {
  readonly covered: Covered;
  /** True if the interrupted import had another query: it cannot be resumed. */
  readonly isOfOther: boolean;
}

export const FROM_THE_START: Resumption = { covered: { post: START, comment: START }, isOfOther: false };

/** The stored state. `where`: the query in canonical form; absent: everything was imported. */
type State = Covered & { readonly where?: string };

export function checkpointOf(source: string, covered: Covered, where: string | null): Checkpoint {
  const state: State = where === null ? covered : { ...covered, where };
  return { source, state: JSON.stringify(state) };
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
  const said = states.flatMap((state) => (state ? (JSON.parse(state) as State) : []));
  const own = said.filter((state) => (state.where ?? null) === where);
  const furthest = (kind: Kind) =>
    own.reduce((best, { [kind]: place }) => (place.offset > best.offset ? place : best), START);
  const covered = { post: furthest('post'), comment: furthest('comment') };
  return { covered, isOfOther: own.length === 0 && said.length > 0 };
}

/** The first readable kind, for checkpoints without records; null: neither is readable. */
export async function readableKind(
  engine: Pick<SearchEngine, 'checkpoints'>,
  source: string,
): Promise<Kind | null> {
  for (const kind of KINDS) if ((await stateOf(engine, kind, source)) !== undefined) return kind;
  return null;
}

/** null: none is stored; undefined: the kind is unreadable. */
export async function stateOf(
  engine: Pick<SearchEngine, 'checkpoints'>,
  kind: Kind,
  source: string,
): Promise<string | null | undefined> {
  try {
    return (await engine.checkpoints(kind)).get(source) ?? null;
  } catch (error) {
    if (error instanceof IndexDamage) return undefined;
    throw error;
  }
}

/** Where reading resumes: everything before it is in the index for both kinds. */
export function resumePlace(covered: Covered): SourcePosition {
  return covered.post.offset < covered.comment.offset ? covered.post : covered.comment;
}
