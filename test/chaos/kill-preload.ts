// Loaded in every thread of a process that is to be killed (`node --import`): ends the process by SIGKILL at one call
// of the file system, before or after it, counted over all threads. So windows are hit that no clock would hit.

import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { watchCommits, watchFileCalls } from './file-calls.ts';

/** Which call, from 1; 0: none. Calls that only read are not counted. */
const wanted = Number(process.env.CHAOS_KILL_AT ?? 0);
const when = process.env.CHAOS_KILL_WHEN === 'after' ? 'after' : 'before';
const folders = process.env.CHAOS_FOLDERS?.split(':');
const CHANGES = /open|write|sync|rename|rm|unlink|mkdir|copy|cp|link|truncate|chmod/i;
const COUNTED_SQL = /^\s*(BEGIN|COMMIT|VACUUM|PRAGMA wal_checkpoint)/i;

if (wanted > 0 && folders !== undefined) {
  const calls = sharedCounter();
  const count = () => {
    if (Atomics.load(calls, 1) === 0) return;
    if (Atomics.add(calls, 0, 1) + 1 === wanted) process.kill(process.pid, 'SIGKILL');
  };
  watchFileCalls(folders, {
    [when]: ({ name }: { readonly name: string }) => {
      if (CHANGES.test(name.replace(/Sync$/, ''))) count();
    },
  });
  watchCommits({
    [when]: (sql: string) => {
      if (COUNTED_SQL.test(sql)) count();
    },
  });
}

/** For all threads of the process: how many calls were counted, and whether they are (kill-child.ts says when). */
function sharedCounter(): Int32Array {
  const known = getEnvironmentData('chaos calls') as SharedArrayBuffer | undefined;
  const shared = known ?? new SharedArrayBuffer(8);
  if (known === undefined) setEnvironmentData('chaos calls', shared);
  return new Int32Array(shared);
}
