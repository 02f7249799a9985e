// What tests of the catalogue share.

import { it } from 'node:test';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import { temporaryFolder } from './helpers.ts';

interface Place {
  readonly catalogue: Catalogue;
  /** Another process. */
  readonly other: Catalogue;
  readonly folder: string;
}

/** A test with a catalogue in a folder of its own. */
export function test(rule: string, body: (place: Place) => Promise<void> | void): void {
  it(rule, async () => {
    using folder = temporaryFolder();
    await using catalogue = Catalogue.open(folder.path);
    await using other = Catalogue.open(folder.path);
    await body({ catalogue, other, folder: folder.path });
  });
}
