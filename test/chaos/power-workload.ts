// What is done to a folder while its disk is recorded: batches small and large with copies among them, merges, and files
// that are dropped. The state behind each step is known.

import type { Kind, StoredRecord } from '../../src/model/record.ts';
import { comment, post } from '../helpers.ts';
import { Acknowledged, type Contents } from './acknowledged.ts';
import { type DiskEvent, recordDisk } from './disk-recording.ts';
import { openEngine } from './folder-state.ts';

export interface Workload {
  readonly events: readonly DiskEvent[];
  /** What the folder holds before the first step, and behind each. */
  readonly states: readonly Contents[];
}

interface Step {
  readonly kind: Kind;
  readonly records: readonly StoredRecord[];
}

/** Eight of them make a file when they are merged. */
const SMALL = 265;
/** A file of its own. */
const LARGE = 2_060;

/** `begun n` and `done n` stand among the events: n counts steps from 1. */
export async function recordWorkload(folder: string): Promise<Workload> {
  const state = new Acknowledged();
  const states: Contents[] = [new Map()];
  const events = await recordDisk(folder, async ({ mark }) => {
    await using engine = await openEngine(folder);
    for (const [number, { kind, records }] of steps().entries()) {
      mark(`begun ${number + 1}`);
      await engine.index(kind, records, { source: 'workload', state: String(number + 1) });
      mark(`done ${number + 1}`);
      state.add({ kind, records });
      states.push(new Map(state.contents()));
    }
  });
  return { events, states };
}

function steps(): Step[] {
  const posts = (n: number) => ({ kind: 'post' as const, records: made('post', n * SMALL, SMALL, 1) });
  const small = (n: number) => ({
    kind: 'comment' as const,
    records: made('comment', 1_900 + n * 50, 60, n + 2),
  });
  const all: Step[] = [{ kind: 'comment', records: made('comment', 0, LARGE, 1) }];
  for (let n = 0; n < 9; n++) all.push(posts(n), small(n));
  // Replaces most of the first file, which is then written anew; and all of the small ones.
  all.push({ kind: 'comment', records: made('comment', 600, LARGE, 50) });
  all.push({ kind: 'post', records: made('post', 100, 300, 60) });
  all.push({ kind: 'comment', records: made('comment', 0, LARGE, 70) });
  return all;
}

function made(kind: Kind, from: number, count: number, score: number): StoredRecord[] {
  return Array.from({ length: count }, (_, i) => {
    const number = from + i;
    const id = number.toString(36);
    const text = `solar ${number % 7 === 0 ? 'roof' : 'battery'} ${number}`;
    const shared = { id, created: 1_600_000_000 + number, score, retrieved: score };
    return kind === 'post' ? post({ ...shared, title: text }) : comment({ ...shared, body: text, post: '1' });
  });
}
