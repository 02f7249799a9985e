// Kills of exports into files: one command is killed again and again, and run again until the file is
// there, which must be the one that an unbroken run writes, for each format and compression.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { randomNumbers } from '../../bench/corpus.ts';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import {
  type Compression,
  compressionsOf,
  FORMATS,
  type Format,
} from '../../src/features/export/parameters.ts';
import { EXPORT_STEP } from '../../src/model/export.ts';
import { comment, START_OF_2008 } from '../helpers.ts';

const CHILD = fileURLToPath(new URL('./export-child.ts', import.meta.url));
const PRELOAD = new URL('./kill-preload.ts', import.meta.url).href;

/** Two steps, and something behind the second. */
const RECORDS = 2 * EXPORT_STEP + 4_321;

/** Records that are indexed at once. */
const CORPUS_BATCH = 20_000;

export interface ExportKillOptions {
  readonly kills: number;
  readonly seed: number;
  readonly folder: string;
  /** Default: every one. */
  readonly forms?: readonly Form[];
  readonly onKill?: (report: ExportKillReport) => void;
}

export interface Form {
  readonly format: Format;
  readonly compress: Compression;
}

export interface ExportKillReport {
  kills: number;
  /** Files that were finished behind at least one kill. */
  files: number;
  /** Runs that went on behind a step. */
  resumed: number;
  /** Kills behind the last byte, before the end. */
  killsAtTheEnd: number;
  /** A line each; empty where all is well. */
  readonly problems: string[];
}

export const ALL_FORMS: readonly Form[] = (Object.keys(FORMATS) as Format[]).flatMap((format) =>
  compressionsOf(format).map((compress) => ({ format, compress })),
);

/** `at`: the call that changes a file, from 1, at which it is killed; or milliseconds after its start; null: never. */
interface Moment {
  readonly at: number;
  readonly in: 'calls' | 'milliseconds';
  readonly when: 'before' | 'after';
}

export async function runExportKills(options: ExportKillOptions): Promise<ExportKillReport> {
  const { folder, seed, kills, forms = ALL_FORMS } = options;
  const report: ExportKillReport = { kills: 0, files: 0, resumed: 0, killsAtTheEnd: 0, problems: [] };
  const random = randomNumbers(seed);
  const data = join(folder, 'data');
  await makeCorpus(data);
  const unbroken = new Map<Form, { readonly bytes: Buffer; readonly calls: number; readonly ms: number }>();
  for (let round = 0; report.kills < kills && report.problems.length === 0; round++) {
    const form = forms[round % forms.length]!;
    if (!unbroken.has(form)) {
      const out = join(folder, `unbroken-${round}`, 'file');
      const started = performance.now();
      const { counted, ...ending } = await runChild(data, out, form, null, folder);
      if (ending.code !== 0) throw new Error(`an undisturbed export failed: ${ending.words}`);
      unbroken.set(form, { bytes: readFileSync(out), calls: counted!, ms: performance.now() - started });
    }
    await killUntilDone(options, { data, form, round, random, report }, unbroken.get(form)!);
  }
  return report;
}

interface Round {
  readonly data: string;
  readonly form: Form;
  readonly round: number;
  readonly random: () => number;
  readonly report: ExportKillReport;
}

async function killUntilDone(
  { folder, kills, seed, onKill }: ExportKillOptions,
  { data, form, round, random, report }: Round,
  whole: { readonly bytes: Buffer; readonly calls: number; readonly ms: number },
): Promise<void> {
  const out = join(folder, `round-${round}`, 'file');
  const where = `seed ${seed}, round ${round}, ${form.format} ${form.compress}`;
  let isBroken = false;
  for (;;) {
    const moment = report.kills >= kills ? null : momentOf(whole, random);
    const ending = await runChild(data, out, form, moment, folder);
    if (/from earlier runs/.test(ending.words)) report.resumed++;
    if (!ending.wasKilled) {
      if (ending.code !== 0) {
        report.problems.push(
          `${where}, ${JSON.stringify(moment)}: exit code ${ending.code}: ${ending.words}`,
        );
        return;
      }
      break;
    }
    isBroken = true;
    report.kills++;
    if (isFinished(out)) report.killsAtTheEnd++;
    if (existsSync(out) && !readFileSync(out).equals(whole.bytes)) {
      report.problems.push(`${where}, ${JSON.stringify(moment)}: a file that is not whole`);
      return;
    }
    onKill?.(report);
  }
  if (!readFileSync(out).equals(whole.bytes)) report.problems.push(`${where}: another file`);
  const left = readdirSync(join(out, '..')).filter((name) => !['file', 'file.state'].includes(name));
  if (left.length > 0) report.problems.push(`${where}: left over: ${left.join(', ')}`);
  if (report.problems.length > 0) return;
  if (isBroken) report.files++;
  rmSync(join(out, '..'), { recursive: true });
}

/** Whether the state says that all bytes are there. */
function isFinished(out: string): boolean {
  const path = `${out}.state`;
  return existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).finished !== undefined;
}

/** The first calls make the state and the part, the last ones give the file its name: often there. */
function momentOf(
  { calls, ms }: { readonly calls: number; readonly ms: number },
  random: () => number,
): Moment {
  const when = random() < 0.5 ? 'before' : 'after';
  const kind = random();
  if (kind < 0.2) return { at: random() * ms, in: 'milliseconds', when };
  const [from, to] = kind < 0.3 ? [1, 15] : kind < 0.5 ? [calls - 25, calls] : [1, calls];
  return { at: Math.max(1, Math.round(from + random() * (to - from))), in: 'calls', when };
}

interface Ending {
  /** False: it was done before its moment came. */
  readonly wasKilled: boolean;
  readonly code: number | null;
  /** On standard output and standard error. */
  readonly words: string;
  /** Calls that changed files; null: it was killed. */
  readonly counted: number | null;
}

async function runChild(
  data: string,
  out: string,
  { format, compress }: Form,
  moment: Moment | null,
  folder: string,
): Promise<Ending> {
  mkdirSync(join(out, '..'), { recursive: true });
  const counted = join(folder, 'counted');
  rmSync(counted, { force: true });
  const flags = ['--format', format, '--compress', compress, '--data', data, '--out', out];
  const child = spawn(
    process.execPath,
    ['--import', PRELOAD, CHILD, 'export', 'comments', 'common', ...flags],
    {
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
        CHAOS_FOLDERS: join(out, '..'),
        CHAOS_KILL_AT: String(moment?.in === 'calls' ? moment.at : Number.MAX_SAFE_INTEGER),
        CHAOS_KILL_WHEN: moment?.when ?? 'before',
        CHAOS_COUNTED: counted,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  if (moment?.in === 'milliseconds') {
    await Promise.race([sleep(moment.at), ended]);
    child.kill('SIGKILL');
  }
  const [code, signal] = await ended;
  return {
    wasKilled: signal === 'SIGKILL',
    code,
    words: (await said).join(''),
    counted: existsSync(counted) ? Number(readFileSync(counted, 'utf8')) : null,
  };
}

async function makeCorpus(data: string): Promise<void> {
  await using app = await openApp({ ...readConfig({}), dataFolder: data, threads: 0 });
  const random = randomNumbers(17);
  for (let first = 0; first < RECORDS; first += CORPUS_BATCH) {
    const count = Math.min(CORPUS_BATCH, RECORDS - first);
    const records = Array.from({ length: count }, (_, i) => {
      const number = first + i;
      const created = START_OF_2008 + Math.floor(number / 3);
      const score = Math.floor(random() * 50);
      return comment({ id: `c${number}`, created, score, body: `common ${Math.floor(random() * 1e9)}` });
    });
    await app.engine.index('comment', packRecords(records));
  }
}
