// What an import costs in this checkout beside another one: CPU seconds (all threads) and seconds, each
// import in a process of its own, in turn. `node bench/import-beside.ts OTHER [records] [rounds]`; 300,000
// comments, 5 rounds where nothing is said.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dumpLines } from './dump-lines.ts';

interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

const [other, records = '300000', rounds = '5'] = process.argv.slice(2);
if (other === undefined) throw new Error('expected the folder of another checkout');
compare([resolve(other), join(import.meta.dirname, '..')], Number(records), Number(rounds));

function compare(checkouts: readonly string[], lines: number, times: number): void {
  const place = mkdtempSync(join(tmpdir(), 'colloquy-import-'));
  try {
    const dump = join(place, 'dump.ndjson');
    writeFileSync(dump, dumpLines(lines).join(''));
    const costs = checkouts.map((): Cost[] => []);
    for (let round = 0; round < times; round++) {
      // By turns one of the two is first.
      const order = [...checkouts.entries()];
      for (const [i, checkout] of round % 2 === 0 ? order : order.reverse()) {
        costs[i]!.push(measured(checkout, dump, join(place, `data-${round}-${i}`)));
      }
    }
    for (const [i, checkout] of checkouts.entries()) {
      const told = (['cpu', 'wall'] as const).map((what) => {
        const sorted = costs[i]!.map((cost) => cost[what]).sort((a, b) => a - b);
        const median = sorted[Math.floor(sorted.length / 2)]!;
        return `${what} ${median.toFixed(2)} s, least ${sorted[0]!.toFixed(2)} s`;
      });
      process.stdout.write(`${checkout}: ${told.join('; ')} (median of ${times})\n`);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Imports into this folder, in a process of its own, and removes it again. */
function measured(checkout: string, dump: string, folder: string): Cost {
  const script = `${folder}.mjs`;
  writeFileSync(
    script,
    `const { importInto } = await import(${JSON.stringify(pathToFileURL(join(checkout, 'src/cli/import.ts')).href)});
    const [, , source, data] = process.argv;
    const began = performance.now();
    const before = process.cpuUsage();
    await importInto([source], { kind: null, restart: false, data });
    const { user, system } = process.cpuUsage(before);
    const wall = (performance.now() - began) / 1000;
    process.stdout.write(JSON.stringify({ cpu: (user + system) / 1e6, wall }));`,
  );
  const output = execFileSync(process.execPath, [script, dump, folder], {
    cwd: checkout,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  rmSync(folder, { recursive: true, force: true });
  return JSON.parse(output);
}
