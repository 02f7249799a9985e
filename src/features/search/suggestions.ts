// Completions of an item while it is typed: the commonest communities or domains that start with it, and dates at which
// years and months of the archive begin.

import { ServiceError } from '../../errors.ts';
import { counted } from '../../http/views/format.ts';
import type { NameField, Question, SearchEngine } from '../../model/engine.ts';
import { EngineUnavailable, IndexDamage, untilAborted } from '../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { withinBudget } from '../../search/asking.ts';
import { orDamage, stateOf, type TimeRange, TimeRanges } from '../../search/search-service.ts';

export interface Suggestion {
  readonly text: string;
  readonly hint: string;
}

/**
 * For an item that begins with `after:` or `before:`: the latest years first, or the months of a completely typed year.
 * At most `size`. Empty for other items.
 */
export function dateSuggestions(item: string, { first, last }: TimeRange, size: number): Suggestion[] {
  const parts = /^(after|before):(\d{0,4}(?:-[\d-]*)?)$/i.exec(item);
  if (parts === null) return [];
  const operator = parts[1]!.toLowerCase();
  const written = parts[2]!;
  const isAfter = operator === 'after';
  const [firstYear, lastYear] = [yearOf(first), yearOf(last)];
  const dates: (readonly [date: string, hint: string])[] = [];
  // `before:` leaves its day out: a year ends at the beginning of the next.
  for (let year = lastYear + (isAfter ? 0 : 1); year >= firstYear + (isAfter ? 0 : 1); year--) {
    dates.push([`${year}-01-01`, isAfter ? `from ${year} on` : `until the end of ${year - 1}`]);
  }
  const year = Number(written.slice(0, 4));
  if (/^\d{4}/.test(written) && year >= firstYear && year <= lastYear) {
    for (let month = 2; month <= 12; month++) {
      const date = `${year}-${String(month).padStart(2, '0')}-01`;
      dates.push([date, isAfter ? `from ${MONTHS[month - 1]} on` : `until the end of ${MONTHS[month - 2]}`]);
    }
  }
  if (isAfter) dates.push(['1970-01-01', 'all time']);
  return dates
    .filter(([date]) => date.startsWith(written) && date !== written)
    .slice(0, size)
    .map(([date, hint]) => ({ text: `${operator}:${date}`, hint }));
}

function yearOf(time: number): number {
  return new Date(time * 1000).getUTCFullYear();
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

interface Name {
  readonly name: string;
  /** Posts and comments with it. If only one kind has it among its commonest NAMES_OF_A_KIND, only that kind counts. */
  readonly count: number;
}

/** Names read of each kind before the counts are added up. */
const NAMES_OF_A_KIND = 500;
/** Milliseconds without look-ups after one has failed: typing must not add to the load. */
const REST_MS = 10_000;
const MAX_KEPT = 1_000;
const MAX_NAMES = 20;

interface Kept {
  readonly names: Promise<readonly Name[]>;
  waiting: number;
  isAnswered: boolean;
  /** Aborted when the last caller leaves before there is a result. */
  readonly abandoned: AbortController;
}

export class Suggestions {
  readonly #engine: SearchEngine;
  readonly #timeoutMs: number;
  readonly #ranges: TimeRanges;
  /** State of the index to which the cache belongs: removed names must not be suggested. */
  #state: string | null = null;
  /** By field and prefix, oldest first. */
  readonly #kept = new Map<string, Kept>();
  #restsUntil = 0;

  /** `ranges`: those of this engine, if others use them too. */
  constructor(engine: SearchEngine, timeoutMs: number, ranges = new TimeRanges(engine)) {
    this.#engine = engine;
    this.#timeoutMs = timeoutMs;
    this.#ranges = ranges;
  }

  /**
   * For `/r/…`, `-/r/…`, `site:…`, `-site:…`: names in the index, the commonest first. For `after:…` and `before:…`:
   * dates of the archive. At most `size`, up to MAX_NAMES. Empty for other items. Callers with the same item share one
   * look-up, which is cancelled when all their signals are aborted.
   */
  async of(item: string, size: number, signal?: AbortSignal): Promise<Suggestion[]> {
    const parts = /^(-?)(\/?r\/|site:)([^\s,+]*)$/i.exec(item);
    if (parts === null) return this.#dates(item, size);
    const [, minus = '', operator = '', beginning = ''] = parts;
    const field = operator.toLowerCase() === 'site:' ? 'domain' : 'community';
    const names = await this.#names(field, beginning.toLowerCase(), signal);
    const prefix = field === 'domain' ? 'site:' : '/r/';
    return names.slice(0, size).map(({ name, count }) => ({
      text: `${minus}${prefix}${name}`,
      hint: counted(count, 'record'),
    }));
  }

  async #dates(item: string, size: number): Promise<Suggestion[]> {
    if (!/^(?:after|before):/i.test(item)) return [];
    const range = await this.#ranges.current();
    return range === null ? [] : dateSuggestions(item, range, size);
  }

  async #names(field: NameField, beginning: string, signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    if (performance.now() < this.#restsUntil) return [];
    const state = await untilAborted(signal, () => this.#stateNow());
    if (state === null) return [];
    if (state !== this.#state) this.#kept.clear();
    this.#state = state;
    const key = `${field} ${beginning}`;
    const kept = this.#kept.get(key) ?? this.#lookUp(key, field, beginning);
    kept.waiting++;
    try {
      return await untilAborted(signal, () => kept.names);
    } finally {
      if (--kept.waiting === 0 && !kept.isAnswered) {
        this.#forget(key, kept);
        kept.abandoned.abort();
      }
    }
  }

  /** null if it is not known in time. */
  async #stateNow(): Promise<string | null> {
    try {
      await this.#engine.refresh();
      return await withinBudget(this.#timeoutMs, () => stateOf(this.#engine));
    } catch (error) {
      return this.#restAfter(error, null);
    }
  }

  /** Rethrows all errors but an unreachable or overloaded engine. */
  #restAfter<T>(error: unknown, none: T): T {
    this.#restsUntil = performance.now() + REST_MS;
    if (error instanceof EngineUnavailable || (error instanceof ServiceError && error.status === 503))
      return none;
    throw error;
  }

  #lookUp(key: string, field: NameField, beginning: string): Kept {
    const abandoned = new AbortController();
    const kept: Kept = {
      names: this.#read(field, beginning, abandoned.signal).then(
        ({ names, isLasting }) => {
          kept.isAnswered = true;
          if (!isLasting) this.#forget(key, kept);
          return names;
        },
        (error: unknown) => {
          this.#forget(key, kept);
          return abandoned.signal.aborted ? [] : this.#restAfter(error, []);
        },
      ),
      waiting: 0,
      isAnswered: false,
      abandoned,
    };
    this.#kept.set(key, kept);
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return kept;
  }

  #forget(key: string, kept: Kept): void {
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
  }

  /** From the kinds that can be read. `isLasting`: both were read, in the state to which the cache belongs. */
  async #read(field: NameField, prefix: string, signal: AbortSignal) {
    const answers = await Promise.all(KINDS.map((kind) => this.#rowsOf(kind, field, prefix, signal)));
    const sums = new Map<string, number>();
    for (const { name, count } of answers.flatMap((rows) => rows ?? [])) {
      const known = name.toLowerCase();
      sums.set(known, (sums.get(known) ?? 0) + count);
    }
    const names = [...sums]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, MAX_NAMES);
    const isLasting = !answers.includes(null) && (await stateOf(this.#engine)) === this.#state;
    return { names, isLasting };
  }

  /** null if the kind cannot be read. */
  async #rowsOf(kind: Kind, field: NameField, prefix: string, signal: AbortSignal) {
    const question: Question = {
      ...{ kind, query: { items: [] }, timeoutMs: this.#timeoutMs },
      breakdowns: [{ field, size: NAMES_OF_A_KIND, prefix }],
    };
    const answer = await orDamage(this.#engine.ask(question, signal));
    return answer instanceof IndexDamage ? null : answer.breakdowns![0]!.rows;
  }
}
