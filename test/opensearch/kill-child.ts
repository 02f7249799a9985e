// A process that is killed at work: `kill-child.ts ROLE SETTINGS FROM`. It imports, removes or walks until it is ended,
// and writes a line for each thing that it begins, and what became of it. What the cluster refuses for the moment it
// does again, as whoever runs a command again.

import { setTimeout as sleep } from 'node:timers/promises';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import { exported } from '../engine-export.ts';
import { everything, RULES } from '../engine-suite.ts';
import { batchOf, type Counts, communityOf, isDue, removalStep, SOURCE } from './kill-model.ts';

export type Role = 'import' | 'remove' | 'walk';

export interface Line {
  /** `refused`: an EngineUnavailable. */
  readonly what: 'begin' | 'done' | 'refused';
  readonly number: number;
  /** Of `done`: what came back. Of `refused`: the message. */
  readonly came?: unknown;
}

export interface Walked {
  /** null: removals took place meanwhile, and what they hide was withheld from the rest of it. */
  readonly counts: Counts | null;
  readonly records: number;
  /** Records that came more than once. */
  readonly doubled: number;
}

const PAUSE_MS = 200;

const [role, settings, from] = process.argv.slice(2) as [Role, string, string];
await using engine = await openOpenSearchEngine(JSON.parse(settings), { rules: RULES });
const work: Readonly<Record<Role, (number: number) => Promise<unknown>>> = {
  import: (number) => {
    const checkpoint = { source: SOURCE, state: String(number + 1) };
    return engine.index('comment', packRecords(batchOf(number)), checkpoint);
  },
  remove: async (number) => {
    const { what, batch } = removalStep(number);
    const removal = batch + 1;
    if (what === 'restore') return await engine.restore(removal, ['comment']);
    return await engine.hide(removal, 'comment', { community: communityOf(batch) });
  },
  walk: async (number) => {
    await engine.refresh();
    return number % 2 === 0 ? await scanned(engine) : await exportedWhole(engine);
  },
};

for (let number = Number(from); ; ) {
  try {
    if (role === 'remove') await untilDue(number);
    tell({ what: 'begin', number });
    tell({ what: 'done', number, came: await work[role](number) });
    number++;
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
    tell({ what: 'refused', number, came: error.message });
  }
  await sleep(PAUSE_MS);
}

function tell(line: Line): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function untilDue(number: number): Promise<void> {
  while (!isDue(removalStep(number), Number((await engine.checkpoints('comment')).get(SOURCE) ?? 0)))
    await sleep(PAUSE_MS);
}

async function scanned(of: SearchEngine): Promise<Walked> {
  return walkOf(await everything(of, 'comment'));
}

async function exportedWhole(of: SearchEngine): Promise<Walked> {
  const { head, text, last } = await exported(of, { kind: 'comment' });
  const lines = text.split('\n').filter((line) => line !== '');
  const found = lines.map((line) => JSON.parse(line) as Pick<StoredRecord, 'id' | 'community'>);
  const { records, withheld } = last;
  if (records !== found.length || records + withheld !== head.total) {
    throw new Error(`${found.length} given, of ${records} and ${withheld} withheld and ${head.total} in all`);
  }
  return { ...walkOf(found), ...(withheld > 0 && { counts: null }) };
}

function walkOf(found: readonly Pick<StoredRecord, 'id' | 'community'>[]): Walked {
  const counts: Record<string, number> = {};
  for (const { community } of found) counts[community] = (counts[community] ?? 0) + 1;
  const ids = new Set(found.map(({ id }) => id));
  return { counts, records: found.length, doubled: found.length - ids.size };
}
