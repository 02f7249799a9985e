// `npm run bench -- suggestions [--records N] [--communities N] [--folder FOLDER]`: what completions cost that nobody
// has asked for before, and what the start page tells of the archive. N posts (default: a million) of 50,000
// communities (Zipf, s = 1.1; each has one) and 20,000 domains, over three years. Milliseconds of CPU of one thread;
// the median and the longest of 20 tries, each without what earlier ones kept.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { ArchiveService } from '../src/features/search/archive.ts';
import { Suggestions } from '../src/features/search/suggestions.ts';
import { SearchService } from '../src/search/search-service.ts';
import { linkPost } from '../test/helpers.ts';
import { communityName, domainName, randomNumbers, SECONDS, START, sampler } from './corpus.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    communities: { type: 'string', default: '50000' },
    folder: { type: 'string' },
  },
});

const TRIES = 20;
const BATCH = 50_000;
const DOMAINS = 20_000;
const SETTINGS = { impliedWindow: '1d', permalinkBase: '', queryTimeoutMs: 60_000 } as const;
const ITEMS = ['/r/', '/r/c', '/r/cba', '-/r/cka', 'site:', 'site:w', 'site:self.c', 'after:', 'before:20'];

const home = mkdtempSync(join(tmpdir(), 'colloquy-suggestions-'));
try {
  const folder = values.folder ?? join(home, 'index');
  if (!existsSync(join(folder, 'posts.db'))) await fill(folder);
  await using engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 });
  const { post } = await engine.stats();
  if (post instanceof Error) throw post;
  const { records, communities } = post;
  const counts = `${records.toLocaleString('en')} posts, ${communities.toLocaleString('en')} communities`;
  process.stdout.write(`${cpus()[0]?.model.trim()}; Node ${process.version}; ${counts}\n\n`);
  process.stdout.write('| | first | median | longest |\n| --- | ---: | ---: | ---: |\n');
  for (const item of ITEMS) {
    let found = 0;
    await row(`\`${item}\``, async () => {
      found = (await new Suggestions(engine, SETTINGS.queryTimeoutMs).of(item, 8)).length;
    });
    if (found === 0) throw new Error(`expected suggestions for ${item}, found none`);
  }
  const search = new SearchService(engine, { knowledgeOf: () => new Map() }, SETTINGS);
  let archive = new ArchiveService(engine, search);
  await row('the start page: reckoned', async () => {
    archive = new ArchiveService(engine, search);
    await archive.warm();
  });
  await row('the start page: kept', () => archive.now());
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function row(name: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < TRIES; i++) times.push(await timeOf(work));
  const [first] = times;
  times.sort((a, b) => a - b);
  const cells = [first!, times[TRIES / 2]!, times.at(-1)!].map((ms) => ms.toFixed(1));
  process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

async function fill(folder: string): Promise<void> {
  const [number, communities] = [Number(values.records), Number(values.communities)];
  const random = randomNumbers(1);
  const community = sampler(communities, (rank) => 1 / (rank + 1) ** 1.1);
  const domain = sampler(DOMAINS, (rank) => 1 / (rank + 1));
  await using engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 });
  for (let from = 0; from < number; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, number - from) }, (_, i) => {
      const made = from + i;
      const name = communityName(made < communities ? made : community(random));
      return linkPost({
        ...{ id: (1e10 + made).toString(36), community: name, title: `About ${name}, part ${made % 97}` },
        domain: random() < 0.4 ? `self.${name}` : domainName(domain(random)),
        score: Math.floor(random() ** -0.7),
        created: START + Math.floor((made / number) * SECONDS),
      });
    });
    await engine.index('post', packRecords(batch));
  }
}
