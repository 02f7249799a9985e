// The benchmark under load: two workers answer a random mix of whole answers, alone and while an import runs.

import { cpSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { Question, SearchEngine } from '../src/model/engine.ts';
import { randomNumbers, syntheticComments } from './corpus.ts';
import { filesOf, percentiles, type Times } from './measure.ts';
import type { QueryClass } from './queries.ts';
import { WHOLE_ANSWER } from './questions.ts';

export interface Load extends Times {
  /** Whole answers. */
  readonly aSecond: number;
  /** Records a second that came in meanwhile. */
  readonly importedASecond: number;
}

const RULES = { keepOriginals: false };
const WORKERS = 2;
const SEED = 11;

/** For so long, with as many questions under way as there are workers. */
export async function randomMix(
  folder: string,
  classes: readonly QueryClass[],
  seconds: number,
): Promise<Load> {
  await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: WORKERS });
  await mix(engine, classes, seconds / 4);
  return { ...(await mix(engine, classes, seconds)), importedASecond: 0 };
}

/** The same while batches of 5,000 new comments come in, one after the other. They go into a copy of the index. */
export async function mixWhileImporting(
  folder: string,
  classes: readonly QueryClass[],
  seconds: number,
): Promise<Load> {
  const copy = `${folder}-import`;
  linkedCopy(folder, copy);
  try {
    await using engine = await openEmbeddedEngine(copy, { rules: RULES, workers: WORKERS });
    await mix(engine, classes, seconds / 4);
    let isOver = false;
    let imported = 0;
    const importing = (async () => {
      for (const batch of syntheticComments(4_000_000, { batch: 5_000, communities: 5_000, seed: 2 })) {
        if (isOver) return;
        await engine.index(
          'comment',
          packRecords(batch.map((record) => ({ ...record, id: `z${record.id}` }))),
        );
        await engine.refresh();
        imported += batch.length;
      }
    })();
    const load = await mix(engine, classes, seconds);
    isOver = true;
    await importing;
    return { ...load, importedASecond: imported / seconds };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** What is asked for so many seconds, so many questions at a time. */
export interface Mix {
  readonly classes: readonly QueryClass[];
  readonly question: Partial<Question>;
  readonly atOnce: number;
  readonly seconds: number;
}

/** Queries of the classes in a random order, the same at every call. */
export async function askMix(
  engine: SearchEngine,
  { classes, question, atOnce, seconds }: Mix,
): Promise<Times & { readonly aSecond: number }> {
  const random = randomNumbers(SEED);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const times: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  const askOn = async () => {
    for (let now = performance.now(); now < end; now = performance.now()) {
      await engine.ask({ kind: 'comment', query: pick(pick(classes).queries), ...question });
      times.push(performance.now() - now);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOn));
  return { ...percentiles(times), aSecond: (times.length / (performance.now() - start)) * 1000 };
}

function mix(engine: SearchEngine, all: readonly QueryClass[], seconds: number) {
  const classes = all.filter(({ isInMix }) => isInMix);
  return askMix(engine, { classes, question: WHOLE_ANSWER.question, atOnce: WORKERS, seconds });
}

/** Segment files never change: a second name for each is a copy. The manifest is a small file. */
function linkedCopy(folder: string, copy: string): void {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(join(copy, 'comments'), { recursive: true });
  for (const file of filesOf(join(folder, 'comments')))
    linkSync(file, join(copy, 'comments', basename(file)));
  cpSync(join(folder, 'comments.db'), join(copy, 'comments.db'));
}
