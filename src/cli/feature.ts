// What the command line takes from a feature.

import type { Command } from 'commander';
import type { ServedFeature } from '../http/site/site.ts';
import type { Archive } from '../operation/archive.ts';

export interface Feature extends ServedFeature {
  /** Those that are more than an operation, by name, made from the list of all features; absent: none. */
  readonly commands?: Readonly<Record<string, (features: readonly FeatureEntry[]) => Promise<Command>>>;
  /** Begins what the first callers of a server will want; disposing ends that. Absent: nothing. */
  readonly warm?: () => Promise<(archive: Archive) => Disposable>;
  /** Begins what a server does for it besides answering, where it may write; disposing ends that. Absent: nothing. */
  readonly upkeep?: () => Promise<(archive: Archive) => AsyncDisposable>;
}

/** A line of the list of features: the names of its commands, and the feature, loaded when one of them is called. */
export interface FeatureEntry {
  readonly commands: readonly string[];
  readonly load: () => Promise<{ readonly feature: Feature }>;
}
