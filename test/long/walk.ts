// Walks every page of each order with every limit from 1 to 1,000, over 5,000 records of one second and one score.
//
//   npm run test:long -- walk

import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';
import { serviceOf, TIED_RECORDS, walkTied } from '../walk.ts';

using folder = temporaryFolder();
await using engine = await openReferenceEngine(folder.path, { rules: { keepOriginals: false } });
await engine.index('comment', packRecords(TIED_RECORDS));
const limits = Array.from({ length: 1000 }, (_, i) => i + 1);
const started = performance.now();
const pages = await walkTied(serviceOf(engine), limits);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`${limits.length} limits, 3 orders, ${pages} pages in ${seconds} s: nothing lost, nothing twice`);
