// What a removal does to data sets: what it meets is withdrawn, files and all, before the removal is through.

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
   * An edition that is published while this runs is not missed: it is refused where the list of removals has changed
   * since its records were read (maker.ts). What the next edition would have had cannot be told where none is served,
   * or one is being made: so the removal counts as a loss of it, and when it is undone, the data set is made anew.
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

  /** Also where it cannot be told. */
  #meets({ name, edition }: Dataset, removal: number): boolean {
    try {
      return meetsMembers(this.#places.edition(name, edition), this.#removals.hashesOf(removal));
    } catch (error) {
      log.warn({ err: error, dataset: name }, 'what a data set contains cannot be read: it is made anew');
      return true;
    }
  }
}
