// The one command of docs/opensearch.md that boots a cluster, moves the sample into it and serves it.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { until } from '../processes.ts';
import { testHome } from './test-cluster.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The words for Node as the documentation's command leads to them. */
function documented(): string[] {
  const [, script, name] = /^npm run (\S+) -- (\S+)$/m.exec(read('docs/opensearch.md')) ?? [];
  const [program, ...words] = JSON.parse(read('package.json')).scripts[script!].split(' ');
  assert.equal(program, 'node');
  return [...words, name!];
}

/** Numbers of all processes below this one. */
function below(pid: number): number[] {
  const all = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state!.startsWith('Z'))
    .map(([own, parent]) => [Number(own), Number(parent)] as const);
  const children = (of: number): number[] =>
    all.filter(([, parent]) => parent === of).flatMap(([own]) => [own, ...children(own)]);
  return children(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const home = testHome();
const skip = 'reason' in home && home.reason;

it('one command boots a cluster, moves the sample into it, serves it, and leaves no process', {
  skip,
}, async () => {
  const child = spawn(process.execPath, documented(), {
    cwd: new URL('../..', import.meta.url),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let stopped = false;
  try {
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const address = await until(async () => {
      assert.equal(child.exitCode, null, errors);
      return /^Colloquy is ready: (\S+)$/m.exec(output)?.[1] ?? null;
    });
    assert.match(errors, /^Everything is there\./m);
    assert.ok(
      `${output}${errors}`.includes(`"${address}/api/v1/search/comments?`),
      'the example asks this server',
    );
    const key = /^clq_\S+$/m.exec(output)![0];

    const path = '/api/v1/search/posts?query=battery%20after:1970-01-01';
    const answer = await fetch(address + path, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200);
    const { data, total_count: total } = (await answer.json()) as {
      readonly data: readonly { readonly title: string; readonly selftext: string }[];
      readonly total_count: number;
    };
    assert.equal(data.length, total);
    assert.ok(total > 0);
    for (const { title, selftext } of data) assert.match(`${title} ${selftext}`, /battery/i);

    const page = await fetch(`${address}/search?query=battery%20after:1970-01-01`);
    assert.equal(page.status, 200);
    const text = await page.text();
    assert.match(text, new RegExp(`<h1 id="total">${total} `));
    assert.doesNotMatch(text, /These records are invented/, 'they come from the cluster');

    const started = below(child.pid!);
    // The node, its guard and the server.
    assert.ok(started.length >= 3, `${started}`);
    child.kill('SIGINT');
    stopped = true;
    const [code] = await ended;
    assert.equal(code, 0, errors);
    // The guard ends when it has cleared up behind the others.
    await until(async () => (started.some(isRunning) ? null : true));
  } finally {
    if (!stopped) child.kill('SIGTERM');
    await ended;
  }
});
