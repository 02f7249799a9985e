// The embedded engine with every question shared out, for agreement tests: a second searcher finds half of the
// segments, as an idle thread would, in the same thread and so at every question.

import assert from 'node:assert/strict';
import { Searcher } from '../src/engines/embedded/answering/searcher.ts';
import type { PeerThreads } from '../src/engines/embedded/answering/sharing.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { KindStore, lastArrival, openView, type View } from '../src/engines/embedded/index/view.ts';
import { Deadline } from '../src/engines/embedded/matching/deadline.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { IndexDamage } from '../src/model/engine-errors.ts';
import type { EngineOptions } from '../src/model/engine-module.ts';
import { type Kind, otherKind, type StoredRecord } from '../src/model/record.ts';

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

const ASKING = ['ask', 'askAll', 'records', 'coverage', 'stats', 'fingerprints'] as const;
const WRITING = ['index', 'hide', 'restore', 'purge', 'maintain', 'refresh'] as const;

type Method = (...values: readonly unknown[]) => Promise<unknown>;

export function chorus(engines: readonly SearchEngine[]): SearchEngine {
  const [first, ...others] = engines;
  const methodOf = (engine: SearchEngine, name: keyof SearchEngine) =>
    (engine[name] as unknown as Method).bind(engine);
  const asked = (name: keyof SearchEngine): Method => {
    return async (...values) => {
      const said = await Promise.allSettled(engines.map((engine) => methodOf(engine, name)(...values)));
      for (const other of said.slice(1)) assert.deepEqual(other, said[0]);
      if (said[0]!.status === 'rejected') throw said[0]!.reason;
      return said[0]!.value;
    };
  };
  const written = (name: keyof SearchEngine): Method => {
    return async (...values) => {
      const result = await methodOf(first!, name)(...values);
      for (const other of others) await other.refresh();
      return result;
    };
  };
  let exports = 0;
  const own = new Map<PropertyKey, unknown>([
    ...ASKING.map((name) => [name, asked(name)] as const),
    ...WRITING.map((name) => [name, written(name)] as const),
    // One after the other.
    [
      'export',
      (...values: readonly unknown[]) => methodOf(engines[exports++ % engines.length]!, 'export')(...values),
    ],
    ['scan', (...values: Parameters<SearchEngine['scan']>) => scanned(engines, values)],
    [Symbol.asyncDispose, () => Promise.all(engines.map((engine) => engine[Symbol.asyncDispose]()))],
  ]);
  return new Proxy(first!, {
    get(target, name) {
      const value = own.get(name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function* scanned(
  engines: readonly SearchEngine[],
  values: Parameters<SearchEngine['scan']>,
): AsyncIterable<readonly StoredRecord[]> {
  const scans = engines.map((engine) => engine.scan(...values)[Symbol.asyncIterator]());
  for (;;) {
    const [first, ...others] = await Promise.all(scans.map((scan) => scan.next()));
    for (const other of others) assert.deepEqual(other, first);
    if (first!.done === true) return;
    yield first!.value;
  }
}
