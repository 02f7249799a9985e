// A ceiling of memory that the system holds for a process and its children: a control group of Linux, of either
// version.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryGroup extends Disposable {
  /** The program, with its words, that starts another one inside. */
  readonly under: readonly string[];
}

/**
 * Below the group of this process. `mount`: where control groups of the first version are mounted for memory, or those
 * of the second. null: this process may not make one.
 */
export function memoryGroup(mount: string, name: string, bytes: number): MemoryGroup | null {
  const isSecond = existsSync(join(mount, 'cgroup.controllers'));
  const path = join(mount, ownGroup(isSecond), name);
  const ceiling = isSecond ? 'memory.max' : 'memory.limit_in_bytes';
  try {
    mkdirSync(path);
    writeFileSync(join(path, ceiling), String(bytes));
  } catch {
    if (existsSync(path)) rmdirSync(path);
    return null;
  }
  return {
    under: ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(path, 'cgroup.procs')],
    [Symbol.dispose]: () => rmdirSync(path),
  };
}

/** As /proc/self/cgroup names it. */
function ownGroup(isSecond: boolean): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const line = lines.find((each) => (isSecond ? each.startsWith('0::') : /^\d+:memory:/.test(each)));
  return line?.split(':').slice(2).join(':') ?? '';
}
