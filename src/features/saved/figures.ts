// The figures of saved searches: results, new results since their owner last looked, and a timeline. One request to the
// engine answers all searches of a kind. Contract 21.1.

import { ServiceError } from '../../errors.ts';
import type { Answers, OneOfMany } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { type AnalysisContext, tellingLimitsOf, underQuery } from '../../search/asking.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import type { SavedSearch } from './store.ts';

type Watched = Pick<SavedSearch, 'kind' | 'query' | 'under' | 'seen'>;

export type SavedFigures = ReturnType<typeof figuresIn>[number];
export type AllFigures = Awaited<ReturnType<typeof figuresOf>>;

interface Readable {
  readonly watched: Watched;
  readonly asked: Pick<OneOfMany, 'query' | 'under'>;
}

/**
 * `of`: one per search, in the order given; an Error says why it cannot be answered now. `views`: for each kind that
 * was answered, the view and its greatest arrival.
 */
export async function figuresOf(
  context: AnalysisContext,
  searches: readonly Watched[],
  signal?: AbortSignal,
) {
  await context.engine.refresh();
  const found = new Map<Watched, SavedFigures | Error>();
  const views: Partial<Record<Kind, Answers>> = {};
  for (const kind of KINDS) {
    const readable = searches.filter((one) => one.kind === kind).flatMap((one) => readSaved(one, found));
    if (readable.length === 0) continue;
    const view = await figuresOfKind(context, kind, readable, found, signal);
    if (view !== null) views[kind] = view;
  }
  return { of: searches.map((one) => found.get(one)!), views };
}

function readSaved(watched: Watched, found: Map<Watched, SavedFigures | Error>): Readable[] {
  try {
    const { query } = interpretWithoutWindow(watched.query);
    return [{ watched, asked: { query, ...underQuery(watched.under) } }];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    found.set(watched, error);
    return [];
  }
}

/** If one of them is refused, asks each on its own. Returns the view; null: none was answered. */
async function figuresOfKind(
  context: AnalysisContext,
  kind: Kind,
  readable: readonly Readable[],
  found: Map<Watched, SavedFigures | Error>,
  signal?: AbortSignal,
): Promise<Answers | null> {
  try {
    const answers = await ask(context, kind, readable, signal);
    for (const [i, figures] of figuresIn(readable, answers).entries())
      found.set(readable[i]!.watched, figures);
    return answers;
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof IndexDamage)) throw error;
    const isRefused = error instanceof ServiceError && error.status === 400;
    if (isRefused && readable.length > 1) {
      const single: (Answers | null)[] = [];
      for (const one of readable) single.push(await figuresOfKind(context, kind, [one], found, signal));
      return single.findLast((view) => view !== null) ?? null;
    }
    for (const { watched } of readable) found.set(watched, error);
    return null;
  }
}

/** First a question with a timeline for each search; then one for the news of each that its owner has looked at. */
function ask(context: AnalysisContext, kind: Kind, readable: readonly Readable[], signal?: AbortSignal) {
  const {
    engine,
    config: { queryTimeoutMs: timeoutMs },
  } = context;
  const all = readable.map(({ asked }): OneOfMany => ({ kind, ...asked, timeline: {} }));
  const fresh = seenOf(readable).map(
    ({ asked, watched }): OneOfMany => ({ kind, ...asked, since: watched.seen! }),
  );
  const texts = readable.map(({ watched }) => watched.query);
  return tellingLimitsOf({ query: texts }, () => engine.askAll([...all, ...fresh], { timeoutMs }, signal));
}

/** `fresh`: results since its owner last looked; null: never looked. All searches of a kind have the same buckets. */
function figuresIn(readable: readonly Readable[], { answers }: Answers) {
  const seen = seenOf(readable);
  return readable.map((one, i) => {
    const at = seen.indexOf(one);
    const fresh = at === -1 ? null : answers[readable.length + at]!.total;
    return { total: answers[i]!.total, fresh, timeline: answers[i]!.timeline! };
  });
}

function seenOf(readable: readonly Readable[]): readonly Readable[] {
  return readable.filter(({ watched }) => watched.seen !== null);
}
