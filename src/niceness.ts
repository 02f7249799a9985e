// Which threads stand back behind which where there are more than processors.

import { getPriority, setPriority } from 'node:os';

/**
 * Makes this thread stand back, by 0 to 19 as in nice(1); where the process stands back further, so does the thread,
 * which without rights may not come forward.
 * Only Linux knows the priority of a thread: elsewhere it would be that of the whole process.
 */
export function standBack(niceness: number): void {
  if (process.platform === 'linux') setPriority(Math.max(niceness, getPriority()));
}
