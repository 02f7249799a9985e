// What the tests of `colloquy import` as a process share: a look at what it has committed.

import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { wholeStats } from '../whole-stats.ts';
import { digestOf } from './import-helpers.ts';

/** Comments that another process has committed to the folder. */
export async function commentsIn(data: string): Promise<number> {
  await using engine = await openEmbeddedEngine(data, { rules: { keepOriginals: false }, workers: 0 });
  return (await wholeStats(engine)).comment.records;
}

/** Of every record, read from the files. */
export async function digestIn(data: string): Promise<string> {
  await using engine = await openEmbeddedEngine(data, { rules: { keepOriginals: false }, workers: 0 });
  return await digestOf(engine);
}
