// What an import does with blocks (work.ts), in threads or here. Apart from work.ts, which is loaded only
// where it runs: the words and n-grams that it rates by take memory, which with workers is theirs alone.

import type { BlockWork } from './pool.ts';
import type { PackedResult, WorkOptions } from './work.ts';

export const IMPORT_WORK: BlockWork<WorkOptions, PackedResult> = {
  worker: new URL('./worker.ts', import.meta.url),
  load: async (options) => (await import('./work.ts')).importWork(options),
};
