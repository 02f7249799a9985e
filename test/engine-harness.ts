// How the contract of an engine gets at engines: places for an index, opened as often as a test wants, and what can be
// damaged there. The contract itself (engine-conformance.ts) knows nothing of folders, files or processes.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchEngine } from '../src/model/engine.ts';
import type { EngineOptions } from '../src/model/engine-module.ts';
import type { Kind } from '../src/model/record.ts';
import { folderInMemory } from './helpers.ts';

export interface EngineHarness<Way extends DamageWay = DamageWay> {
  /** For the names of the tests. */
  readonly name: string;
  /** Where an index may be; empty, and gone with what is in it at the end of the scope. */
  place(): EnginePlace<Way>;
  /** How one kind can be damaged there; a string: why it cannot. */
  readonly damages: readonly Way[] | string;
  /** What the engine answers with a limit \`not_here\`, by its name: false. Absent: it knows it. */
  readonly knows?: {
    readonly sentiment?: false;
    readonly copies?: false;
    readonly coverage?: false;
  };
}

export interface EnginePlace<Way extends DamageWay = DamageWay> extends AsyncDisposable {
  /** As a process of its own would, beside those that are open here or after them: it shares no memory with them. */
  open(options: EngineOptions): Promise<SearchEngine>;
  /** Damages this kind while nothing is open here. Returns what brings all of it back as it was. */
  damage(way: Way, kind: Kind): () => void;
  /** Another place with the same index; nothing is open here. */
  copy(): EnginePlace<Way>;
}

export interface DamageWay {
  readonly name: string;
  /**
   * Found by what reads the texts and lists of the kind; nothing else knows of it, `damages` neither. Absent: false.
   */
  readonly isLate?: boolean;
}

/** What is done to the files of a kind in a folder that nothing has open. */
export interface FolderDamage extends DamageWay {
  apply(folder: string, kind: Kind): void;
}

/** Of an engine that keeps its index in a folder. */
export function folderHarness(
  name: string,
  open: (folder: string, options: EngineOptions) => Promise<SearchEngine>,
  damages: readonly FolderDamage[] | string = 'nothing is damaged here',
): EngineHarness<FolderDamage> {
  return { name, damages, place: () => folderPlace(open) };
}

function folderPlace(
  open: (folder: string, options: EngineOptions) => Promise<SearchEngine>,
  original?: string,
): EnginePlace<FolderDamage> {
  const home = folderInMemory();
  const [folder, whole] = [join(home.path, 'folder'), join(home.path, 'whole')];
  if (original !== undefined) cpSync(original, folder, { recursive: true });
  return {
    open: (options) => open(folder, options),
    damage: (way, kind) => {
      cpSync(folder, whole, { recursive: true });
      way.apply(folder, kind);
      return () => cpSync(whole, folder, { recursive: true });
    },
    copy: () => folderPlace(open, folder),
    [Symbol.asyncDispose]: async () => home[Symbol.dispose](),
  };
}
