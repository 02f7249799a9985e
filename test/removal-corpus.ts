// The comments that test/removal-importer.ts indexes: every text holds a word of its own, so that it can be looked for.

import type { StoredComment } from '../src/model/record.ts';
import { comment } from './helpers.ts';

/** Different batches. The first has a file of its own, the others are small segments in the manifest. */
export const BATCHES = 5;
const SIZES = [2_500, 300, 120, 60, 20];
export const COMMUNITIES = 12;
export const THREADS = 40;

/** What `secretOf` begins with. */
export const SECRET = 'xqzsecret';

/** The word that stands in the text of this comment alone. */
export function secretOf(id: string): string {
  return `${SECRET}${id.padStart(6, '0')}end`;
}

/** The ids whose words stand in a text, or in a part of one. */
export function idsIn(text: string): readonly string[] {
  const found = text.matchAll(new RegExp(`${SECRET}([0-9a-z]{6})end`, 'g'));
  return Array.from(found, ([, padded]) => Number.parseInt(padded!, 36).toString(36));
}

/** Batch `n`, below BATCHES: in each round the same ids, communities and threads, retrieved later. */
export function batchOf(n: number, round: number): readonly StoredComment[] {
  return Array.from({ length: SIZES[n]! }, (_, i) => {
    const number = n * 10_000 + i;
    const id = number.toString(36);
    return comment({
      id,
      created: 1_000_000 + ((number * 7919) % 50_000),
      community: `community${number % COMMUNITIES}`,
      post: `thread${number % THREADS}`,
      retrieved: 1 + round,
      body: `solar ${secretOf(id)} round${round}`,
    });
  });
}
