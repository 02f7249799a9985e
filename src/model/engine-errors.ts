// Errors of engines, told apart by type: questions that are refused, an engine out of reach, a damaged kind. And how a
// question ends early when its caller has gone.

import { StorageError } from '../errors.ts';
import { MAX_CELLS, MAX_COPIED, MAX_IN_GROUPS } from './analyses.ts';
import { MAX_POSTS_UNDER, MAX_PREFIX_TOKENS, type PrefixWord } from './query.ts';
import type { Kind } from './record.ts';
import { MAX_GIVEN_BUCKETS, type TimelineStep } from './time.ts';

export type LimitReached =
  /** A prefix, the word that is refused, begins more than MAX_PREFIX_TOKENS tokens. */
  | {
      readonly limit: 'prefix_tokens';
      readonly word: PrefixWord;
      readonly isUnder?: true;
    }
  /** The query in `under` matches more than MAX_POSTS_UNDER posts. */
  | { readonly limit: 'posts_under'; readonly posts: number }
  /** The step asked for makes more than MAX_GIVEN_BUCKETS buckets; `step` is the finest one that is allowed. */
  | { readonly limit: 'timeline_buckets'; readonly step: TimelineStep }
  /** This engine cannot answer it exactly and cheaply. `what`: in words, a plural. */
  | { readonly limit: 'not_here'; readonly what: string }
  | { readonly limit: 'breakdown_cells' }
  | { readonly limit: 'coverage_cells' }
  /** More than MAX_COPIED matches, so many, to look for copies among. */
  | { readonly limit: 'copied_records'; readonly records: number }
  | { readonly limit: 'sample_groups' }
  | { readonly limit: 'sample_bytes'; readonly maxBytes: number }
  | { readonly limit: 'named_bytes'; readonly maxBytes: number };

/** This index cannot answer the question; the caller must ask another one. */
export class EngineLimit extends Error {
  readonly reached: LimitReached;

  constructor(reached: LimitReached) {
    super(messageOf(reached));
    this.name = 'EngineLimit';
    this.reached = reached;
  }
}

/** The engine cannot answer at the moment; the same question may be answered later. */
export class EngineUnavailable extends Error {
  /** Seconds after which to try again. */
  readonly retryAfter: number;

  constructor(message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EngineUnavailable';
    this.retryAfter = options.retryAfter ?? RETRY_AFTER;
  }
}

const RETRY_AFTER = 5;

/** Marks a limit as one of the query in `under`; returns other errors unchanged. */
export function inUnder(error: unknown): unknown {
  if (!(error instanceof EngineLimit) || error.reached.limit !== 'prefix_tokens') return error;
  return new EngineLimit({ ...error.reached, isUnder: true });
}

function messageOf(reached: LimitReached): string {
  switch (reached.limit) {
    case 'not_here':
      return `expected a question that this engine can answer, found one for ${reached.what}; the embedded engine can`;
    case 'breakdown_cells':
      return `expected at most ${said(MAX_CELLS)} buckets in all rows, found more; take fewer rows, or a longer step`;
    case 'coverage_cells':
      return (
        `expected at most ${said(MAX_CELLS)} days or months of all communities together, found more; ` +
        'name fewer communities, or take `month`'
      );
    case 'copied_records':
      return (
        `expected at most ${said(MAX_COPIED)} matches to look for copies among, ` +
        `found ${said(reached.records)}; narrow the query`
      );
    case 'timeline_buckets':
      return (
        `expected at most ${said(MAX_GIVEN_BUCKETS)} buckets of a timeline, found more; ` +
        `take \`${reached.step}\`, or narrow the dates`
      );
    case 'sample_groups':
      return (
        `expected at most ${said(MAX_IN_GROUPS)} records of all groups, found more; ` +
        'take fewer of each, or narrow the query'
      );
    case 'sample_bytes':
      return `expected a sample of at most ${megabytes(reached)} MB, found a larger one; take fewer records`;
    case 'named_bytes':
      return `expected records of at most ${megabytes(reached)} MB together, found more; ask for fewer ids`;
    case 'posts_under':
      return (
        `expected at most ${said(MAX_POSTS_UNDER)} posts that match \`under\`, ` +
        `found ${said(reached.posts)}; narrow it`
      );
    case 'prefix_tokens':
      return (
        `expected at most ${said(MAX_PREFIX_TOKENS)} different words that start with a prefix, ` +
        `found more for \`${reached.word.typed}*\`; make the prefix longer`
      );
  }
}

function said(number: number): string {
  return number.toLocaleString('en');
}

function megabytes({ maxBytes }: { readonly maxBytes: number }): number {
  return Math.floor(maxBytes / 2 ** 20);
}

/** Thrown by calls that concern this kind. The message names the file and the next step, for the operator. */
export class IndexDamage extends StorageError {
  readonly kind: Kind;
  /** Nothing is damaged: a newer version of Colloquy wrote it. */
  readonly isNewer: boolean;

  constructor(kind: Kind, message: string, options: { isNewer?: boolean; cause?: unknown } = {}) {
    super(message, options);
    this.name = 'IndexDamage';
    this.kind = kind;
    this.isNewer = options.isNewer ?? false;
  }
}

/** For `catch`: where a call may go on without the kind that is damaged. Throws any other error. */
export function damageOrThrow(error: unknown): IndexDamage {
  if (error instanceof IndexDamage) return error;
  throw error;
}

/** null: what was found is no damage. */
export function damageIn(found: unknown): IndexDamage | null {
  return found instanceof IndexDamage ? found : null;
}

/** Works on every kind, even after a failure, then throws the first error. */
export async function eachOf(kinds: readonly Kind[], work: (kind: Kind) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for (const kind of kinds) await work(kind).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Waits for `work`, but rejects with the signal's reason as soon as it is aborted, and does not begin then. */
export function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  // Most calls have no signal, and small questions take microseconds: they need no further promise.
  return signal === undefined ? work() : raced(signal, work);
}

function raced<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = () => reject(signal.reason);
    const end = () => signal.removeEventListener('abort', onAbort);
    const working = work();
    signal.addEventListener('abort', onAbort, { once: true });
    // The work itself may have aborted it.
    if (signal.aborted) onAbort();
    working.then(
      (result) => {
        end();
        // The answer may be there before anybody has heard of the abort.
        if (signal.aborted) onAbort();
        else resolve(result);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}
