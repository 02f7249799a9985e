// A process that makes one call of the engine: `engine-process.ts SETTINGS CALL`, both JSON. The call is its name with
// what it is given, records as they are: `["hide", 1, "comment", {"ids": ["a"]}]`.

import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { RULES } from '../engine-suite.ts';

const [settings, [call, ...given]] = process.argv.slice(2).map((text) => JSON.parse(text));
await using engine = await openOpenSearchEngine(settings, { rules: RULES });
if (call === 'index') given[1] = packRecords(given[1]);
await (engine[call as 'purge'] as (...given: never) => Promise<unknown>).apply(engine, given as never);
