// Which cluster a test runs against: one that is running, one that it boots, or none.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type ClusterOptions, TestCluster } from './cluster.ts';
import { fetchHome, type Home, homeIn, type NoHome } from './home.ts';

/** Address of a node that is running, whose settings are as the documentation asks for. */
export const ADDRESS = 'COLLOQUY_TEST_OPENSEARCH';
/** Folder with what a node is started from (home.ts). */
export const HOME = 'COLLOQUY_TEST_OPENSEARCH_HOME';

const HOW = 'run `npm run test:opensearch`, which fetches one';

/** What a test starts nodes of its own from. */
export function testHome(): Home | NoHome {
  const folder = process.env[HOME];
  if (folder === undefined) return { reason: `no OpenSearch is named by \`${HOME}\`: ${HOW}` };
  return homeIn(folder);
}

/**
 * Defines the tests of a file against one cluster: the one that is running, or one of a single node that is booted for
 * them. Where there is none they are skipped, with the reason. `concurrency`: true where several of them wait for long.
 */
export async function onCluster(
  name: string,
  define: (nodes: readonly string[]) => void,
  { concurrency = false } = {},
): Promise<void> {
  const address = process.env[ADDRESS];
  if (address !== undefined) {
    describe(name, { concurrency }, () => define([address]));
    return;
  }
  const home = testHome();
  if ('reason' in home) {
    it(name, { skip: home.reason }, () => undefined);
    return;
  }
  const cluster = await TestCluster.start(home);
  after(() => cluster[Symbol.asyncDispose]());
  describe(name, { concurrency }, () => define(cluster.addresses));
}

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

/** A cluster of a program that is run by hand: nodes of its own. */
export function ownCluster(options: ClusterOptions): Promise<TestCluster> {
  return TestCluster.start(fetchedHome().home, options);
}
