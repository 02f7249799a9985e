// The entry of a worker thread with one export. Modules are found as in a command.

import '../../../own-modules.ts';

void takeOwnCalls();

async function takeOwnCalls(): Promise<void> {
  const { packError } = await import('../../shared/worker-calls.ts');
  const { takeExportCalls } = await import('../../shared/export-worker.ts');
  const { openExport } = await import('./export-work.ts');
  takeExportCalls(openExport, packError);
}
