// How removals affect data sets: an affected edition is withdrawn, with its files, before the removal completes.

import type { Removals } from '../../../catalogue/removals.ts';
import { log } from '../../../log.ts';
import type { RecordCopies } from '../../../model/removals.ts';
import type { KeptFolder } from '../../../operation/archive.ts';
import { readMaking } from './making.ts';
import { meetsMembers } from './members.ts';
import { DatasetPlaces } from './places.ts';
import { type Dataset, type DatasetStore, datasetsOf } from './store.ts';

export function copiesOf({ catalogue, config }: KeptFolder): RecordCopies {
  const places = new DatasetPlaces(config.dataFolder);
  return new PublishedDatasets(datasetsOf(catalogue), catalogue.removals, places);
}

export class PublishedDatasets implements RecordCopies {
  readonly #store: DatasetStore;
  readonly #removals: Pick<Removals, 'hashesOf' | 'version'>;
  readonly #places: DatasetPlaces;

  constructor(store: DatasetStore, removals: Pick<Removals, 'hashesOf' | 'version'>, places: DatasetPlaces) {
    this.#store = store;
    this.#removals = removals;
    this.#places = places;
  }

  /**
   * An edition published meanwhile is not missed: publishing is refused if the list of removals has changed since its
   * records were read (maker.ts). If no edition is served, or one is being made, nobody knows what the next one would
   * have had. The removal then counts as a loss, and undoing it rebuilds the data set.
   */
  withdraw(removal: number): void {
    for (const dataset of this.#store.all()) {
      const { name, state, edition } = dataset;
      if (state === 'published' && this.#meets(dataset, removal)) {
        this.#store.withdraw(name, edition, removal);
        this.#places.deleteEdition(name, edition);
      } else if (state === 'withdrawn' || this.#places.hasUnpublished(dataset)) {
        this.#store.noteLoss(name, removal);
      }
    }
  }

  undone(removal: number): void {
    this.#store.undone(removal);
  }

  eraseLeft(): boolean {
    return this.#places.sweep(
      (name) => this.#store.get(name),
      (making) => readMaking(making)?.settled === this.#removals.version(),
    );
  }

  /** True also if it cannot be determined. */
  #meets({ name, edition }: Dataset, removal: number): boolean {
    try {
      return meetsMembers(this.#places.edition(name, edition), this.#removals.hashesOf(removal));
    } catch (error) {
      log.warn({ err: error, dataset: name }, 'what a data set contains cannot be read: it is made anew');
      return true;
    }
  }
}
