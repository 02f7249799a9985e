// A process that hides, undoes or erases comments, and says what came of it: `remover-process.ts SETTINGS WORK`, both
// JSON. The work is a call of the engine with what it is given: `["hide", 1, "comment", {"ids": ["a"]}]`.

import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { RULES } from '../engine-suite.ts';

const [settings, [call, ...given]] = process.argv.slice(2).map((text) => JSON.parse(text));
await using engine = await openOpenSearchEngine(settings, { rules: RULES });
const calls = new Map<string, (...given: never) => Promise<unknown>>([
  ['hide', engine.hide.bind(engine)],
  ['restore', engine.restore.bind(engine)],
  ['purge', engine.purge.bind(engine)],
]);
process.stdout.write(JSON.stringify(await calls.get(call)!(...(given as never))));
