// A process that writes one batch and says what became of it: `writer-process.ts SETTINGS RECORDS CHECKPOINT`, all of
// it JSON.

import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { RULES } from '../engine-suite.ts';

const [settings, records, checkpoint] = process.argv.slice(2).map((text) => JSON.parse(text));
await using engine = await openOpenSearchEngine(settings, { rules: RULES });
const report = await engine.index(records[0].kind, packRecords(records), checkpoint);
process.stdout.write(JSON.stringify(report));
