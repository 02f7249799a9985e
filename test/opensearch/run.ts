// `npm run test:opensearch`: fetches OpenSearch where it was not fetched yet, boots one node, and runs the tests of
// this folder against it. Files that are named are run instead of all. Exit code 77: there is nothing here to boot a
// node from, and no test was run.

import { globSync } from 'node:fs';
import { runFiles } from '../run-files.ts';
import { keepClasses, TestCluster } from './cluster.ts';
import { ADDRESS, fetchedHome, HOME } from './test-cluster.ts';

/** They begin first: one that keeps the node at work, then one that mostly waits for its time to be over. */
const LONGEST = [
  'conformance-walking',
  'faults',
  'removing',
  'conformance-large',
  'removing-kills',
  'agreement',
  'commits',
  'conformance-writing',
  'short-cluster',
  'conformance-asking',
  'move-kills',
  'lost-views',
  'serve',
  'answers',
];

const { folder, home } = fetchedHome();
await keepClasses(home);
const address = process.env[ADDRESS];
await using cluster = address === undefined ? await TestCluster.start(home, { heap: '1g' }) : null;
process.env[HOME] = folder;
process.env[ADDRESS] = address ?? cluster!.addresses[0]!;
const named = process.argv.slice(2);
const longest = LONGEST.map((name) => `test/opensearch/${name}.test.ts`);
const files =
  named.length > 0 ? named : new Set([...longest, ...globSync('test/opensearch/*.test.ts').sort()]);
// One more than two processors: a test waits for nodes, or for processes that it kills.
await runFiles([...files], { concurrency: 3, timeoutMs: 600_000 });
