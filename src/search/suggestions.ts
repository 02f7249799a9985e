// Names to complete an item with: the commonest communities and domains of the index, looked up by their beginning.

import type { SearchEngine } from '../model/engine.ts';
import { KINDS } from '../model/record.ts';

export interface Suggestion {
  /** The whole item, as `/r/energy`. */
  readonly text: string;
  /** How many records it stands for. */
  readonly count: number;
}

/** So many names of each field are known. */
const MAX_NAMES = 5000;
/** Milliseconds after which they are looked up again. */
const KEPT_MS = 600_000;
/** The same, where looking them up failed or a kind was out: every keystroke would try again. */
const RETRY_MS = 10_000;

interface Names {
  readonly community: readonly Suggestion[];
  readonly domain: readonly Suggestion[];
}

export class Suggestions {
  readonly #engine: SearchEngine;
  readonly #timeoutMs: number;
  #names: Promise<Names> | null = null;
  #until = 0;

  constructor(engine: SearchEngine, timeoutMs: number) {
    this.#engine = engine;
    this.#timeoutMs = timeoutMs;
  }

  /** For `/r/…`, `-/r/…`, `site:…`, `-site:…`: at most `size`, the commonest first; empty for all other items. */
  async of(item: string, size: number): Promise<Suggestion[]> {
    const parts = /^(-?)(\/?r\/|site:)([^\s,+]*)$/i.exec(item);
    if (parts === null) return [];
    const [, minus = '', operator = '', beginning = ''] = parts;
    const field = operator.toLowerCase() === 'site:' ? 'domain' : 'community';
    const names = (await this.#load())[field];
    const prefix = field === 'domain' ? 'site:' : '/r/';
    return names
      .filter(({ text }) => text.startsWith(beginning.toLowerCase()))
      .slice(0, size)
      .map(({ text, count }) => ({ text: `${minus}${prefix}${text}`, count }));
  }

  /** What failed is told again for RETRY_MS, and tried again after. */
  #load(): Promise<Names> {
    if (this.#names === null || performance.now() > this.#until) {
      this.#until = performance.now() + KEPT_MS;
      this.#names = this.#read().catch((error: unknown) => {
        this.#retrySoon();
        throw error;
      });
    }
    return this.#names;
  }

  #retrySoon(): void {
    this.#until = performance.now() + RETRY_MS;
  }

  async #read(): Promise<Names> {
    await this.#engine.refresh();
    const sums = { community: new Map<string, number>(), domain: new Map<string, number>() };
    const damages = await this.#engine.damages();
    const kinds = KINDS.filter((kind) => damages[kind] === null);
    if (kinds.length === 0) throw damages.post;
    if (kinds.length < KINDS.length) this.#retrySoon();
    for (const kind of kinds) {
      const { breakdowns } = await this.#engine.ask({
        kind,
        query: { items: [] },
        breakdowns: (['community', 'domain'] as const).map((field) => ({ field, size: MAX_NAMES })),
        timeoutMs: this.#timeoutMs,
      });
      for (const { field, rows } of breakdowns ?? []) {
        for (const { name, count } of rows) {
          const key = name.toLowerCase();
          sums[field].set(key, (sums[field].get(key) ?? 0) + count);
        }
      }
    }
    return { community: sorted(sums.community), domain: sorted(sums.domain) };
  }
}

function sorted(sums: ReadonlyMap<string, number>): Suggestion[] {
  return [...sums]
    .map(([text, count]) => ({ text, count }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
    .slice(0, MAX_NAMES);
}
