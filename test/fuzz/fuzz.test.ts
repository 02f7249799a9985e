import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PROPERTIES } from './properties.ts';

describe('random bytes and texts', () => {
  for (const { name, runs, property } of PROPERTIES) {
    it(name, async () => await fc.assert(property, { numRuns: runs }));
  }
});
