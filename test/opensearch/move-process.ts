// A process that moves records into a cluster or out of it: `move-process.ts SETTINGS FOLDER "to"|"from"`, all of it
// JSON; the folder is that of the embedded engine.

import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { moveRecords } from '../../src/features/move/move.ts';
import { NO_REMOVALS } from '../../src/model/removals.ts';
import { RULES } from '../engine-suite.ts';
import { inBatchesOf } from '../helpers.ts';

const [settings, folder, direction] = process.argv.slice(2).map((text) => JSON.parse(text));
await using embedded = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
await using cluster = await openOpenSearchEngine(settings, { rules: RULES });
const [source, target] = direction === 'to' ? [embedded, cluster] : [cluster, embedded];
const parts = { source, target: inBatchesOf(1_000, target), folder: 'one', removals: NO_REMOVALS };
const { isWhole } = await moveRecords(parts);
process.exitCode = isWhole ? 0 : 1;
