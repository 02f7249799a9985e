// How fast is `filter` for a rare word in a dump, beside importing the same dump, `zstd -dc | rg` (`grep`
// where rg is not there) and a Python script that parses every line? CPU and wall-clock seconds, each in a
// process of its own, one after another. `npm run bench -- filter FILE.ndjson.zst [word]`; the bar is ten times
// as fast as importing.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [file, word = 'xylophone'] = process.argv.slice(2);
if (file === undefined) throw new Error('expected a dump of comments, compressed by zstd');

const colloquy = fileURLToPath(new URL('../bin/colloquy.mjs', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'colloquy-filter-'));

/** What an archive's own scripts do: each line parsed, the word looked for in the body. */
const PYTHON = `
import json, sys
word = sys.argv[1].lower()
for line in sys.stdin.buffer:
    record = json.loads(line)
    if word in record["body"].lower():
        sys.stdout.buffer.write(line)
`;

interface Cost {
  readonly name: string;
  readonly cpu: number;
  readonly wall: number;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const run = (words: readonly string[]) => [process.execPath, colloquy, ...words].map(quote).join(' ');
const has = (program: string) => spawnSync(program, ['--version']).status === 0;
const grep = has('rg') ? 'rg' : 'grep';
const unpacked = `zstd -dc --long=31 ${quote(file)}`;

const TASKS: readonly (readonly [name: string, command: string])[] = [
  [`filter ${word}`, run(['filter', file, '--where', word, '--out', join(place, 'a.zst')])],
  ['filter score:100', run(['filter', file, '--where', 'score:100', '--out', join(place, 'b.zst')])],
  [`import --where ${word}`, run(['import', file, '--where', word, '--data', join(place, 'part')])],
  ['import', run(['import', file, '--data', join(place, 'all')])],
  ['zstd -dc', `${unpacked} > /dev/null`],
  [`zstd -dc | ${grep} -i`, `${unpacked} | ${grep} -i ${quote(word)}`],
  ['zstd -dc | python3', `${unpacked} | python3 -c ${quote(PYTHON)} ${quote(word)}`],
];

try {
  process.stdout.write(
    `${basename(file)}, ${statSync(file).size} bytes; ${cpus().length} × ${cpus()[0]?.model}; Node ${process.version}\n`,
  );
  const costs: Cost[] = [];
  for (const [name, command] of TASKS) {
    const cost = await measured(name, command);
    costs.push(cost);
    process.stdout.write(`${name.padEnd(28)} ${cost.cpu.toFixed(2)} s of CPU, ${cost.wall.toFixed(2)} s\n`);
  }
  const filter = costs[0]!;
  for (const { name, cpu, wall } of costs.slice(1)) {
    const ratio = `${(cpu / filter.cpu).toFixed(2)} times the CPU, ${(wall / filter.wall).toFixed(2)} times as long`;
    process.stdout.write(`${name.padEnd(28)} ${ratio}\n`);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** The shell adds up the times of all that it starts (`times`, POSIX): what it and its children took. */
async function measured(name: string, command: string): Promise<Cost> {
  const started = performance.now();
  const child = spawn('sh', ['-c', `{ ${command}; } > /dev/null 2>&1; times`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const text of child.stdout.setEncoding('utf8')) output += text;
  const wall = (performance.now() - started) / 1000;
  const seconds = [...output.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
  return { name, cpu: seconds.reduce((sum, n) => sum + n, 0), wall };
}
