// The process that is killed: works through its steps on a data folder as the commands do, and writes to a log beside
// the folder what it is about to do and what was acknowledged. The log is a plain file: it outlives a SIGKILL.

import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { importSources } from '../../src/ingest/importer.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { recordsOf } from '../../src/model/packed-records.ts';
import type { KillPlan, LogLine } from './kill-plan.ts';

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
await using app = await openApp(config);
tell({ opened: true });
process.stdout.write('working\n');
for (const [number, step] of plan.steps.entries()) {
  await importSources(
    [step.dump],
    {
      engine: logged(app.engine),
      catalogue: app.catalogue,
      permalinkBase: config.permalinkBase,
      rejectsFolder: join(plan.data, 'rejects'),
      input: { async *[Symbol.asyncIterator]() {} },
    },
    { kind: null, restart: false, workers: 0, batchRecords: plan.batchRecords },
  );
  tell({ done: plan.firstStep + number });
}
