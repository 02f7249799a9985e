// Live: a process writes, a server answers, and from outside it is measured how long until each batch is found, how
// long searches take meanwhile, and how many parts and files the index has.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Manifest } from '../../src/engines/embedded/index/manifest.ts';
import { LIVE_BATCH, liveWord, memoryOf, type Server } from './live-server.ts';
import { type Client, type LoopReport, openLoop } from './open-loop.ts';

const WRITER = fileURLToPath(new URL('./live-writer.ts', import.meta.url));
/** How often a batch is asked for that is not found yet. */
const ASK_EVERY_MS = 10;
const GIVE_UP_MS = 30_000;

export interface LiveOptions {
  readonly folder: string;
  readonly server: Server;
  readonly paths: readonly string[];
  readonly seconds: number;
  readonly recordsASecond: number;
  readonly searchesASecond: number;
}

export interface LiveReport {
  readonly batches: number;
  /** Milliseconds from the acknowledgement of each batch to the first answer that has it. */
  readonly visibleMs: readonly number[];
  /** Batches of which an answer had a part; those that were not found in time. */
  half: number;
  missing: number;
  /** How late the last batch was acknowledged against its schedule, in milliseconds. */
  readonly lateMs: number;
  readonly searches: LoopReport;
  readonly samples: readonly Sample[];
}

/** The index and the processes, once a second. */
export interface Sample {
  readonly segments: number;
  readonly files: number;
  /** MiB; NaN where the system does not say. */
  readonly serverMemory: number;
  readonly writerMemory: number;
}

export async function runLive(options: LiveOptions): Promise<LiveReport> {
  const { folder, server, paths, seconds, recordsASecond, searchesASecond } = options;
  let isOver = false;
  const writer = spawn(process.execPath, [WRITER, folder, String(recordsASecond)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const samples: Sample[] = [];
  const sampling = sample(folder, server.pid, writer, samples, () => isOver);
  const searching = openLoop(server.client, paths, searchesASecond, () => isOver);
  const watching = watchBatches(server.client, writer);
  await Promise.race([sleep(seconds * 1000), once(writer, 'close')]);
  isOver = true;
  writer.stdin!.end();
  const [batches, searches] = await Promise.all([watching, searching, sampling]);
  return { ...batches, searches, samples };
}

interface Acknowledged {
  readonly number: number;
  readonly at: number;
  readonly lateMs: number;
}

async function watchBatches(client: Client, writer: ChildProcess) {
  const report = { batches: 0, visibleMs: [] as number[], half: 0, missing: 0, lateMs: 0 };
  const waiting: Promise<void>[] = [];
  for await (const line of createInterface({ input: writer.stdout! })) {
    const { number, at, lateMs } = JSON.parse(line) as Acknowledged;
    report.batches++;
    report.lateMs = lateMs;
    waiting.push(
      firstAnswerWith(client, number, report).then((ms) => {
        if (ms === null) report.missing++;
        else report.visibleMs.push(Math.max(0, ms - at));
      }),
    );
  }
  await Promise.all(waiting);
  return report;
}

/** Unix milliseconds of it. */
async function firstAnswerWith(
  client: Client,
  batch: number,
  report: { half: number },
): Promise<number | null> {
  const path = `/api/v1/search/comments?limit=0&query=${liveWord(batch)}`;
  const began = performance.now();
  while (performance.now() - began < GIVE_UP_MS) {
    const { status, body } = await client.ask(path);
    const now = performance.timeOrigin + performance.now();
    const found = status === 200 ? Number(JSON.parse(body).total_count) : 0;
    if (found === LIVE_BATCH) return now;
    if (found > 0) report.half++;
    await sleep(ASK_EVERY_MS);
  }
  return null;
}

/** Files of segments and how many segments there are, once a second. */
async function sample(
  folder: string,
  serverPid: number,
  writer: ChildProcess,
  samples: Sample[],
  isOver: () => boolean,
): Promise<void> {
  const manifest = new Manifest(folder, 'comment');
  try {
    while (!isOver()) {
      samples.push({
        segments: manifest.version() === 0 ? 0 : manifest.segments().length,
        files: readdirSync(join(folder, 'comments')).length,
        serverMemory: memoryOf(serverPid),
        writerMemory: memoryOf(writer.pid!),
      });
      await sleep(1000);
    }
  } finally {
    manifest.close();
  }
}
