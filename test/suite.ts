// `npm test`, and with `--programs` `npm run test:programs`: all tests but those of OpenSearch, which run.ts there
// runs.
// The second ones need more than npm brings, a browser, libraries of other languages, a proxy, and skip what is not
// there; or they kill processes, break disks and repeat random histories, which takes long, or hash many passwords.
// They take more than half of the processor time of all. Temporary folders of the first ones are in memory, where the
// system has room for them.

import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hasRoomInMemory, MEMORY } from './helpers.ts';
import { runFiles } from './run-files.ts';

const PROGRAMS: readonly string[] = [
  'test/account-pages/browser.test.ts',
  'test/clients/clients.test.ts',
  'test/datasets/readers.test.ts',
  'test/document-blocks.test.ts',
  'test/feeds/readers.test.ts',
  'test/page/browser.test.ts',
  'test/page/docs.test.ts',
  'test/page/every-page.test.ts',
  'test/page/keys.test.ts',
  'test/page/list.test.ts',
  'test/page/looks.test.ts',
  'test/account-pages/tasks.test.ts',
  'test/places/clock-jumps.test.ts',
  'test/places/proxies.test.ts',
  'test/readers/readers.test.ts',
];
const LONG: readonly string[] = [
  ...globSync('test/chaos/*.test.ts'),
  'src/engines/embedded/agreement.test.ts',
  'src/engines/embedded/answering/sharing.test.ts',
  'src/engines/embedded/format/symbol-table.test.ts',
  'src/engines/embedded/gathering.test.ts',
  'src/engines/embedded/large-segment.test.ts',
  'src/engines/embedded/late-damage.test.ts',
  'src/engines/embedded/matching/phrases.test.ts',
  'src/engines/embedded/threads/aborts.test.ts',
  'src/engines/embedded/threads/exports.test.ts',
  'src/engines/embedded/threads/threads.test.ts',
  'src/engines/embedded/writing/merge.test.ts',
  'src/engines/embedded/writing/removing.test.ts',
  'src/features/account/credentials.test.ts',
  'test/account-pages/flows.test.ts',
  'test/account-pages/guessing.test.ts',
  'test/account-pages/limits.test.ts',
  'test/account-pages/second-factor.test.ts',
  'test/api/export-answers.test.ts',
  'test/api/export-breaks.test.ts',
  'test/api/export-tags.test.ts',
  'test/api/large-pages.test.ts',
  'test/backup.test.ts',
  'test/corruption.test.ts',
  'test/datasets/commands.test.ts',
  'test/datasets/making.test.ts',
  'test/datasets/withdrawals.test.ts',
  'test/event-loop.test.ts',
  'test/export-file.test.ts',
  'test/features.test.ts',
  'test/import/damaged.test.ts',
  'test/import/hostile.test.ts',
  'test/import/interrupted.test.ts',
  'test/import/serving.test.ts',
  'test/import/terminal.test.ts',
  'test/import/unreadable.test.ts',
  'test/mcp-endpoint.test.ts',
  'test/mcp.test.ts',
  'test/monitoring/nothing-told.test.ts',
  'test/monitoring/security-log.test.ts',
  'test/monitoring/supervisor.test.ts',
  'test/moving/cli.test.ts',
  'test/moving/move.test.ts',
  'test/one-kind-damaged.test.ts',
  'test/packages/operating.test.ts',
  'test/packages/package.test.ts',
  'test/page/examples.test.ts',
  'test/page/hostile-texts.test.ts',
  'test/places/drills.test.ts',
  'test/places/modes.test.ts',
  'test/places/read-only.test.ts',
  'test/places/socket.test.ts',
  'test/query-properties.test.ts',
  'test/reading.test.ts',
  'test/reference-engine.test.ts',
  'test/released-formats.test.ts',
  'test/removing/cli.test.ts',
  'test/removing/erased.test.ts',
  'test/removing/history.test.ts',
  'test/removing/remover.test.ts',
  'test/removing/serving.test.ts',
  'test/serve.test.ts',
  'test/stop.test.ts',
  'test/watch-command.test.ts',
];
const OTHERS = [...PROGRAMS, ...LONG];
/** Half of the time of those: they begin first. */
const LONGEST: readonly string[] = [
  'test/page/every-page.test.ts',
  'test/document-blocks.test.ts',
  'src/engines/embedded/agreement.test.ts',
  'test/account-pages/browser.test.ts',
  'test/backup.test.ts',
  'test/chaos/faults.test.ts',
  'test/features.test.ts',
  'test/page/browser.test.ts',
  'test/account-pages/second-factor.test.ts',
  'test/account-pages/flows.test.ts',
  'test/export-file.test.ts',
  'test/account-pages/tasks.test.ts',
  'test/import/interrupted.test.ts',
  'test/chaos/power.test.ts',
  'test/chaos/kills.test.ts',
  'test/mcp.test.ts',
  'test/event-loop.test.ts',
];
/** More processes than processors: many tests wait for something. */
const CONCURRENCY = 3;
const TIMEOUT_MS = 300_000;

/** At most so many files share a process: a third of all is starting processes and reading modules. */
const TOGETHER = 12;
const LONG_TOGETHER = 4;

const lost = OTHERS.filter((file) => !existsSync(file));
if (lost.length > 0) throw new Error(`expected these tests, found no such file: ${lost.join(', ')}`);
const own = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { exclude: ['test/opensearch/**'] });
const programs = process.argv.includes('--programs');
const groups = mkdtempSync(join(tmpdir(), 'colloquy-groups-'));
const files = programs
  ? [
      ...LONGEST,
      ...together(
        OTHERS.filter((file) => !LONGEST.includes(file)),
        LONG_TOGETHER,
      ),
    ]
  : together(
      own.filter((file) => !OTHERS.includes(file)),
      TOGETHER,
    );
if (!programs && hasRoomInMemory()) process.env.TMPDIR = MEMORY;
await runFiles(files, { concurrency: CONCURRENCY, timeoutMs: TIMEOUT_MS });
rmSync(groups, { recursive: true });

/**
 * Modules of a few tests each, neighbours by their paths, which share a process as the runner starts one for each
 * module. Those of src/, which take less time, come last.
 */
function together(tests: readonly string[], most: number): string[] {
  const sorted = tests.toSorted().reverse();
  const inTurn = pathToFileURL(resolve('test/in-turn.ts'));
  return Array.from({ length: Math.ceil(sorted.length / most) }, (_, i) => {
    const path = join(groups, `${i}.mjs`);
    const part = sorted.slice(i * most, (i + 1) * most);
    const files = JSON.stringify(part.map((file) => pathToFileURL(resolve(file))));
    writeFileSync(path, `import { inTurn } from '${inTurn}';\nawait inTurn(${files});\n`);
    return path;
  });
}
