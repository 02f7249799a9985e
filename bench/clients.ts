// `npm run bench -- clients FOLDER [--seconds 10] [--rounds 3]`: whole answers a second of the random mix, by one
// client and by two at once, beside tantivy and Lucene in one run. FOLDER is one that `run.ts --keep` left. Ours are
// one and two workers of one engine; a peer is one and two processes over one index. They take turns; the median round
// counts.

import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { randomNumbers, syntheticVocabulary } from './corpus.ts';
import { askMix } from './load.ts';
import { peerConditions, peerTask } from './peer-questions.ts';
import { Peer, type PeerProgram, peerPrograms } from './peers.ts';
import { type QueryClass, queryClasses } from './queries.ts';
import { WHOLE_ANSWER } from './questions.ts';

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) {
  throw new Error('expected a folder that `npm run bench -- run --keep FOLDER` left, found none');
}
const seconds = Number(values.seconds);
const RULES = { keepOriginals: false };
const { question } = WHOLE_ANSWER;
/** Queries that a peer is asked in one line, so that crossing to its process costs it little. */
const BATCH = 20;

const classes = await classesOf(folder);
const programs = peerPrograms((why) => process.stderr.write(`${why}\n`));
const rows = new Map<string, [one: number[], two: number[]]>();
for (let round = 0; round < Number(values.rounds); round++) {
  for (const name of ['Colloquy', ...programs.map((program) => program.name)]) {
    const program = programs.find((candidate) => candidate.name === name);
    const row = rows.get(name) ?? [[], []];
    rows.set(name, row);
    for (const clients of [1, 2] as const) {
      row[clients - 1]!.push(program === undefined ? await ours(clients) : await peers(program, clients));
    }
  }
}
process.stdout.write(`${cpus()[0]?.model.trim()}, ${cpus().length} threads; Node ${process.version}\n\n`);
process.stdout.write(
  '| whole answers a second | one client | two | two ÷ one |\n| --- | ---: | ---: | ---: |\n',
);
for (const [name, row] of rows) {
  const [one, two] = row.map(median) as [number, number];
  process.stdout.write(`| ${name} | ${one.toFixed(0)} | ${two.toFixed(0)} | ${(two / one).toFixed(2)} |\n`);
}

async function ours(clients: number): Promise<number> {
  await using engine = await openEmbeddedEngine(folder!, { rules: RULES, workers: clients });
  const mix = { classes, question, atOnce: clients };
  await askMix(engine, { ...mix, seconds: seconds / 4 });
  return (await askMix(engine, { ...mix, seconds })).aSecond;
}

async function peers(program: PeerProgram, clients: number): Promise<number> {
  await using opened = new AsyncDisposableStack();
  const asked: Peer[] = [];
  for (let i = 0; i < clients; i++) {
    asked.push(opened.use(await Peer.open(program, join(folder!, program.name.toLowerCase()))));
  }
  await askPeers(asked, seconds / 4);
  return await askPeers(asked, seconds);
}

/** Answers a second, of all together. */
async function askPeers(asked: readonly Peer[], forSeconds: number): Promise<number> {
  const task = peerTask(question);
  const start = performance.now();
  const end = start + forSeconds * 1000;
  let answers = 0;
  const askOn = async (peer: Peer, number: number) => {
    const random = randomNumbers(number + 1);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    while (performance.now() < end) {
      const queries = Array.from({ length: BATCH }, () => peerConditions(pick(pick(classes).queries)));
      await peer.ask({ task, rounds: 0, queries });
      answers += BATCH;
    }
  };
  await Promise.all(asked.map(askOn));
  return (answers / (performance.now() - start)) * 1000;
}

async function classesOf(path: string): Promise<readonly QueryClass[]> {
  await using engine = await openEmbeddedEngine(path, { rules: RULES, workers: 0 });
  const all = await queryClasses(engine, syntheticVocabulary(5_000));
  return all.filter(({ isInMix }) => isInMix);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
