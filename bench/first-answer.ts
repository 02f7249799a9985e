// `npm run bench -- first-answer [DATA_FOLDER] [--starts 20] [--load]`: is the first answer after a start as good as
// the second? Of the API over HTTP, and of `colloquy search`; without a folder over the invented sample. `--load` keeps
// two processors busy meanwhile. Prints milliseconds and how many answers were none.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Accounts } from '../src/accounts/accounts.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { starts: { type: 'string', default: '20' }, load: { type: 'boolean', default: false } },
});
const starts = Number(values.starts);
if (!Number.isInteger(starts) || starts < 1 || starts > 1000) {
  process.stderr.write(
    'expected 1 to 1000 starts: npm run bench -- first-answer [DATA_FOLDER] [--starts 20] [--load]\n',
  );
  process.exit(2);
}
const colloquy = fileURLToPath(new URL('../bin/colloquy.mjs', import.meta.url));
const QUERY = 'the "of the" -game';
const made = positionals[0] === undefined ? mkdtempSync(join(tmpdir(), 'colloquy-bench-')) : null;
const folder = positionals[0] ?? made!;

interface Answer {
  readonly ms: number;
  /** The status of HTTP, or the exit code. */
  readonly status: number;
}

const busy = values.load ? [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;);'])) : [];
try {
  const key = await makeKey();
  const [first, second]: [Answer[], Answer[]] = [[], []];
  for (let i = 0; i < starts; i++) {
    const [one, two] = await answersOfServer(key);
    first.push(one);
    second.push(two);
  }
  tell('API, first answer', first, 200);
  tell('API, second answer', second, 200);
  const commands: [Answer[], Answer[]] = [[], []];
  for (let i = 0; i < starts; i++) for (const answers of commands) answers.push(await answerOfSearch());
  tell('search, first of two', commands[0], 0);
  tell('search, second of two', commands[1], 0);
} finally {
  for (const process of busy) process.kill('SIGKILL');
  if (made !== null) rmSync(made, { recursive: true, force: true });
}

async function makeKey(): Promise<string> {
  await using accounts = Accounts.open(folder);
  return accounts.createKey({ email: 'bench@example.org', name: 'bench', expiresInDays: 1 }).key;
}

/** Starts a server, asks it twice as soon as it says that it is ready, and ends it. */
async function answersOfServer(key: string): Promise<[Answer, Answer]> {
  const server = spawn(process.execPath, [colloquy, 'serve', '--port', '0', '--data', folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const address = await ready(server);
    // The connection is there when the first question is asked.
    await (await fetch(`${address}/readyz`)).arrayBuffer();
    const ask = async (): Promise<Answer> => {
      const began = performance.now();
      const query = encodeURIComponent(QUERY);
      const response = await fetch(`${address}/api/v1/search/comments?query=${query}`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      await response.arrayBuffer();
      return { ms: performance.now() - began, status: response.status };
    };
    return [await ask(), await ask()];
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

async function ready(server: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of server.stdout!) {
    text += chunk;
    const address = /^Colloquy is ready: (http:\/\/\S+)\n/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('the server ended before it was ready');
}

function answerOfSearch(): Promise<Answer> {
  const began = performance.now();
  return new Promise((resolve) => {
    const words = ['search', 'comments', '--json', '--data', folder, '--', QUERY];
    execFile(process.execPath, [colloquy, ...words], { maxBuffer: 2 ** 26 }, (error) => {
      resolve({ ms: performance.now() - began, status: error === null ? 0 : Number(error.code) });
    });
  });
}

function tell(name: string, answers: readonly Answer[], expected: number): void {
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const failed = answers.filter(({ status }) => status !== expected).length;
  const [median, worst] = [times[times.length >> 1]!, times.at(-1)!].map((ms) => ms.toFixed(1));
  process.stdout.write(
    `${name.padEnd(22)} median ${median!.padStart(7)} ms, worst ${worst!.padStart(7)} ms, ${failed} of ${times.length} failed\n`,
  );
}
