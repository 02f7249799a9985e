// `node bench/export-run.ts FOLDER FORMAT COMPRESS`: one export of all comments by a process that does nothing else, in
// a thread of its own. Prints as JSON: milliseconds to the first byte and to the last, bytes of the file, and bytes of
// memory above those of the process before.

import { setTimeout as wait } from 'node:timers/promises';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import type { Compression, Format } from '../src/exporting/formats.ts';
import { exportAll } from './exporting.ts';

const [folder, format, compress] = process.argv.slice(2);
await using engine = await openEmbeddedEngine(folder!, { rules: { keepOriginals: false }, workers: 1 });
await engine.ask({
  kind: 'comment',
  query: { items: [] },
  page: { order: 'oldest', limit: 25, after: null },
});
await wait(200);
const idle = process.memoryUsage.rss();
let peak = idle;
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 10);
const started = performance.now();
let firstMs = 0;
const { bytes } = await exportAll(engine, format as Format, compress as Compression, () => {
  firstMs ||= performance.now() - started;
});
clearInterval(timer);
const wholeMs = performance.now() - started;
process.stdout.write(`${JSON.stringify({ firstMs, wholeMs, bytes, above: peak - idle })}\n`);
