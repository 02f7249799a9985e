// `npm run bench -- coverage [--records N] [--folder FOLDER]`: what it costs to tell what an index covers. N (default:
// a million) comments over 20 years, of 5,000 communities, one in ten withdrawn; or those of an index that is there,
// which is changed: a thousand comments are hidden, and come back. Milliseconds of CPU of one thread; `warm` is the
// median of 20 tries.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { CoverageRequest } from '../src/model/coverage.ts';
import { comment } from '../test/helpers.ts';
import { communityName, randomNumbers } from './corpus.ts';
import { percentiles } from './measure.ts';

const { values } = parseArgs({
  options: { records: { type: 'string', default: '1000000' }, folder: { type: 'string' } },
});

const TRIES = 20;
const BATCH = 50_000;
/** 2005-01-01, and twenty years. */
const START = 1_104_537_600;
const SECONDS = 20 * 365.25 * 86_400;
const COMMUNITIES = 5_000;
/** Larger than any removal that an index may have. */
const REMOVAL = 2 ** 40;
const HIDDEN = 1_000;

const home = mkdtempSync(join(tmpdir(), 'colloquy-coverage-'));
try {
  const folder = values.folder ?? join(home, 'index');
  if (!existsSync(join(folder, 'comments.db'))) await fill(folder, Number(values.records));
  await using engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 });
  const months: CoverageRequest = { kind: 'comment', step: 'month', communities: [] };
  const names: string[] = [];
  const query = { items: [] };
  const breakdowns = [{ field: 'community', size: 100 }] as const;
  for (const { name } of (await engine.ask({ kind: 'comment', query, breakdowns })).breakdowns![0]!.rows) {
    names.push(name);
  }
  const row = (name: string, ms: number) => process.stdout.write(`| ${name} | ${ms.toFixed(1)} |\n`);
  let told = 0;
  const cold = await timeOf(async () => {
    told = (await engine.coverage(months)).index.records;
  });
  process.stdout.write(
    `${cpus()[0]?.model.trim()}; Node ${process.version}; ${told.toLocaleString('en')} comments\n\n`,
  );
  process.stdout.write('| | ms |\n| --- | ---: |\n');
  row('the first time: months', cold);
  row('the first time: days', await timeOf(() => engine.coverage({ ...months, step: 'day' })));
  row('warm: months', await median(() => engine.coverage(months)));
  row('warm: days', await median(() => engine.coverage({ ...months, step: 'day' })));
  row(
    'warm: months, those of 100 communities too',
    await median(() => engine.coverage({ ...months, communities: names })),
  );
  const ids: string[] = [];
  const page = { order: 'newest', limit: HIDDEN, after: null } as const;
  for (const { id } of (await engine.ask({ kind: 'comment', query, page })).page!.records) ids.push(id);
  await engine.hide(REMOVAL, 'comment', { ids });
  row('after 1,000 were hidden: months', await timeOf(() => engine.coverage(months)));
  await engine.restore(REMOVAL);
  row('after they came back: months', await timeOf(() => engine.coverage(months)));
  process.stdout.write(`\npeak of memory: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB\n`);
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < TRIES; i++) times.push(await timeOf(work));
  return percentiles(times).p50;
}

async function fill(folder: string, records: number): Promise<void> {
  await using into = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 1 });
  const random = randomNumbers(1);
  for (let from = 0; from < records; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, records - from) }, (_, i) => {
      const isWithdrawn = random() < 0.1;
      const created = START + Math.floor(random() * SECONDS);
      return comment({
        id: (from + i).toString(36),
        created,
        community: communityName(Math.floor(random() ** 3 * COMMUNITIES)),
        retrieved: created + Math.floor(random() * 200_000),
        withdrawn: isWithdrawn,
        body: isWithdrawn ? '[deleted]' : 'the cat sat on the mat and looked at the rain',
        sentiment: isWithdrawn || random() < 0.2 ? null : 0.25,
      });
    });
    await into.index('comment', packRecords(batch));
  }
  await into.maintain();
}
