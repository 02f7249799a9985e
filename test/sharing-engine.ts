// The embedded engine with every question shared out, for agreement tests: a second searcher finds half of the
// segments, as an idle thread would, in the same thread and so at every question.

import type { PeerThreads } from '../src/engines/embedded/answering/peers.ts';
import { Searcher } from '../src/engines/embedded/answering/searcher.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { KindStore } from '../src/engines/embedded/index/kind-store.ts';
import { lastArrival, openView, type View } from '../src/engines/embedded/index/view.ts';
import { Deadline } from '../src/engines/embedded/matching/deadline.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { IndexDamage } from '../src/model/engine-errors.ts';
import type { EngineOptions } from '../src/model/engine-module.ts';
import { type Kind, otherKind } from '../src/model/record.ts';

/** `counter` counts the questions of which the other searcher found a part. */
export async function openSharingEngine(
  folder: string,
  options: EngineOptions,
  counter: { shared: number },
): Promise<SearchEngine> {
  const engine = await openEmbeddedEngine(folder, { ...options, workers: 0 });
  const stores = new Map<Kind, KindStore>();
  const views = new Map<Kind, View>();
  const viewOf = (kind: Kind): View => {
    const store = stores.get(kind) ?? new KindStore(folder, kind);
    stores.set(kind, store);
    store.refresh();
    const view = openView(store.current, views.get(kind));
    views.set(kind, view);
    return view;
  };
  const helper = new Searcher();
  const helpers: PeerThreads = {
    isWanted: false,
    idle: () => [
      {
        isAlive: true,
        invite: (task) => {
          counter.shared++;
          helper.help(views.get(task.kind)!, task, Math.ceil(task.segments.length / 2));
        },
      },
    ],
  };
  const searcher = new Searcher(helpers, 0, (kind, numbers) =>
    stores.get(kind)!.manifest.arrivalTimes(numbers),
  );
  const close = engine[Symbol.asyncDispose].bind(engine);
  return Object.assign(engine, {
    ask: async (question: Parameters<SearchEngine['ask']>[0]) => {
      const [view, other] = [viewOf(question.kind), viewOf(otherKind(question.kind))];
      return { ...searcher.ask(view, question, Deadline.never(), other), arrival: lastArrival(view) };
    },
    askAll: async (questions: Parameters<SearchEngine['askAll']>[0]) => {
      const { kind } = questions[0]!;
      const index = (await engine.fingerprints())[kind];
      if (index instanceof IndexDamage) throw index;
      const [view, other] = [viewOf(kind), viewOf(otherKind(kind))];
      const answers = searcher.askAll(view, questions, Deadline.never(), other);
      return { answers, index, arrival: lastArrival(view) };
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of stores.values()) store.close();
      await close();
    },
  });
}
