// The embedded engine with every question shared out, for agreement tests: a second searcher finds half of the
// segments, as an idle thread would, in the same thread and so at every question.

import { Deadline } from '../src/engines/embedded/answering/deadline.ts';
import type { PeerThreads } from '../src/engines/embedded/answering/peers.ts';
import { Searcher } from '../src/engines/embedded/answering/searcher.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { KindStore } from '../src/engines/embedded/index/kind-store.ts';
import { openView, type View } from '../src/engines/embedded/index/view.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { EngineOptions } from '../src/model/engine-module.ts';
import type { Kind } from '../src/model/record.ts';

/** `counter` counts the questions of which the other searcher found a part. */
export async function openSharingEngine(
  folder: string,
  options: EngineOptions,
  counter: { shared: number },
): Promise<SearchEngine> {
  const engine = await openEmbeddedEngine(folder, { ...options, workers: 0 });
  const stores = new Map<Kind, KindStore>();
  let view: View | undefined;
  const helper = new Searcher();
  const helpers: PeerThreads = {
    isWanted: false,
    idle: () => [
      {
        isAlive: true,
        invite: (task) => {
          counter.shared++;
          helper.help(view!, task, Math.ceil(task.segments.length / 2));
        },
      },
    ],
  };
  const searcher = new Searcher(helpers, 0);
  const close = engine[Symbol.asyncDispose].bind(engine);
  return Object.assign(engine, {
    ask: async (question: Parameters<SearchEngine['ask']>[0]) => {
      let store = stores.get(question.kind);
      if (store === undefined) {
        store = new KindStore(folder, question.kind);
        stores.set(question.kind, store);
      }
      store.refresh();
      view = openView(store.current, view?.kind === question.kind ? view : undefined);
      return searcher.ask(view, question, Deadline.never());
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of stores.values()) store.close();
      await close();
    },
  });
}
