// Arrivals for the agreement of engines: marks, places in a history, stand for the numbers that each engine has for
// them. An engine whose marks these are takes marks as `since`, and tells arrivals as the marks behind which they came.

import type { Answer, OneAnswer, Question, SearchEngine } from '../src/model/engine.ts';
import type { ExportRequest } from '../src/model/export.ts';
import type { Kind } from '../src/model/record.ts';

type Since = { readonly since?: number };

export class ArrivalMarks {
  readonly #engine: SearchEngine;
  readonly #kind: Kind;
  /** Up. */
  readonly #numbers: number[] = [];
  /** The greatest number that stands for each: what brings nothing in may raise it. */
  readonly #raised: number[] = [];

  constructor(engine: SearchEngine, kind: Kind) {
    this.#engine = engine;
    this.#kind = kind;
  }

  /** Here: the number of what came in last. */
  async set(): Promise<void> {
    const arrival = await this.#last();
    this.#numbers.push(arrival);
    this.#raised.push(arrival);
  }

  /** Nothing has come in behind the last mark. */
  async raise(): Promise<void> {
    const arrival = await this.#last();
    if (arrival < this.#raised.at(-1)!) throw new Error(`expected an arrival that goes up, found ${arrival}`);
    this.#raised[this.#raised.length - 1] = arrival;
  }

  get count(): number {
    return this.#numbers.length;
  }

  /** The engine, with mark 1 for the first of them and 0 for none in place of a `since`. */
  marked(): SearchEngine {
    const engine = this.#engine;
    const marked: Partial<SearchEngine> = {
      ask: async (question, signal) => this.#told(await engine.ask(this.#asked(question), signal)),
      askAll: async (questions, options, signal) => {
        const all = await engine.askAll(
          questions.map((question) => this.#asked(question)),
          options,
          signal,
        );
        return {
          ...all,
          answers: all.answers.map((one) => this.#news(one)),
          arrival: this.#mark(all.arrival),
        };
      },
      export: async (request: ExportRequest, signal) => {
        const run = await engine.export(this.#asked(request), signal);
        return {
          head: { ...run.head, arrival: this.#mark(run.head.arrival) },
          blocks: run.blocks,
          fingerprints: () => run.fingerprints(),
          [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
        };
      },
    };
    return new Proxy(engine, {
      get(target, name) {
        const own = marked[name as keyof SearchEngine] ?? Reflect.get(target, name, target);
        return typeof own === 'function' ? own.bind(target) : own;
      },
    });
  }

  async #last(): Promise<number> {
    return (await this.#engine.ask({ kind: this.#kind, query: { items: [] } })).arrival;
  }

  #asked<T extends Since>(asked: T): T {
    const { since = 0 } = asked;
    return since === 0 ? asked : { ...asked, since: this.#numbers[since - 1]! };
  }

  #told(answer: Answer): Answer {
    return { ...this.#news(answer), arrival: this.#mark(answer.arrival) };
  }

  /** Seconds are of each engine's own clock; the commits of one batch are one. */
  #news<T extends OneAnswer>(answer: T): T {
    if (answer.news === undefined) return answer;
    const { records, older, hasMore } = answer.news;
    const counts = new Map<number, number>();
    for (const { arrival, count } of older) {
      const mark = this.#mark(arrival);
      counts.set(mark, (counts.get(mark) ?? 0) + count);
    }
    const news = {
      ...{ hasMore, records: records.map((one) => ({ ...one, arrival: this.#mark(one.arrival), time: 0 })) },
      older: [...counts].map(([arrival, count]) => ({ arrival, time: 0, count })),
    };
    return { ...answer, news };
  }

  /** The first mark that it is not behind. */
  #mark(arrival: number): number {
    return this.#raised.filter((number) => number < arrival).length + 1;
  }
}

/** Marks a question now and then. */
export function sometimesSince(marks: number, seed: number): Pick<Question, 'since'> {
  return seed % 3 !== 1 || marks === 0 ? {} : { since: 1 + ((seed * 7) % marks) };
}
