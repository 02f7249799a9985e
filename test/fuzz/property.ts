// What a fuzz test is made of.

import type fc from 'fast-check';

export interface FuzzProperty {
  readonly name: string;
  /** Of the short form: about half a second. */
  readonly runs: number;
  readonly property: fc.IRawProperty<unknown>;
}
