// The reporter of `npm test`: the runner's spec reporter, with a table of the ten slowest tests before its closing
// lines (`tests`, `pass`, `fail` …), which stay the last.

import { relative } from 'node:path';
import { compose, Readable } from 'node:stream';
import type { TestEvent } from 'node:test/reporters';
import { spec } from 'node:test/reporters';

const ROWS = 10;

interface Slow {
  readonly ms: number;
  readonly name: string;
  readonly file: string;
}

/** What the runner calls: events in, text out. */
// biome-ignore lint/style/noDefaultExport: the runner takes a reporter by its default export
export default async function* slowestReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  yield* compose(Readable.from(withSlowest(source)), new spec());
}

/** The same events, with the table as lines of the runner's own kind before the first of its closing lines. */
export async function* withSlowest(source: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  const slowest: Slow[] = [];
  let isTold = false;
  for await (const event of source) {
    if (event.type === 'test:pass' || event.type === 'test:fail') note(slowest, event.data);
    if (!isTold && isClosing(event)) {
      for (const message of table(slowest)) {
        yield { type: 'test:diagnostic', data: { ...event.data, message } } as TestEvent;
      }
      isTold = true;
    }
    yield event;
  }
}

function isClosing(event: TestEvent): boolean {
  return (
    event.type === 'test:diagnostic' && event.data.nesting === 0 && /^tests \d+$/.test(event.data.message)
  );
}

function note(slowest: Slow[], data: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data']): void {
  if (data.details.type === 'suite') return;
  slowest.push({ ms: data.details.duration_ms, name: data.name, file: data.file ?? '' });
  slowest.sort((a, b) => b.ms - a.ms);
  slowest.length = Math.min(slowest.length, ROWS);
}

function table(slowest: readonly Slow[]): string[] {
  const rows = slowest.map(({ ms, name, file }) => {
    const path = relative(process.cwd(), file);
    return `${(ms / 1000).toFixed(1).padStart(7)} s  ${path}  ${name.replace(/\s+/g, ' ').slice(0, 80)}`;
  });
  return rows.length === 0 ? [] : [`the ${rows.length} slowest tests`, ...rows];
}
