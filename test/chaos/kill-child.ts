// The process that is killed: works through its steps on a data folder as the commands do, and writes to a log beside
// the folder what it is about to do and what was acknowledged. The log is a plain file: it outlives a SIGKILL.

import { existsSync, openSync, writeSync } from 'node:fs';
import { getEnvironmentData } from 'node:worker_threads';
import { openApp, rejectsFolder } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { engineOf } from '../../src/engines/engines.ts';
import { recordsOf } from '../../src/engines/packing/packed-records.ts';
import { writeBackup } from '../../src/features/upkeep/backup.ts';
import { importSources } from '../../src/ingest/importer.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { REACHED } from '../archive.ts';
import { inBatchesOf } from '../helpers.ts';
import type { KillPlan, LogLine, Step } from './kill-steps.ts';

const plan = JSON.parse(process.argv[2]!) as KillPlan;
const log = openSync(plan.log, 'a');

function tell(line: LogLine): void {
  writeSync(log, `${JSON.stringify(line)}\n`);
}

/** The engine, with each batch in the log before it is given, and again when it is acknowledged. */
function logged(engine: SearchEngine): SearchEngine {
  const index: SearchEngine['index'] = async (kind, records, checkpoint) => {
    tell({ begin: plan.isBrief ? null : { kind, records: recordsOf(kind, records) } });
    const report = await engine.index(kind, records, checkpoint);
    tell({ acknowledged: report });
    return report;
  };
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === 'index') return index;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const config = { ...readConfig({}), dataFolder: plan.data };
// What opening does is counted where the first step is.
if (plan.countFrom === plan.firstStep) countCalls();
await using app = await openApp(config, { catchUpWithRemovals: REACHED });
tell({ opened: true });
process.stdout.write('working\n');
for (const [i, step] of plan.steps.entries()) {
  tell({ started: plan.firstStep + i });
  if (plan.firstStep + i === plan.countFrom) countCalls();
  await run(step);
  tell({ done: plan.firstStep + i });
}

/** From now on (kill-preload.ts). */
function countCalls(): void {
  const shared = getEnvironmentData('chaos calls') as SharedArrayBuffer | undefined;
  if (shared !== undefined) Atomics.store(new Int32Array(shared), 1, 1);
}

async function run(step: Step): Promise<void> {
  switch (step.kind) {
    case 'import':
      return await importDump(step.dump);
    case 'remove':
      await app.remover(REACHED).remove(step.target);
      return;
    case 'undo':
      for (const { id, subject, state } of app.catalogue.removals.all()) {
        if (subject === step.of && state !== 'undone') await app.remover(REACHED).undo(id);
      }
      return;
    case 'purge':
      await app.remover(REACHED).purge();
      return;
    case 'backup':
      // Where it was killed behind its last step, the backup is there already.
      if (!existsSync(plan.backup))
        await writeBackup(await engineOf(config), config.dataFolder, plan.backup, { kept: [] });
  }
}

async function importDump(dump: string): Promise<void> {
  await importSources(
    [dump],
    {
      engine: logged(inBatchesOf(plan.batchRecords, app.engine)),
      catalogue: app.catalogue,
      permalinkBase: config.permalinkBase,
      rejectsFolder: rejectsFolder(config),
      input: { async *[Symbol.asyncIterator]() {} },
    },
    { kind: null, restart: false, workers: 0 },
  );
  await app.engine.maintain();
}
