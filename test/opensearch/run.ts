// `npm run test:opensearch`: fetches OpenSearch where it was not fetched yet, boots one node, and runs the tests of
// this folder against it. Arguments go to the test runner; files among them are run instead of all.
// Exit code 77: there is nothing here to boot a node from, and no test was run.

import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { keepClasses, TestCluster } from './cluster.ts';
import { ADDRESS, fetchedHome, HOME } from './test-cluster.ts';

const { folder, home } = fetchedHome();
await keepClasses(home);
const address = process.env[ADDRESS];
await using cluster = address === undefined ? await TestCluster.start(home, { heap: '1g' }) : null;
const given = process.argv.slice(2);
const isNamed = given.some((argument) => existsSync(argument));
const files = isNamed ? [] : globSync('test/opensearch/*.test.ts').sort();
// One more than two processors: a test waits for nodes, or for processes that it kills.
const limits = ['--test-concurrency=3', '--test-timeout=600000'];
const { status } = spawnSync(
  process.execPath,
  [
    '--import=./test/compiled-code.ts',
    '--test',
    ...limits,
    '--test-reporter=./test/slowest.ts',
    ...given,
    ...files,
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, [HOME]: folder, [ADDRESS]: address ?? cluster!.addresses[0] },
  },
);
process.exitCode = status ?? 1;
