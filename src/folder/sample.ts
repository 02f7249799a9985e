// The invented sample that a server shows until the first import. It is in `.sample` in the data folder, and disappears
// when the first record is imported. It always uses the embedded engine, so that none of it gets into an index
// elsewhere.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SearchEngine } from '../model/engine.ts';

const SAMPLE_FILES = ['posts.ndjson', 'comments.ndjson'].map((name) =>
  fileURLToPath(new URL(`../../sample/${name}`, import.meta.url)),
);

type OpenEngine = (folder: string) => Promise<SearchEngine>;

/**
 * The sample as an engine, in a folder below `home` named after its content. On first use it is imported beside its
 * place and then moved there whole, so that two processes can do so at once; a damaged sample is made again. `toRead`:
 * nothing is made; null if there is none.
 */
export async function openSample(
  home: string,
  open: OpenEngine,
  toRead: boolean,
): Promise<SearchEngine | null> {
  const folder = sampleFolder(home);
  if (toRead) return existsSync(folder) ? open(folder) : null;
  if (!existsSync(folder)) await importSample(folder, open);
  const engine = await open(folder);
  if (await isWhole(engine)) return engine;
  await engine[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
  await importSample(folder, open);
  return open(folder);
}

function sampleFolder(home: string): string {
  const content = createHash('sha256');
  for (const file of SAMPLE_FILES) content.update(readFileSync(file));
  return join(home, content.digest('hex').slice(0, 12));
}

async function isWhole(engine: SearchEngine): Promise<boolean> {
  return Object.values(await engine.damages()).every((damage) => damage === null);
}

async function importSample(folder: string, open: OpenEngine): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  {
    await using engine = await open(draft);
    const deps = {
      engine,
      // Only its records tell of communities.
      catalogue: { recordClaims: () => {}, dumpClaims: () => {}, addImports: () => {} },
      permalinkBase: '',
      rejectsFolder: join(draft, 'rejects'),
      input: { async *[Symbol.asyncIterator]() {} },
    };
    const { importSources } = await import('../ingest/importer.ts');
    await importSources(SAMPLE_FILES, deps, { kind: null, restart: true, workers: 0 });
  }
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another process was first.
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
}

/** An engine that answers from the sample as long as the real index contains no record. */
export interface SampleUntilFilled extends SearchEngine {
  /** True while answers come from the sample; `refresh` updates it. */
  isSample(): boolean;
}

export async function sampleUntilFilled(
  real: SearchEngine,
  sample: SearchEngine,
): Promise<SampleUntilFilled> {
  let isSample = await real.isEmpty();
  const current = () => (isSample ? sample : real);
  /** The sample's records have no arrival: a caller who asks for new records gets all of the first import. */
  const told = async <T extends object>(ask: (engine: SearchEngine) => Promise<T>): Promise<T> => {
    const engine = current();
    const answer = await ask(engine);
    return engine === sample ? { ...answer, arrival: 0 } : answer;
  };
  return {
    isSample: () => isSample,
    async refresh() {
      await real.refresh();
      if (isSample) isSample = await real.isEmpty();
    },
    ask: (...given) => told((engine) => engine.ask(...given)),
    records: (...given) => current().records(...given),
    askAll: (...given) => told((engine) => engine.askAll(...given)),
    scan: (...given) => current().scan(...given),
    export: async (...given) => {
      const engine = current();
      const run = await engine.export(...given);
      const { head, blocks } = run;
      return {
        ...{ head: engine === sample ? { ...head, arrival: 0 } : head, blocks },
        fingerprints: () => run.fingerprints(),
        [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
      };
    },
    isEmpty: () => current().isEmpty(),
    stats: () => current().stats(),
    fingerprints: () => current().fingerprints(),
    lastArrivals: async () => (isSample ? { post: 0, comment: 0 } : await real.lastArrivals()),
    coverage: (...given) => current().coverage(...given),
    damages: () => current().damages(),
    memoryUse: () => real.memoryUse?.() ?? null,
    warm: () => current().warm(),
    index: (...given) => real.index(...given),
    hide: (removal, kind, what) => real.hide(removal, kind, what),
    restore: (removal, kinds) => real.restore(removal, kinds),
    buried: (kind) => real.buried(kind),
    hiddenCount: (kinds) => real.hiddenCount(kinds),
    lastRemoval: (kind) => real.lastRemoval(kind),
    purge: (kinds) => real.purge(kinds),
    maintain: (options) => real.maintain(options),
    checkpoints: (kind) => real.checkpoints(kind),
    async [Symbol.asyncDispose]() {
      await sample[Symbol.asyncDispose]();
      await real[Symbol.asyncDispose]();
    },
  };
}
