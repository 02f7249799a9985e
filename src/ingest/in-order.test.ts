import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Block, START } from './formats/block.ts';
import { inOrder } from './in-order.ts';

const BLOCKS = 9;

/** Numbered by their first line; `failure` comes behind the last of them. */
async function* blocks(closed: () => void, failure?: Error): AsyncGenerator<Block> {
  try {
    for (let lines = 0; lines < BLOCKS; lines++) {
      yield { data: new Uint8Array(), lines, rejects: [], end: START };
    }
    if (failure !== undefined) throw failure;
  } finally {
    closed();
  }
}

/** What came, and what it ended with. */
async function drained(results: AsyncIterable<number>): Promise<{ results: number[]; error: unknown }> {
  const came: number[] = [];
  try {
    for await (const result of results) came.push(result);
  } catch (error) {
    return { results: came, error };
  }
  return { results: came, error: null };
}

describe('blocks worked on in their order', () => {
  for (const failing of [0, 1, 4, BLOCKS - 1]) {
    it(`a failure at block ${failing} ends them: results of later blocks came behind the hole`, async () => {
      const failure = new Error('the worker is gone');
      let isClosed = false;
      const work = async ({ lines }: Block) => {
        if (lines === failing) throw failure;
        return Number(lines);
      };
      const reader = blocks(() => {
        isClosed = true;
      });
      const { results, error } = await drained(inOrder(reader, work, () => false));
      assert.equal(error, failure);
      assert.deepEqual(results, [...Array(failing).keys()]);
      assert.ok(isClosed);
    });
  }

  it('an error of the reader comes behind all results', async () => {
    const failure = new Error('the file breaks off');
    const reader = blocks(() => undefined, failure);
    const came = await drained(
      inOrder(
        reader,
        async ({ lines }) => Number(lines),
        () => false,
      ),
    );
    assert.deepEqual(came, { results: [...Array(BLOCKS).keys()], error: failure });
  });

  it('where a worker fails too, its error is told: what the reader gave is not all there', async () => {
    const failure = new Error('the worker is gone');
    const reader = blocks(() => undefined, new Error('the file breaks off'));
    const work = async ({ lines }: Block) => {
      if (lines === BLOCKS - 1) throw failure;
      return Number(lines);
    };
    assert.equal((await drained(inOrder(reader, work, () => false))).error, failure);
  });

  it('reading ends where it is stopped, and what was read is worked on', async () => {
    let read = 0;
    const work = async ({ lines }: Block) => {
      read++;
      return Number(lines);
    };
    const reader = blocks(() => undefined);
    const came = await drained(inOrder(reader, work, () => read === 6));
    assert.deepEqual(came, { results: [0, 1, 2, 3, 4, 5], error: null });
  });
});
