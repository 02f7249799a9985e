// What the command line takes from a feature.

import type { Command } from 'commander';
import type { Accounts } from '../accounts/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { ServedFeature } from '../http/site/site.ts';
import type { Archive, OnRemoval, Operation } from '../operation/operation.ts';
import type { FeatureTables } from '../sqlite/database.ts';

export interface Feature extends ServedFeature {
  /**
   * Those that are more than an operation, by name, made from the list of all features; or what they are operations of,
   * where these are some of many. Absent: none.
   */
  readonly commands?: Readonly<
    Record<string, (features: readonly FeatureEntry[]) => Promise<Command | readonly Operation[]>>
  >;
  /** Begins what the first callers of a server will want; disposing ends that. Absent: nothing. */
  readonly warm?: () => Promise<(archive: Archive) => Disposable>;
  /** Tables that it keeps in databases of the folder, which a server makes before it answers; absent: none. */
  readonly tables?: () => Promise<OwnTables>;
  /**
   * What a removal does to the records that it keeps outside of the index; `keeps none`: it has tables, and no record
   * stands in them. Absent: it keeps nothing.
   */
  readonly onRemoval?: 'keeps none' | (() => Promise<OnRemoval>);
  /** Files that it keeps in the data folder, for a backup; absent: none. */
  readonly files?: () => Promise<KeptFiles>;
  /** Begins what a server does for it besides answering, where it may write; disposing ends that. Absent: nothing. */
  readonly upkeep?: () => Promise<(archive: Archive) => AsyncDisposable>;
}

export interface OwnTables {
  readonly accounts?: FeatureTables<Accounts, unknown>;
  readonly catalogue?: FeatureTables<Catalogue, unknown>;
}

export interface KeptFiles {
  /** In JSON; behind `--with-` the option of `backup` that takes them along. */
  readonly name: string;
  /** One and several of what they belong to. */
  readonly words: readonly [string, string];
  readonly option: string;
  /** `part`: the folder of the backup; `copy`: the catalogue there. */
  in(folders: { readonly dataFolder: string; readonly part: string; readonly copy: Catalogue }): FilesToCopy;
}

interface FilesToCopy {
  /** Of all that `copy` would copy. */
  bytes(): number;
  /** On disk when it resolves, with how many came along. */
  copy(options: CopyOptions): Promise<number>;
  /** The copy goes without them. */
  leaveOut(): void;
}

export interface CopyOptions {
  readonly signal: AbortSignal;
  /** Called with the bytes of each file that was copied. */
  readonly onBytes: (bytes: number) => void;
}

/** A line of the list of features: the names of its commands, and the feature, loaded when one of them is called. */
export interface FeatureEntry {
  readonly commands: readonly string[];
  readonly load: () => Promise<{ readonly feature: Feature }>;
}

export function loadFeatures(entries: readonly FeatureEntry[]): Promise<readonly Feature[]> {
  return Promise.all(entries.map(async ({ load }) => (await load()).feature));
}

/** What removals have to reach besides the index. */
export async function reachedByRemovals(features: readonly Feature[]): Promise<readonly OnRemoval[]> {
  const reached = features.flatMap(({ onRemoval }) => (typeof onRemoval === 'function' ? [onRemoval()] : []));
  return await Promise.all(reached);
}
