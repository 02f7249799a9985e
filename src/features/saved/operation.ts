// The saved searches of the key's account: `/api/v1/saved`. Contract 21.2. Their figures: results, new results since
// their owner last looked, and a timeline. One request to the engine answers all searches of a kind. Contract 21.1.

import { ServiceError } from '../../errors.ts';
import { endpointAddress } from '../../http/addresses.ts';
import { IndexSchema } from '../../http/operations/schemas.ts';
import type { Answers, OneOfMany, Timeline } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import { ORDERS } from '../../model/pages.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../model/record.ts';
import { type Answer, type Archive, type Asked, operation } from '../../operation/operation.ts';
import { Type } from '../../operation/parameters.ts';
import { type AnalysisContext, tellingLimitsOf, underQuery } from '../../search/asking.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import { quoted } from '../../text/quoted.ts';
import { OLDER_CHOICES, type SavedSearch, savedOf } from './store.ts';

const seconds = (description: string) => Type.Count(`${description}: Unix seconds.`);

const countOrNull = (description: string) => Type.Nullable(Type.Count(description));

const feed = Type.Nullable(
  Type.Object(
    {
      made: seconds('When its address was made'),
      older: Type.Unsafe({
        type: 'string',
        enum: [...OLDER_CHOICES],
        description:
          'Records that were more than 30 days old when they came in: `one` entry an import, `all` each by itself, `none`.',
      }),
    },
    'null: it has no feed. The address is in no answer.',
  ),
);

const SavedSearchSchema = Type.Object(
  {
    type: Type.Literal('saved_search'),
    kind: Type.Unsafe({ type: 'string', enum: Object.values(KIND_NAMES) }),
    query: Type.String('In canonical form; empty: every record.'),
    under: Type.Optional(Type.String('Of comments: the query that their post matches; absent: any post.')),
    index: Type.Unsafe({
      ...IndexSchema,
      type: ['object', 'null'],
      description:
        'The view of its kind that was counted in; null where it cannot be answered at the moment.',
    }),
    id: Type.Integer({ minimum: 1 }),
    name: Type.String(),
    order_by: Type.Unsafe({ type: 'string', enum: [...ORDERS] }),
    created: seconds('When it was saved'),
    seen: countOrNull(
      'The arrival up to which its owner has looked at it: as `since`, it gives what is new; null: never.',
    ),
    total_count: countOrNull('Number of all matching records; null where `index` is.'),
    new: countOrNull('How many of them came in since its owner looked; null: never, or where `index` is.'),
    feed,
    search: Type.String('Address of the endpoint, with query and order.'),
  },
  { $id: 'SavedSearch' },
);

const SavedListSchema = Type.Object(
  {
    type: Type.Literal('saved'),
    kind: Type.Null(),
    query: Type.Null(),
    index: Type.Null(),
    saved: Type.Array(Type.Ref('SavedSearch#'), 'Of the account, by id.'),
  },
  { $id: 'SavedList' },
);

/** `found`: an Error if it cannot be answered now. */
function presented(
  saved: SavedSearch,
  found: SavedFigures | Error,
  { views }: AllFigures,
  ownAddress: string,
) {
  const { id, name, kind, query, order, created, seen, feed: made } = saved;
  const told = found instanceof Error ? null : found;
  const under = saved.under === null ? {} : { under: saved.under };
  const address = endpointAddress(kind, { query, ...under, order_by: order === 'newest' ? null : order });
  return {
    ...{ type: 'saved_search', kind: KIND_NAMES[kind], query, ...under },
    index: told && (views[kind]?.index ?? null),
    ...{ id, name, order_by: order, created, seen },
    ...{ total_count: told?.total ?? null, new: told?.fresh ?? null },
    ...{ feed: made, search: `${ownAddress}${address}` },
  } satisfies Answer & { [field: string]: unknown };
}

type PresentedSearch = ReturnType<typeof presented>;

export interface SavedList extends Answer {
  readonly saved: readonly PresentedSearch[];
}

async function withFigures(
  archive: Archive,
  searches: readonly SavedSearch[],
  { ownAddress, signal }: Pick<Asked, 'ownAddress' | 'signal'>,
): Promise<readonly PresentedSearch[]> {
  const figures = await figuresOf(archive, searches, signal);
  return searches.map((one, i) => presented(one, figures.of[i]!, figures, ownAddress ?? ''));
}

export async function savedList(archive: Archive, asked: Asked): Promise<SavedList> {
  const searches = savedOf(archive.accounts).list(Number(asked.accountId));
  const saved = await withFigures(archive, searches, asked);
  return { type: 'saved', kind: null, query: null, index: null, saved };
}

/** Throws `not_found`, also for searches of other accounts, so that it does not reveal which ids exist. */
function expectOwn({ accounts }: Archive, { accountId, pathParts: { id = '' } }: Asked): SavedSearch {
  const found = /^[1-9]\d{0,14}$/.test(id) ? savedOf(accounts).of(Number(accountId), Number(id)) : null;
  if (found !== null) return found;
  throw new ServiceError(
    'not_found',
    `expected the id of a saved search of this account, found ${quoted(id)}`,
  );
}

export const operations = [
  operation({
    ...{ name: 'saved', tag: 'search' },
    summary: 'The saved searches of the account',
    description:
      'What the owner of the key has saved, on the page or on the command line, with how many records each search finds ' +
      'and how many are new. The records themselves are asked of its `search`.',
    parameters: {},
    schema: SavedListSchema,
    further: [SavedSearchSchema],
    answerWords: 'The saved searches of the account.',
    run: async (archive, _, asked) => ({ answer: await savedList(archive, asked) }),
  }),
  operation({
    ...{ name: 'saved', operationId: 'saved_search', tag: 'search' },
    part: {
      name: 'id',
      schema: Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'Its number.', examples: ['1'] }),
    },
    summary: 'One saved search',
    description: 'A 404 where the account has none with this id.',
    parameters: {},
    schema: SavedSearchSchema,
    answerWords: 'One saved search.',
    run: async (archive, _, asked) => {
      const [answer] = await withFigures(archive, [expectOwn(archive, asked)], asked);
      return { answer: answer! };
    },
  }),
];

type Watched = Pick<SavedSearch, 'kind' | 'query' | 'under' | 'seen'>;

export interface SavedFigures {
  readonly total: number;
  /** Results since its owner last looked; null: never looked. */
  readonly fresh: number | null;
  /** All searches of a kind have the same buckets. */
  readonly timeline: Timeline;
}

export type AllFigures = Awaited<ReturnType<typeof figuresOf>>;

interface Readable {
  readonly watched: Watched;
  /** All results with a timeline; behind it, if its owner has looked at it, those that came in since. */
  readonly questions: readonly OneOfMany[];
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
    const view = await figuresOfKind(context, readable, found, signal);
    if (view !== null) views[kind] = view;
  }
  return { of: searches.map((one) => found.get(one)!), views };
}

function readSaved(watched: Watched, found: Map<Watched, SavedFigures | Error>): Readable[] {
  const { kind, seen } = watched;
  try {
    const asked = { kind, query: interpretWithoutWindow(watched.query).query, ...underQuery(watched.under) };
    const fresh = seen === null ? [] : [{ ...asked, since: seen }];
    return [{ watched, questions: [{ ...asked, timeline: {} }, ...fresh] }];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    found.set(watched, error);
    return [];
  }
}

/** `readable`: of one kind. If one is refused, asks each on its own. Returns the view; null: none was answered. */
async function figuresOfKind(
  context: AnalysisContext,
  readable: readonly Readable[],
  found: Map<Watched, SavedFigures | Error>,
  signal?: AbortSignal,
): Promise<Answers | null> {
  const { engine, config } = context;
  const questions = readable.flatMap((one) => one.questions);
  const query = readable.map(({ watched }) => watched.query);
  try {
    const ask = () => engine.askAll(questions, { timeoutMs: config.queryTimeoutMs }, signal);
    const view = await tellingLimitsOf({ query }, ask);
    const answers = view.answers.values();
    for (const { watched } of readable) {
      const { total, timeline } = answers.next().value!;
      const fresh = watched.seen === null ? null : answers.next().value!.total;
      found.set(watched, { total, fresh, timeline: timeline! });
    }
    return view;
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof IndexDamage)) throw error;
    const isRefused = error instanceof ServiceError && error.status === 400;
    if (isRefused && readable.length > 1) {
      const single: (Answers | null)[] = [];
      for (const one of readable) single.push(await figuresOfKind(context, [one], found, signal));
      return single.findLast((view) => view !== null) ?? null;
    }
    for (const { watched } of readable) found.set(watched, error);
    return null;
  }
}
