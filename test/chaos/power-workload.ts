// What is done to a folder while its disk is recorded: batches small and large with copies among them, merges, files
// that are dropped, records that are hidden and erased. The state behind each step is known.

import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { Kind, StoredRecord } from '../../src/model/record.ts';
import { comment, post } from '../helpers.ts';
import { Acknowledged, type Contents } from './acknowledged.ts';
import { type DiskEvent, recordDisk } from './disk-recording.ts';
import { openEngine } from './folder-state.ts';

export interface Workload {
  readonly events: readonly DiskEvent[];
  /** What the folder holds before the first step, and behind each. */
  readonly states: readonly Contents[];
  /** From this step on none of these words stands in any file. */
  readonly erasedAt: number;
  readonly erased: readonly string[];
}

type Step =
  | { readonly do: 'index'; readonly kind: Kind; readonly records: readonly StoredRecord[] }
  | { readonly do: 'hide'; readonly kind: Kind; readonly ids: readonly string[] }
  | { readonly do: 'purge' };

/** Eight of them make a file when they are merged. */
const SMALL = 265;
/** A file of its own. */
const LARGE = 2_060;

/** `begun n` and `done n` stand among the events: n counts steps from 1. */
export async function recordWorkload(folder: string): Promise<Workload> {
  const state = new Acknowledged();
  const states: Contents[] = [new Map()];
  const hidden = new Set<string>();
  const all = steps();
  const events = await recordDisk(folder, async ({ mark }) => {
    await using engine = await openEngine(folder);
    for (const [i, step] of all.entries()) {
      mark(`begun ${i + 1}`);
      if (step.do === 'index') {
        await engine.index(step.kind, packRecords(step.records), {
          source: 'workload',
          state: String(i + 1),
        });
        state.add(step);
      } else if (step.do === 'hide') {
        await engine.hide(1, step.kind, { ids: step.ids });
        for (const id of step.ids) hidden.add(`${step.kind} ${id}`);
      } else await engine.purge();
      mark(`done ${i + 1}`);
      states.push(new Map([...state.contents()].filter(([key]) => !hidden.has(key))));
    }
  });
  const erased = [...hidden].map((key) => wordOf(key.split(' ')[1]!));
  return { events, states, erasedAt: all.findIndex((step) => step.do === 'purge') + 1, erased };
}

/** Nothing that is hidden is written again. */
function steps(): Step[] {
  const index = (kind: Kind, from: number, count: number, score: number): Step => {
    return { do: 'index', kind, records: made(kind, from, count, score) };
  };
  const all: Step[] = [index('comment', 0, LARGE, 1)];
  for (let n = 0; n < 9; n++) {
    all.push(index('post', n * SMALL, SMALL, 1), index('comment', 1_900 + n * 50, 60, n + 2));
  }
  // Replaces most of the first file, which is then written anew; and all of the small ones.
  all.push(index('comment', 600, LARGE, 50), index('post', 100, 300, 60));
  all.push(
    { do: 'hide', kind: 'comment', ids: idsOf(0, 90) },
    { do: 'hide', kind: 'post', ids: idsOf(0, 90) },
  );
  all.push(index('comment', 100, LARGE, 70), { do: 'purge' }, index('post', 200, 100, 80));
  return all;
}

function idsOf(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, i) => (from + i).toString(36));
}

function wordOf(id: string): string {
  return `mark${id}mark`;
}

function made(kind: Kind, from: number, count: number, score: number): StoredRecord[] {
  return Array.from({ length: count }, (_, i) => {
    const number = from + i;
    const id = number.toString(36);
    const text = `solar ${number % 7 === 0 ? 'roof' : 'battery'} ${wordOf(id)}`;
    const shared = { id, created: 1_600_000_000 + number, score, retrieved: score };
    return kind === 'post' ? post({ ...shared, title: text }) : comment({ ...shared, body: text, post: '1' });
  });
}
