// What 40,000 imports that are through cost the next commits: CPU of a commit of one record, in a folder of an older
// version that kept a row of each. The first commits sum up all rows, and take 10,000 out each; then there are none.
//   npm run test:long -- finished-sources [sources]

import { join } from 'node:path';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { digestOf, ManifestDb } from '../../src/engines/embedded/index/manifest-db.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { post, temporaryFolder } from '../helpers.ts';

const sources = Number(process.argv[2] ?? 40_000);
using folder = temporaryFolder();
await using engine = await openEmbeddedEngine(folder.path, { rules: { keepOriginals: false }, workers: 0 });
await engine.index('post', packRecords([post({ id: 'first' })]));
const db = new ManifestDb(join(folder.path, 'posts.db'));
db.exec(
  `INSERT INTO checkpoints WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sources})
   SELECT printf('%064d both', i), '{}' FROM n`,
);
db.run('UPDATE state SET digest = ?', digestOf(db));
const rows = () => Number(db.row('SELECT count(*) AS n FROM checkpoints')?.n);
for (let commit = 1; commit <= 10; commit++) {
  const before = rows();
  const start = process.cpuUsage();
  await engine.index('post', packRecords([post({ id: `next${commit}` })]));
  const { user, system } = process.cpuUsage(start);
  console.log(`commit ${commit}: ${before} rows, ${((user + system) / 1000).toFixed(1)} ms of CPU`);
}
db.close();
