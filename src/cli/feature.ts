// What the command line takes from a feature.

import type { Command } from 'commander';
import type { Accounts } from '../accounts/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { ServedFeature } from '../http/site/site.ts';
import type { Archive } from '../operation/archive.ts';
import type { FeatureTables } from '../sqlite/feature-tables.ts';

export interface Feature extends ServedFeature {
  /** Those that are more than an operation, by name, made from the list of all features; absent: none. */
  readonly commands?: Readonly<Record<string, (features: readonly FeatureEntry[]) => Promise<Command>>>;
  /** Begins what the first callers of a server will want; disposing ends that. Absent: nothing. */
  readonly warm?: () => Promise<(archive: Archive) => Disposable>;
  /** Tables that it keeps in databases of the folder, which a server makes before it answers; absent: none. */
  readonly tables?: () => Promise<OwnTables>;
  /**
   * What a removal does to the records that it keeps outside of the index; `keeps none`: it has tables, and no record
   * stands in them. Absent: it keeps nothing.
   */
  readonly onRemoval?: 'keeps none';
  /** Begins what a server does for it besides answering, where it may write; disposing ends that. Absent: nothing. */
  readonly upkeep?: () => Promise<(archive: Archive) => AsyncDisposable>;
}

export interface OwnTables {
  readonly accounts?: FeatureTables<Accounts, unknown>;
  readonly catalogue?: FeatureTables<Catalogue, unknown>;
}

/** A line of the list of features: the names of its commands, and the feature, loaded when one of them is called. */
export interface FeatureEntry {
  readonly commands: readonly string[];
  readonly load: () => Promise<{ readonly feature: Feature }>;
}
