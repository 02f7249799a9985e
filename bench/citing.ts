// What fingerprints by month cost beside a plain timeline, in processor time of one run, on an index of comments.
//
//   npm run bench -- citing [comments, default 1000000]

import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { TimelineRequest } from '../src/model/engine.ts';
import { interpretWithoutWindow } from '../src/search/language/interpret.ts';
import { comment, START_OF_2008, temporaryFolder } from '../test/helpers.ts';

const COMMENTS = Number(process.argv[2] ?? 1_000_000);
const BATCH = 50_000;
const ROUNDS = 5;
/** Over four years. */
const SECONDS_EACH = (4 * 365 * 86_400) / COMMENTS;

using folder = temporaryFolder();
await using engine = await openEmbeddedEngine(folder.path, { rules: { keepOriginals: false }, workers: 0 });
for (let from = 0; from < COMMENTS; from += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, COMMENTS - from) }, (_, i) => {
    const number = from + i;
    return comment({
      id: number.toString(36),
      created: START_OF_2008 + Math.floor(number * SECONDS_EACH),
      community: `c${number % 997}`,
      score: number % 50,
      body: `all ${number % 100 === 0 ? 'rare' : 'common'} ${number % 3 === 0 ? 'third' : 'other'}`,
    });
  });
  await engine.index('comment', packRecords(batch));
}
await engine.refresh();
for (const text of ['', 'third', 'rare']) {
  const { query } = interpretWithoutWindow(text);
  const cost = async (timeline: TimelineRequest) => {
    const times: number[] = [];
    let total = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.cpuUsage();
      total = (await engine.ask({ kind: 'comment', query, timeline })).total;
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    return { ms: Math.min(...times), total };
  };
  const plain = await cost({ step: 'month' });
  const cited = await cost({ step: 'month', measure: 'fingerprint' });
  const each = ((cited.ms - plain.ms) * 1e6) / cited.total;
  console.log(
    `\`${text}\`: ${cited.total} matches: timeline ${plain.ms.toFixed(1)} ms, with fingerprints ` +
      `${cited.ms.toFixed(1)} ms: ${each.toFixed(0)} ns a match`,
  );
}
