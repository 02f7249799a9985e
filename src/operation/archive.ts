// An open data folder, as operations and features get it.

import type { Accounts } from '../accounts/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Config } from '../config.ts';
import type { SearchEngine } from '../model/engine.ts';
import type { RecordCopies } from '../model/removals.ts';
import type { SearchService } from '../search/search-service.ts';

export interface Archive {
  readonly version: string;
  readonly config: Config;
  readonly engine: SearchEngine;
  readonly catalogue: Catalogue;
  readonly accounts: Accounts;
  readonly search: SearchService;
  /** True while answers come from the invented sample, because nothing has been imported. */
  isSample(): boolean;
}

/** What a service asks that reads. */
export interface ReadArchive extends Pick<Archive, 'engine' | 'search'> {
  readonly config: Pick<Config, 'permalinkBase' | 'queryTimeoutMs'>;
}

/** A data folder, as what removes from it gets it. */
export type KeptFolder = Pick<Archive, 'config' | 'catalogue'>;

/** What a removal reaches outside of the index: copies of records that a feature keeps. */
export type OnRemoval = (folder: KeptFolder) => RecordCopies;

/** What a feature keeps as long as an archive is open: made when it is first asked for. */
export function ofArchive<T>(make: (archive: Archive) => T): (archive: Archive) => T {
  const made = new WeakMap<Archive, { readonly kept: T }>();
  return (archive) => {
    const known = made.get(archive) ?? { kept: make(archive) };
    made.set(archive, known);
    return known.kept;
  };
}
