// A bulk import beside a server that is searched.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { syntheticComments } from '../../bench/corpus.ts';
import type { ImportReport } from '../../src/ingest/report.ts';
import { temporaryFolder } from '../helpers.ts';
import { type LiveOptions, type Sample, sample } from './live-run.ts';
import { COMMUNITIES, program } from './live-server.ts';
import { type LoopReport, openLoop } from './open-loop.ts';

export interface BulkReport {
  readonly records: number;
  readonly seconds: number;
  readonly searches: LoopReport;
  readonly samples: readonly Sample[];
}

/** About what an import takes in, in the time that is asked for. */
const RECORDS_A_SECOND = 15_000;

export async function runBulk({
  folder,
  server,
  paths,
  seconds,
  searchesASecond,
}: LiveOptions): Promise<BulkReport> {
  using sources = temporaryFolder();
  const dump = join(sources.path, 'dump.ndjson');
  await writeDump(dump, seconds * RECORDS_A_SECOND);
  const child = spawn(process.execPath, [program, 'import', dump, '--json', '--data', folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let isOver = false;
  const samples: Sample[] = [];
  const sampling = sample(folder, server.pid, child, samples, () => isOver);
  const searching = openLoop(server.client, paths, searchesASecond, () => isOver);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const [code] = await once(child, 'close');
  isOver = true;
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  const report = JSON.parse(text) as ImportReport;
  const [searches] = await Promise.all([searching, sampling]);
  return { records: report.read, seconds: report.seconds, searches, samples };
}

/** As Pushshift spells comments. */
async function writeDump(path: string, records: number): Promise<void> {
  const file = createWriteStream(path);
  for (const batch of syntheticComments(records, { batch: 5_000, communities: COMMUNITIES, seed: 5 })) {
    const lines = batch.map(({ id, community, created, body, score, post }) =>
      JSON.stringify({
        id: `b${id}`,
        subreddit: community,
        created_utc: created,
        body,
        score,
        link_id: `t3_${post}`,
      }),
    );
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}
