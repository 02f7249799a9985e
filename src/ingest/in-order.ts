// What blocks come to, in their order, while several are worked on.

import type { Block } from './formats/block.ts';

/** Blocks on their way through the workers: enough to keep them at work while a batch is committed. */
const BLOCKS_IN_FLIGHT = 4;

/**
 * An error of the reader comes behind the results of what it read; one of a worker ends all, since what is behind a
 * hole must not be taken for what follows. Reading ends where `isStopped` says so.
 */
export async function* inOrder<Result>(
  blocks: AsyncIterable<Block>,
  work: (block: Block) => Promise<Result>,
  isStopped: () => boolean,
): AsyncGenerator<Result> {
  const queue: Promise<Result>[] = [];
  let failure: unknown = null;
  async function* readable(): AsyncGenerator<Block> {
    try {
      yield* blocks;
    } catch (error) {
      failure = error;
    }
  }
  for await (const block of readable()) {
    const working = work(block);
    working.catch(() => undefined);
    queue.push(working);
    if (queue.length >= BLOCKS_IN_FLIGHT) yield await queue.shift()!;
    if (isStopped()) break;
  }
  for (const working of queue) yield await working;
  if (failure !== null) throw failure;
}
