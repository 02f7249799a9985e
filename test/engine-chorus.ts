// Several engines over one index as one: the first writes, and what is asked is asked of all, who must answer alike.

import assert from 'node:assert/strict';
import type { SearchEngine } from '../src/model/engine.ts';
import type { StoredRecord } from '../src/model/record.ts';

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
