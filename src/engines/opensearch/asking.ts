// What an engine is asked, each question in views that are held until it is answered. A view that the cluster has lost
// is opened anew, once, and the whole question asked again: no answer is put together of two.

import { untilAborted } from '../../model/aborted.ts';
import { conditionsOf } from '../../model/conditions.ts';
import type { Answer, KindStats, Question } from '../../model/engine.ts';
import type { IndexFingerprint } from '../../model/index-fingerprint.ts';
import type { Order } from '../../model/order.ts';
import type { Query } from '../../model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../model/record.ts';
import { answerIn, kindsOf } from './answer.ts';
import type { OpenSearchClient } from './client.ts';
import { Deadline } from './deadline.ts';
import type { IndexNames } from './indices.ts';
import { PrefixLimit } from './prefix-limit.ts';
import { queryIn } from './queries.ts';
import { scanHits } from './scan.ts';
import { Searcher, ViewLost } from './search.ts';
import { fingerprintOf, isEmptyView, presentIn, statsOf } from './stats.ts';
import type { HeldView, View, ViewSources, Views } from './views.ts';

export class Asking {
  readonly #client: OpenSearchClient;
  readonly #names: IndexNames;
  readonly #views: Views;
  readonly #limit: PrefixLimit;

  constructor({ client, names }: ViewSources, views: Views) {
    this.#client = client;
    this.#names = names;
    this.#views = views;
    this.#limit = new PrefixLimit(names);
  }

  ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    const searcher = this.#searcher(question.timeoutMs, signal);
    return untilAborted(signal, () =>
      this.#inViews(kindsOf(question), (views) => answerIn(searcher, this.#limit, views, question)),
    );
  }

  /** The view is that at the call. */
  scan(kind: Kind, query: Query, order: Order, signal?: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    const holding = this.#views.hold(kind);
    // Thrown by the iteration.
    holding.catch(() => undefined);
    return this.#scanIn(holding, query, order, this.#searcher(undefined, signal));
  }

  present(kind: Kind, ids: readonly string[]): Promise<number> {
    return this.#inView(kind, (searcher, view) => presentIn(searcher, view, ids));
  }

  async isEmpty(): Promise<boolean> {
    const empty = await this.#ofBoth(isEmptyView);
    return empty.post && empty.comment;
  }

  stats(): Promise<Record<Kind, KindStats>> {
    return this.#ofBoth((searcher, view) => statsOf(searcher, this.#names, view));
  }

  fingerprints(): Promise<Record<Kind, IndexFingerprint>> {
    return this.#ofBoth(fingerprintOf);
  }

  async *#scanIn(
    holding: Promise<HeldView>,
    query: Query,
    order: Order,
    searcher: Searcher,
  ): AsyncGenerator<readonly StoredRecord[]> {
    const view = await holding;
    using _ = view;
    const conditions = conditionsOf(query);
    searcher.deadline.left();
    await this.#limit.check(searcher, view.view, conditions);
    const scan = { view, query: queryIn(view.view, conditions), order, after: null };
    for await (const hits of scanHits(searcher, this.#views, scan)) {
      yield hits.map(({ _source }) => _source.r);
      searcher.deadline.left();
    }
  }

  async #ofBoth<T>(work: (searcher: Searcher, view: View) => Promise<T>): Promise<Record<Kind, T>> {
    const [post, comment] = await Promise.all(KINDS.map((kind) => this.#inView(kind, work)));
    return { post: post!, comment: comment! };
  }

  #inView<T>(kind: Kind, work: (searcher: Searcher, view: View) => Promise<T>): Promise<T> {
    const searcher = this.#searcher();
    return this.#inViews([kind], (views) => work(searcher, views.get(kind)!));
  }

  async #inViews<T>(
    kinds: readonly Kind[],
    work: (views: ReadonlyMap<Kind, View>) => Promise<T>,
  ): Promise<T> {
    using stack = new DisposableStack();
    const held: HeldView[] = [];
    for (const kind of kinds) held.push(stack.use(await this.#views.hold(kind)));
    try {
      return await work(viewsOf(held));
    } catch (error) {
      if (!(error instanceof ViewLost)) throw error;
      for (const [i, one] of held.entries()) {
        if (one.view.pit === error.pit) held[i] = stack.use(await this.#views.holdAnew(one));
      }
      return await work(viewsOf(held));
    }
  }

  #searcher(timeoutMs?: number, signal?: AbortSignal): Searcher {
    return new Searcher(this.#client, new Deadline(timeoutMs, signal));
  }
}

function viewsOf(held: readonly HeldView[]): ReadonlyMap<Kind, View> {
  return new Map(held.map(({ view }) => [view.kind, view]));
}
