// After a purge no file of any node has the text of what was removed: every file is read raw, those of every copy of a
// shard. Records are packed there, but the words of all texts, of deleted records too, stand in the list of words.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { comment } from '../helpers.ts';
import type { TestCluster } from './cluster.ts';
import { deleteIndices, freshSettings } from './harness.ts';
import { open } from './place.ts';

const COUNT = 300;
const NEWER_COUNT = 100;
const BATCH = 50;
/** Times that a folder is listed before a file that goes away is an error: a node replaces a few a second. */
const LISTINGS = 20;

/** A word that no other begins or ends like, of letters that no file packs: it stands in the list of words as it is. */
function mark(): string {
  return Array.from(randomBytes(18), (byte) => LETTERS[byte % LETTERS.length]).join('');
}

const LETTERS = 'бвгджзклмнпрстфхцчшщ';
const MARKS = Array.from({ length: COUNT }, mark);
const NEWER = Array.from({ length: NEWER_COUNT }, mark);

/**
 * What stands in all files below. A node that runs replaces files: whoever meets one that has gone lists them again.
 */
function textsBelow(folder: string): string[] {
  for (let tries = 1; ; tries++) {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry: Dirent) => entry.isFile())
        .map((entry: Dirent) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === LISTINGS) throw error;
    }
  }
}

/** Which of the marks stand in a file: what they end in, since words that begin alike share it. */
function marksIn(folders: readonly string[]): Set<string> {
  const texts = folders.flatMap(textsBelow);
  const tails = [...MARKS, ...NEWER].map(
    (each) => [each, Buffer.from(each.slice(-10)).toString('latin1')] as const,
  );
  return new Set(tails.flatMap(([each, tail]) => (texts.some((text) => text.includes(tail)) ? [each] : [])));
}

/** Defines the test, on a cluster of nodes that all run. */
export function erasedOn(cluster: TestCluster): void {
  it('what was removed is in no file of any node after a purge', () => erased(cluster));
}

async function erased(cluster: TestCluster): Promise<void> {
  const settings = freshSettings(cluster.addresses, 1);
  await using _ = { [Symbol.asyncDispose]: () => deleteIndices(settings) };
  await using engine = await open(settings);
  const record = (i: number, body: string, retrieved: number) =>
    comment({ id: `c${i}`, community: `s${i % 10}`, body: `Some words ${body}`, retrieved });
  for (let from = 0; from < COUNT; from += BATCH) {
    const batch = MARKS.slice(from, from + BATCH).map((mark, i) => record(from + i, mark, 1));
    await engine.index('comment', packRecords(batch));
  }
  // Older copies of these are in files too, as long as nothing is merged.
  const copies = NEWER.map((mark, i) => record(i, mark, 2));
  await engine.index('comment', packRecords(copies));
  await engine.ask({ kind: 'comment', query: { items: [] } });
  const isRemoved = (i: number) => i % 10 === 3 || i % 7 === 0;
  const ids = MARKS.flatMap((_, i) => (i % 7 === 0 ? [`c${i}`] : []));
  await engine.hide(1, 'comment', { ids });
  await engine.hide(2, 'comment', { community: 's3' });
  // Of every shard both copies are there.
  await cluster.ready({ green: true });
  const removed = [...MARKS, ...NEWER].filter((_, i) => isRemoved(i % COUNT));
  const before = marksIn(cluster.dataFolders);
  const gone = removed.filter((mark) => !before.has(mark));
  assert.deepEqual(gone, []);
  while ((await engine.purge()).erased !== 'now');
  const after = marksIn(cluster.dataFolders);
  const found = removed.filter((mark) => after.has(mark));
  assert.deepEqual(found, []);
  const kept = MARKS.map((mark, i) => (i < NEWER_COUNT ? NEWER[i]! : mark)).filter((_, i) => !isRemoved(i));
  const missing = kept.filter((mark) => !after.has(mark));
  assert.deepEqual(missing, []);
  assert.equal(await engine.hiddenCount(), 0);
}
