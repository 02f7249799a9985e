// A cluster of a program that is run by hand: nodes of its own, from what is fetched where it was not fetched yet.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterOptions, TestCluster } from './cluster.ts';
import { fetchHome, type Home } from './home.ts';
import { HOME } from './test-cluster.ts';

/** As other programs say that a test was skipped. */
const NOTHING_TO_BOOT = 77;

/** The folder that nodes are started from, and what is in it. Ends the process with 77 where it cannot be had. */
export function fetchedHome(): { readonly folder: string; readonly home: Home } {
  const folder = process.env[HOME] ?? join(tmpdir(), 'colloquy-opensearch');
  const home = fetchHome(folder);
  if ('reason' in home) {
    console.error(`there is no OpenSearch to run against: ${home.reason}`);
    process.exit(NOTHING_TO_BOOT);
  }
  return { folder, home };
}

export function ownCluster(options: ClusterOptions): Promise<TestCluster> {
  return TestCluster.start(fetchedHome().home, options);
}
