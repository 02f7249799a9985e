import { describe, it } from 'node:test';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { temporaryFolder } from './helpers.ts';
import { openReferenceEngine } from './reference/reference-engine.ts';
import { serviceOf, TIED_RECORDS, walkTied } from './walk.ts';

describe('a walk over 5,000 records of one second and one score', () => {
  it('gives every record once in each order, whatever the limit', async () => {
    using folder = temporaryFolder();
    await using engine = await openReferenceEngine(folder.path, { rules: { keepOriginals: false } });
    await engine.index('comment', packRecords(TIED_RECORDS));
    await walkTied(serviceOf(engine), [33, 100, 998, 999, 1000]);
  });
});
