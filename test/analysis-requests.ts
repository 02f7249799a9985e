// What a random request to compare engines by is, and the records it is asked about. Generators of requests stand in
// analysis-agreement.ts and look-up-requests.ts.

import fc from 'fast-check';
import type { AnalysisContext } from '../src/analysis/asking.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Kind, StoredComment, StoredRecord } from '../src/model/record.ts';
import { DAY } from '../src/model/time.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { SearchService } from '../src/search/search-service.ts';
import { type Below, pick, randomBelow } from './generators/real-queries.ts';
import { commentArbitrary, postArbitrary, VOCABULARY } from './generators/records.ts';

/** What a generator draws from. */
export interface Draw {
  readonly kind: Kind;
  readonly below: Below;
  /** A random query, as text; a `before:` may lack its `after:`. */
  query(): string;
  readonly corpus: Corpus;
}

export interface AnalysisRequest {
  /** For messages: what is asked. */
  readonly wish: unknown;
  ask(context: AnalysisContext): Promise<unknown>;
  /** What must hold of an answer by itself. */
  check?(answer: unknown): void;
  /** The code of the refusal that there must be; null: none. Absent: it may be any. */
  readonly refusal?: string | null;
}

/** By name of what is asked. */
export type Generators = Readonly<Record<string, (draw: Draw) => AnalysisRequest>>;

/** What came in, removed or not, and what a scan of every record finds. */
export interface Corpus {
  readonly given: Readonly<Record<Kind, readonly StoredRecord[]>>;
  readonly live: Readonly<Record<Kind, readonly StoredRecord[]>>;
}

export function searchBy({ engine, queryTimeoutMs }: AnalysisContext): SearchService {
  const settings = { permalinkBase: '', impliedWindow: 'off', queryTimeoutMs } as const;
  return new SearchService(engine, { knowledgeOf: () => new Map() }, settings);
}

const BATCHES = 3;

const IN_THREAD = 30;

/** A community with posts for adults alone, so that records of the other kind are told by it. */
const ADULT = 'cats';

/** Of the posts that have a thread with everything that sources bring. */
export const THREADED: readonly string[] = VOCABULARY.ids.slice(2, 5);

/** Of both kinds: many copies of few records, and records of one copy; comments also in threads. */
export function givenRecords(seed: number): Corpus['given'] {
  const post = [
    ...fc.sample(postArbitrary(true), { numRuns: 60, seed }),
    ...fc.sample(postArbitrary(), { numRuns: 60, seed }),
  ].map((one) => ({ ...one, adult: one.community === ADULT || one.adult }));
  const wide = fc.sample(commentArbitrary(), { numRuns: 400, seed });
  const comment = [
    ...fc.sample(commentArbitrary(true), { numRuns: 200, seed }),
    ...(seed % 2 === 0 ? aroundGap(wide, seed) : overYears(wide, seed)),
    ...threads(seed),
  ];
  return { post, comment };
}

/** In two times, with days between them that have none: both are busy, or one is just not. */
function aroundGap(comments: readonly StoredComment[], seed: number): StoredComment[] {
  const below = randomBelow(seed);
  const early = 25 + below(50);
  return comments.map((comment) => {
    const day = pick(below, below(100) < early ? [0, 1, 2] : [9, 10, 12]);
    return { ...comment, created: 1_210_000_000 + day * DAY + below(DAY) };
  });
}

/** Half of them where they are, the others on days with few or none between. */
function overYears(comments: readonly StoredComment[], seed: number): StoredComment[] {
  const below = randomBelow(seed);
  return comments.map((comment) => {
    const other = 1_199_145_600 + below(1_000) * DAY + pick(below, [0, DAY - 1, below(DAY)]);
    return { ...comment, created: pick(below, [comment.created, other]) };
  });
}

/** Ids begin with the number of the thread; one may answer a comment of the next thread. */
function threads(seed: number): StoredComment[] {
  const below = randomBelow(seed + 1);
  const some = fc.sample(commentArbitrary(), { numRuns: IN_THREAD * THREADED.length, seed: seed + 1 });
  return some.map((comment, i) => {
    const [thread, at] = [Math.floor(i / IN_THREAD), i % IN_THREAD];
    const post = THREADED[thread]!;
    const earlier = at === 0 ? post : `${thread}c${below(at)}`;
    /** Of any time: circles, of one comment too, come of it. */
    const any = `${thread}c${below(IN_THREAD)}`;
    const strange = pick(below, ['', 'lost', `${thread + 1}c${below(IN_THREAD)}`, any]);
    const parent = pick(below, [post, earlier, earlier, earlier, earlier, strange]);
    const created = pick(below, [comment.created, below(6), below(1_000)]);
    return { ...comment, id: `${thread}c${at}`, post, parent, created };
  });
}

/** In batches, so that segments overlap in time. Some are removed; of these, some come back. */
export async function fill(engine: SearchEngine, given: Corpus['given'], seed: number): Promise<void> {
  const { post, comment } = given;
  for (let at = 0; at < BATCHES; at++) {
    await addEvery(engine, 'post', post, at);
    await addEvery(engine, 'comment', comment, at);
  }
  // Merges leave hidden records behind: what comes back is the same while there are none.
  if (seed % 3 === 0) await engine.maintain();
  const ids = (records: readonly StoredRecord[], every: number) =>
    records.filter((_, i) => i % every === seed % every).map(({ id }) => id);
  await engine.hide(1, 'comment', { ids: ids(comment.slice(200), 9) });
  await engine.hide(2, 'post', { ids: post.slice(0, 5).map(({ id }) => id) });
  await engine.hide(3, 'comment', { community: VOCABULARY.communities[seed % 3]! });
  await engine.hide(3, 'post', { community: VOCABULARY.communities[seed % 3]! });
  await engine.hide(4, 'comment', { ids: ids(comment, 11) });
  await engine.hide(5, 'comment', { threads: [VOCABULARY.ids[seed % VOCABULARY.ids.length]!] });
  await engine.restore(4);
  if (seed % 2 === 0) await engine.restore(3);
  if (seed % 4 < 2) await engine.restore(5);
  await addEvery(engine, 'comment', comment.slice(0, 60), seed % BATCHES);
}

/** After answers that an engine may have kept parts of: some more are removed, and some are back. */
export async function removeMore(engine: SearchEngine, given: Corpus['given'], seed: number): Promise<void> {
  const ids = given.comment.flatMap(({ id }, i) => (i % 13 === seed % 13 ? [id] : []));
  await engine.hide(6, 'comment', { ids });
  await engine.hide(6, 'post', { ids: given.post.slice(60, 64).map(({ id }) => id) });
  await engine.restore(1);
  await engine.restore(2);
}

/** Every third one, from this one on. All engines are told alike when they came in. */
async function addEvery(
  engine: SearchEngine,
  kind: Kind,
  records: readonly StoredRecord[],
  first: number,
): Promise<void> {
  const batch = records.filter((_, i) => i % BATCHES === first);
  const arrived = batch.map((_, i) => 1_400_000_000 + first * 100_000 + i * 61);
  await engine.index(kind, packRecords(batch), undefined, arrived);
}

export async function liveRecords(engine: SearchEngine): Promise<Corpus['live']> {
  const everyOne = async (kind: Kind) => {
    const records: StoredRecord[] = [];
    for await (const batch of engine.scan(kind, { items: [] }, 'oldest')) records.push(...batch);
    return records;
  };
  return { post: await everyOne('post'), comment: await everyOne('comment') };
}
