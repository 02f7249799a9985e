// What a round of kills works through: imports of three editions of a dump, removals of every form, an undo, purges and
// a backup; and what must be out of the answers at each step.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredRecord } from '../../src/model/record.ts';
import type { Target } from '../../src/removals/target.ts';
import { dumpText } from './dumps.ts';
import type { Step } from './kill-plan.ts';

export interface StepsOptions {
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
