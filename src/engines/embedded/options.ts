// How the embedded engine is opened.

import type { EngineOptions } from '../../model/engine-module.ts';
import type { KernelChoice } from './sets/kernels.ts';

/**
 * Up to so many records most questions take some milliseconds in one thread. Starting two others takes 350, and as much
 * processor time again as the whole command: `search` of 890,000 records takes 0.72 s without them, 1.0 to 1.1 with
 * (2 threads of one core, AMD EPYC). More would make long work, such as an export, wait for the one thread.
 */
export const SMALL_DOCS = 2 ** 20;

export interface EmbeddedOptions extends EngineOptions {
  /** Questions estimated to take this many milliseconds are shared with idle threads. Default: SHARE_FROM_MS. */
  readonly shareFromMs?: number;
  /** `typescript`: no WebAssembly, for tests; it is slower, and the answers are the same. */
  readonly kernels?: KernelChoice;
  /** See ColumnOwner. */
  readonly wholeDocs?: number;
  /** Up to so many records an index is small (see isBrief). Default: SMALL_DOCS. */
  readonly smallDocs?: number;
  /** See BatchIndexer. */
  readonly builders?: 1 | 2;
}
