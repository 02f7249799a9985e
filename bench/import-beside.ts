// What an import costs in this checkout beside another one: seconds until the report, CPU seconds (all threads), the
// share of all processors, and the ratios of the two. Each import runs in a process of its own, in turn.
// `npm run bench -- import-beside OTHER [records or a file or folder of dumps] [rounds]`; 300,000 synthetic comments
// and 5 rounds where nothing is said.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dumpLines } from './dump-lines.ts';

interface Cost {
  readonly cpu: number;
  readonly wall: number;
  /** With what is merged after the report. */
  readonly whole: number;
  readonly records: number;
  /** Files of segments when the import is over, by kind. */
  readonly segments: string;
}

const FIGURES = ['wall', 'cpu'] as const;

const [other, what = '300000', rounds = '5'] = process.argv.slice(2);
if (other === undefined) throw new Error('expected the folder of another checkout');
compare([resolve(other), join(import.meta.dirname, '..')], what, Number(rounds));

function compare(checkouts: readonly string[], imported: string, times: number): void {
  const place = mkdtempSync(join(tmpdir(), 'colloquy-import-'));
  try {
    const source = /^\d+$/.test(imported)
      ? written(join(place, 'dump.ndjson'), Number(imported))
      : resolve(imported);
    const costs = checkouts.map((): Cost[] => []);
    for (let round = 0; round < times; round++) {
      // By turns one of the two is first.
      const order = [...checkouts.entries()];
      for (const [i, checkout] of round % 2 === 0 ? order : order.reverse()) {
        costs[i]!.push(measured(checkout, source, join(place, `data-${round}-${i}`)));
      }
    }
    for (const [i, checkout] of checkouts.entries()) tell(checkout, costs[i]!);
    for (const figure of FIGURES) {
      const ratios = costs[0]!.map((cost, round) => cost[figure] / costs[1]![round]![figure]);
      const all = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
      process.stdout.write(
        `${figure}: the other takes ${median(ratios).toFixed(2)} times as long (${all})\n`,
      );
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function written(dump: string, lines: number): string {
  writeFileSync(dump, dumpLines(lines).join(''));
  return dump;
}

function tell(checkout: string, costs: readonly Cost[]): void {
  const told = FIGURES.map((figure) => {
    const all = costs.map((cost) => cost[figure]);
    return `${figure} ${median(all).toFixed(2)} s, least ${Math.min(...all).toFixed(2)} s`;
  });
  const busy = median(costs.map(({ cpu, wall }) => cpu / wall / availableParallelism()));
  const rate = Math.round(median(costs.map(({ records, wall }) => records / wall)));
  const { segments } = costs.at(-1)!;
  const whole = median(costs.map((cost) => cost.whole)).toFixed(2);
  process.stdout.write(
    `${checkout}: ${told.join('; ')}; ${rate} records a second, processors ${(busy * 100).toFixed(0)} % busy, ` +
      `with merging ${whole} s; segment files ${segments} (median of ${costs.length})\n`,
  );
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** Imports into this folder, in a process of its own, and removes it again. */
function measured(checkout: string, source: string, folder: string): Cost {
  const script = `${folder}.mjs`;
  writeFileSync(
    script,
    `const { importInto } = await import(${JSON.stringify(pathToFileURL(join(checkout, 'src/features/import/command.ts')).href)});
    const { FEATURES: features } = await import(${JSON.stringify(pathToFileURL(join(checkout, 'src/features.ts')).href)});
    const [, , source, data] = process.argv;
    const before = process.cpuUsage();
    const began = performance.now();
    const measured = () => {
      const { user, system } = process.cpuUsage(before);
      return { cpu: (user + system) / 1e6, wall: (performance.now() - began) / 1000 };
    };
    let untilReport = null;
    const flags = { kind: null, restart: false, data, features };
    const { report } = await importInto([source], flags, () => { untilReport = measured(); });
    const whole = measured();
    const records = report.read;
    process.stdout.write(JSON.stringify({ ...(untilReport ?? whole), whole: whole.wall, records }));`,
  );
  const output = execFileSync(process.execPath, [script, source, folder], {
    cwd: checkout,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const segments = ['posts', 'comments'].map((kind) => `${filesIn(folder, kind)} ${kind}`).join(', ');
  rmSync(folder, { recursive: true, force: true });
  return { ...JSON.parse(output), segments };
}

function filesIn(folder: string, kind: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((name) => name.endsWith('.seg') && name.includes(kind)).length;
}
