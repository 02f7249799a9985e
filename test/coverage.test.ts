import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { coverageReport, reachOf, unexplained } from './coverage-report.ts';

const run = promisify(execFile);

const PATH = 'src/search/sign.ts';

/** What it prints depends on its argument; the last function is never called. */
const PROGRAM = `// says which sign a number has
interface Told { readonly sign: string }
export function sign(value: number): Told {
  if (value < 0) return { sign: 'minus' };
  if (value > 0) return { sign: 'plus' };
  // uncovered: nobody passes zero
  return { sign: 'none' };
}
// uncovered: a thread may print it
console.log(sign(Number(process.argv[2])).sign ?? fallback());
// uncovered: this is run by everybody
const end = 'end';
function fallback() {
  return end;
}
`;

describe('npm run coverage', () => {
  it('lists what the named tests do not reach, and nothing that they do', async () => {
    const { NODE_TEST_CONTEXT: _, NODE_V8_COVERAGE: __, ...env } = process.env;
    const words = ['test/coverage.ts', 'src/search/cursor.test.ts'];
    const { stdout } = await run(process.execPath, words, {
      env,
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    assert.match(stdout, /^\| src\/app\.ts \| 0\.0 % \| 0\.0 % \|$/m);
    assert.match(stdout, /^\| src\/errors\.ts \| \d\d\.\d % \|/m);
    assert.doesNotMatch(stdout, /search\/cursor\.ts/);
    assert.match(
      stdout,
      /^\d+ files that tests load: [\d.]+ % of \d+ lines, [\d.]+ % of \d+ branches; \d+ files/m,
    );
  });

  it('a branch is reached where one process of several took it', async (t) => {
    const [one] = await reachedBy(t, ['1']);
    assert.deepEqual(
      one!.spans.map(({ firstLine, lastLine, code }) => [firstLine, lastLine, code]),
      [
        [4, 4, "return { sign: 'minus' };"],
        [7, 7, "return { sign: 'none' };"],
        [10, 10, '?? fallback()'],
        [13, 15, 'function fallback() {'],
      ],
    );
    const [both] = await reachedBy(t, ['1', '-1']);
    assert.deepEqual(
      both!.spans.map(({ firstLine }) => firstLine),
      [7, 10, 13],
    );
    assert.deepEqual([both!.lines, both!.missedLines], [8, 3]);
    assert.ok(both!.branches - both!.missedBranches > one!.branches - one!.missedBranches);
  });

  it('what a killed process wrote in part counts for nothing', async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'colloquy-coverage-'));
    t.after(() => rm(root, { recursive: true, force: true }));
    await mkdir(join(root, 'src/search'), { recursive: true });
    await writeFile(join(root, PATH), PROGRAM);
    await writeFile(join(root, 'coverage-1-2-0.json'), '{"result":[{"scriptId":"3","ur');
    const [file] = reachOf(root, [PATH], root);
    assert.deepEqual([file!.isLoaded, file!.lines, file!.missedLines], [false, 8, 8]);
  });

  it('a comment beside a span is its reason, and is named where nothing needs it', async (t) => {
    const files = await reachedBy(t, ['1', '-1']);
    assert.deepEqual(
      unexplained(files).map(({ path, firstLine }) => [path, firstLine]),
      [[PATH, 13]],
    );
    const lines = coverageReport(files).split('\n');
    assert.ok(lines.includes(`no reason: ${PATH}:13–15  function fallback() {`));
    assert.ok(lines.includes(`uncovered: ${PATH}:7  nobody passes zero`));
    assert.ok(lines.includes(`uncovered: ${PATH}:10  a thread may print it`));
    assert.ok(lines.includes(`reached, with a reason: ${PATH}:11  this is run by everybody`));
  });
});

/** What is reached of PROGRAM by one process for each of `values`. */
async function reachedBy(t: TestContext, values: readonly string[]) {
  const root = await mkdtemp(join(tmpdir(), 'colloquy-coverage-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'src/search'), { recursive: true });
  await writeFile(join(root, PATH), PROGRAM);
  // Of code that was compiled before, V8 counts less precisely.
  const { NODE_TEST_CONTEXT: _, NODE_COMPILE_CACHE: __, ...env } = process.env;
  for (const value of values) {
    await run(process.execPath, [join(root, PATH), value], {
      env: { ...env, NODE_V8_COVERAGE: join(root, 'v8') },
    });
  }
  return reachOf(root, [PATH], join(root, 'v8'));
}
