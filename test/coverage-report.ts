// The reporter of `npm run coverage`: lines and branches of src/ that the tests reach, in child processes and threads
// too, and a table of the files below 90 % in either. A file that no test loads counts as 0 %.

import { globSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const ENOUGH = 90;

interface Share {
  readonly path: string;
  readonly lines: number;
  readonly branches: number;
}

// biome-ignore lint/style/noDefaultExport: the runner takes a reporter by its default export
export default async function* coverageReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type === 'test:fail' && event.data.details.type !== 'suite') {
      yield `failed: ${event.data.name} (${relative(process.cwd(), event.data.file ?? '')})\n`;
    }
    if (event.type === 'test:coverage') yield* report(event.data.summary);
  }
}

function* report({ files, totals }: Extract<TestEvent, { type: 'test:coverage' }>['data']['summary']) {
  const reached = files.map(
    (file): Share => ({
      path: relative(process.cwd(), file.path).replaceAll('\\', '/'),
      lines: file.coveredLinePercent,
      branches: file.coveredBranchPercent,
    }),
  );
  const loaded = new Set(reached.map(({ path }) => path));
  const unloaded = globSync('src/**/*.ts')
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.test.ts') && !loaded.has(path))
    .map((path): Share => ({ path, lines: 0, branches: 0 }));
  const low = [...reached, ...unloaded].filter(({ lines, branches }) => Math.min(lines, branches) < ENOUGH);
  low.sort((a, b) => a.lines - b.lines || a.branches - b.branches);
  yield `\n| file below ${ENOUGH} % | lines | branches |\n|---|---|---|\n`;
  for (const { path, lines, branches } of low)
    yield `| ${path} | ${percent(lines)} | ${percent(branches)} |\n`;
  yield `\n${files.length} files that tests load: ${percent(totals.coveredLinePercent)} of ${totals.totalLineCount} lines, `;
  yield `${percent(totals.coveredBranchPercent)} of ${totals.totalBranchCount} branches; ${unloaded.length} files that none loads\n`;
}

function percent(share: number): string {
  return `${share.toFixed(1)} %`;
}
