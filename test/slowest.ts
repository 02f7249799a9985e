// The reporter of `npm test`: the runner's spec reporter, and behind it a table of the ten slowest tests.

import { relative } from 'node:path';
import { compose, Readable } from 'node:stream';
import type { TestEvent } from 'node:test/reporters';
import { spec } from 'node:test/reporters';

const ROWS = 10;

/** What the runner calls: events in, text out. */
// biome-ignore lint/style/noDefaultExport: the runner takes a reporter by its default export
export default async function* slowestReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const rows: (readonly [ms: number, line: string])[] = [];
  async function* noting(): AsyncGenerator<TestEvent> {
    for await (const event of source) {
      yield event;
      if ((event.type !== 'test:pass' && event.type !== 'test:fail') || event.data.details.type === 'suite')
        continue;
      const { name, file = '', details } = event.data;
      const seconds = (details.duration_ms / 1000).toFixed(1).padStart(7);
      rows.push([
        details.duration_ms,
        `${seconds} s  ${relative(process.cwd(), file)}  ${name.slice(0, 80)}\n`,
      ]);
    }
  }
  yield* compose(Readable.from(noting()), new spec());
  yield `the ${ROWS} slowest tests\n`;
  for (const [, line] of rows.sort(([a], [b]) => b - a).slice(0, ROWS)) yield line;
}
