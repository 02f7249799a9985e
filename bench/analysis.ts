// `npm run bench -- analysis [--records N] [--folder FOLDER] [--word the]`: what analyses cost. N (default: a million)
// comments over 20 years, one in three with the most frequent word; or those of an index that is there. Each row is the
// median of 20 tries in milliseconds of CPU of the one thread that answers, beside DuckDB over a Parquet file of the
// same columns, with one thread too, where Python has the module. Figures are from warm memory.

import { execFileSync, spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { fill } from './analysis-corpus.ts';
import { rowsOf } from './analysis-rows.ts';
import { percentiles } from './measure.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    folder: { type: 'string' },
    word: { type: 'string', default: 'the' },
  },
});

const TRIES = 20;
/** Of a try: a question is asked so often in it. */
const LEAST_MS = 40;
/** The others of eight series, each in one record of twenty. */
const FURTHER = ['cat', 'dog', 'sun', 'rain', 'wind', 'snow', 'tree'];
const PYTHON = process.env.COLLOQUY_PYTHON ?? 'python3';

const home = mkdtempSync(join(tmpdir(), 'colloquy-analysis-'));
try {
  const folder = values.folder ?? join(home, 'index');
  if (!existsSync(join(folder, 'comments.db')))
    await fill(folder, [values.word, ...FURTHER], Number(values.records));
  await using engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 });
  const words = [values.word, ...FURTHER];
  const parquet = await columnsOf(engine, words);
  const { records } = (await engine.fingerprints()).comment as { readonly records: number };
  process.stdout.write(
    `${cpus()[0]?.model.trim()}; Node ${process.version}; ${records.toLocaleString('en')} comments\n\n`,
  );
  process.stdout.write('| | matches | median (99 %) | DuckDB |\n| --- | ---: | ---: | ---: |\n');
  for (const { name, ask, sql } of rowsOf(engine, words)) {
    const { matches, times } = await timesOf(ask);
    const beside =
      sql === undefined || parquet === null ? '' : duckdb(sql.replaceAll('$TABLE', `'${parquet}'`));
    process.stdout.write(`| ${name} | ${matches.toLocaleString('en')} | ${times} | ${beside} |\n`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function timesOf(ask: () => Promise<number>): Promise<{ matches: number; times: string }> {
  const times: number[] = [];
  let matches = 0;
  let repeats = 1;
  for (let i = -3; i < TRIES; i++) {
    const before = process.threadCpuUsage();
    for (let asked = 0; asked < repeats; asked++) matches = await ask();
    const { user, system } = process.threadCpuUsage(before);
    const each = (user + system) / 1000 / repeats;
    // Systems count the time of a thread in ticks of some milliseconds.
    if (i < 0) repeats = Math.max(repeats, Math.ceil(LEAST_MS / Math.max(each, 0.1)));
    else times.push(each);
  }
  const { p50, p99 } = percentiles(times);
  return { matches, times: `${p50.toFixed(2)} (${p99.toFixed(2)})` };
}

/** A Parquet file of what the rows need: `has_<word>` for each word; null where there is no DuckDB. */
async function columnsOf(engine: SearchEngine, words: readonly string[]): Promise<string | null> {
  if (spawnSync(PYTHON, ['-c', 'import duckdb']).status !== 0) return null;
  const csv = join(home, 'columns.csv');
  const stream = createWriteStream(csv);
  stream.write(`created,score,sentiment,community,${words.map((word) => `has_${word}`).join(',')}\n`);
  for await (const batch of engine.scan('comment', { items: [] }, 'oldest')) {
    const lines = batch.map((record) => {
      if (record.kind !== 'comment') return '';
      const held = new Set(record.body.toLowerCase().split(/\W+/));
      const flags = words.map((word) => held.has(word));
      return [record.created, record.score, record.sentiment ?? '', record.community, ...flags].join(',');
    });
    if (!stream.write(`${lines.join('\n')}\n`)) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
  await finished(stream);
  const parquet = join(home, 'columns.parquet');
  const program = `import duckdb, sys; duckdb.sql("COPY (FROM read_csv('" + sys.argv[1] + "')) TO '" + sys.argv[2] + "'")`;
  execFileSync(PYTHON, ['-c', program, csv, parquet]);
  return parquet;
}

/** Median milliseconds of CPU of one thread. */
function duckdb(sql: string): string {
  const program = `
import duckdb, statistics, sys, time
db = duckdb.connect(config={"threads": 1})
times = []
for i in range(8):
    start = time.process_time()
    db.sql(sys.argv[1]).fetchall()
    if i > 0: times.append((time.process_time() - start) * 1000)
print(f"{statistics.median(times):.1f}")`;
  return execFileSync(PYTHON, ['-c', program, sql], { encoding: 'utf8' }).trim();
}
