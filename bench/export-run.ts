// `npm run bench -- export-run FOLDER FORMAT COMPRESS`: one export of all comments by a process that does nothing else,
// in a thread of its own. Prints as JSON: milliseconds to the first byte and to the last, bytes of the file, and bytes
// of memory above those of the process before, in the second of two exports: the first loads columns of the index,
// which stay for whatever is asked next.

import { setTimeout as wait } from 'node:timers/promises';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import type { Compression, Format } from '../src/features/export/parameters.ts';
import { exportAll } from './exporting.ts';

const [folder, format, compress] = process.argv.slice(2);
await using engine = await openEmbeddedEngine(folder!, { rules: { keepOriginals: false }, workers: 1 });
await engine.ask({
  kind: 'comment',
  query: { items: [] },
  page: { order: 'oldest', limit: 25, after: null },
});
await engine.warm();
const { firstMs, wholeMs, bytes } = await exportOnce();
const { above } = await exportOnce();
process.stdout.write(`${JSON.stringify({ firstMs, wholeMs, bytes, above })}\n`);

async function exportOnce() {
  await wait(1_000);
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  const started = performance.now();
  let firstByte = 0;
  const onBytes = () => {
    firstByte ||= performance.now() - started;
  };
  const exported = await exportAll(engine, format as Format, compress as Compression, { onBytes });
  clearInterval(timer);
  const wholeTime = performance.now() - started;
  return { firstMs: firstByte, wholeMs: wholeTime, bytes: exported.bytes, above: peak - idle };
}
