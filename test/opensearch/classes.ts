// The classes of a node, kept for those that start later: they need not find, read and verify them again, and are up
// with less than half of the processor's time (Java's class data sharing, JEP 350).

import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { TestCluster } from './cluster.ts';
import type { Home } from './home.ts';

/** Starts a node and ends it, where none has left its classes yet. A Java machine that cannot keep them keeps none. */
export async function keepClasses(home: Home): Promise<void> {
  if (existsSync(home.classes)) return;
  const name = 'classes.jsa';
  // Into the folder that a node starts in: it runs as a user who may not write elsewhere.
  await using cluster = await TestCluster.start(home, { machine: [`-XX:ArchiveClassesAtExit=${name}`] });
  const written = join(cluster.dataFolders[0]!, '..', name);
  await cluster.killNode(0, 'SIGTERM');
  if (!existsSync(written)) return;
  copyFileSync(written, `${home.classes}.new`);
  renameSync(`${home.classes}.new`, home.classes);
}
