// What a round of kills works through: imports of three editions of a dump, removals of every form, an undo, purges
// and a backup; what must be out of the answers at each step; and what the process that kills and the one that is
// killed say to each other.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexReport } from '../../src/model/engine.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import type { RemovalSubject } from '../../src/model/removals.ts';
import type { Target } from '../../src/removals/target.ts';
import type { Batch } from './acknowledged.ts';
import { dumpText } from './dumps.ts';

/** One thing that is done to a data folder; done again where it was broken off. */
export type Step =
  /** `dump` is its path. */
  | { readonly kind: 'import'; readonly dump: string }
  | { readonly kind: 'remove'; readonly target: Target }
  /** Takes back every removal that named records of this kind. */
  | { readonly kind: 'undo'; readonly of: RemovalSubject }
  | { readonly kind: 'purge' }
  /** Into the folder of the plan. */
  | { readonly kind: 'backup' };

export interface KillPlan {
  readonly data: string;
  /** Lines of JSON, each a LogLine. */
  readonly log: string;
  readonly batchRecords: number;
  /** Where a backup goes. */
  readonly backup: string;
  /** What is left to do, and the number of the first of these in the whole round. */
  readonly steps: readonly Step[];
  readonly firstStep: number;
  /** Calls are counted from this step on. */
  readonly countFrom: number;
  /** The log says of a batch only that it was begun, so that it stays small. */
  readonly isBrief?: true;
}

/** A batch counts as acknowledged from the line behind its own on. */
export type LogLine =
  | { readonly opened: true }
  /** null: the plan is brief. */
  | { readonly begin: Batch | null }
  | { readonly acknowledged: IndexReport }
  /** Numbers of steps in the whole round. */
  | { readonly started: number }
  | { readonly done: number };

interface StepsOptions {
  readonly folder: string;
  readonly records: number;
  readonly seed: number;
}

/** Posts have numbers that are multiples of three, in every dump. */
const ids = (kind: 'post' | 'comment', from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => from + i)
    .filter((number) => (number % 3 === 0) === (kind === 'post'))
    .map((number) => number.toString(36));

export function makeSteps({ folder, records, seed }: StepsOptions): Step[] {
  mkdirSync(folder, { recursive: true });
  const edition = (number: number): Step => {
    const dump = join(folder, `edition-${number}.ndjson`);
    writeFileSync(dump, dumpText({ records, seed, edition: number }));
    return { kind: 'import', dump };
  };
  const remove = (target: Target): Step => ({ kind: 'remove', target });
  return [
    edition(0),
    remove({ kind: 'records', of: 'comment', ids: ids('comment', 0, records / 4), withComments: false }),
    { kind: 'undo', of: 'comments' },
    remove({ kind: 'communities', names: ['roofing'] }),
    edition(1),
    { kind: 'purge' },
    { kind: 'backup' },
    remove({ kind: 'records', of: 'post', ids: ids('post', records / 2, records), withComments: false }),
    edition(2),
    { kind: 'purge' },
  ];
}

/** Whether a record is out of the answers when so many steps are done and the next one has begun. */
export function absenceAt(
  steps: readonly Step[],
  done: number,
): (record: StoredRecord) => 'no' | 'maybe' | 'yes' {
  const rules = steps.slice(0, done + 1).flatMap((step, number) => {
    if (step.kind !== 'remove') return [];
    const undo = steps.findIndex((other, at) => at > number && isUndoOf(other, step.target));
    if (undo !== -1 && undo < done) return [];
    const state: 'maybe' | 'yes' = number === done || undo === done ? 'maybe' : 'yes';
    return [{ target: step.target, state }];
  });
  return (record) => {
    const states = rules.filter(({ target }) => isMeant(target, record)).map(({ state }) => state);
    return states.includes('yes') ? 'yes' : states.includes('maybe') ? 'maybe' : 'no';
  };
}

function isUndoOf(step: Step, target: Target): boolean {
  return step.kind === 'undo' && target.kind === 'records' && step.of === `${target.of}s`;
}

function isMeant(target: Target, record: StoredRecord): boolean {
  if (target.kind === 'communities') return target.names.includes(record.community);
  return target.kind === 'records' && target.of === record.kind && target.ids.includes(record.id);
}
