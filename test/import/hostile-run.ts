// A process of its own that imports a folder and says what came of it and what memory it took.
// Arguments: data folder, folder of sources.

import { importSources } from '../../src/ingest/importer.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';

const [data = '', sources = ''] = process.argv.slice(2);
await using engine = await openReferenceEngine(data, { rules: { keepOriginals: false } });
const catalogue = { recordClaims: () => undefined, dumpClaims: () => undefined, addImports: () => undefined };
const place = {
  ...{ engine, catalogue, permalinkBase: 'https://www.reddit.com' },
  ...{ rejectsFolder: `${data}/rejects`, input: process.stdin },
};
const report = await importSources([sources], place, { kind: null, restart: false, workers: 2 });
const comments = (await Array.fromAsync(engine.scan('comment', { items: [] }, 'oldest'))).flat();
const ids = comments.map(({ id }) => id);
process.stdout.write(JSON.stringify({ report, ids, megabytes: process.resourceUsage().maxRSS / 1024 }));
