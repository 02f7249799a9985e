// Ends the nodes of a test whose process is gone, however it went. A line of standard input is the number of a process
// that was started, with `-` in front of one that has ended; the end of the input is the end of the test. What nodes
// left in the folder that is given goes with them.

import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

// A terminal tells every process of its group: the test decides.
process.on('SIGINT', () => undefined);

const running = new Set<number>();
for await (const line of createInterface({ input: process.stdin })) {
  const number = Number(line);
  if (number > 0) running.add(number);
  else running.delete(-number);
}
for (const pid of running) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended of its own accord.
  }
}
rmSync(process.argv[2]!, { recursive: true, force: true, maxRetries: 20 });
