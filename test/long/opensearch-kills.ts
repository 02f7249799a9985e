// `npm run test:long -- opensearch-kills [N] [--seed S] [--minutes M]`: N kills (50) of nodes of OpenSearch, three of
// them, and of our own processes while they import, remove and walk; prints what they came to and what a caller saw,
// and ends with 1 where anything was lost, doubled, half seen or counted wrongly. Fetches OpenSearch where it was not
// fetched yet.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile, surroundings } from '../chaos/figures.ts';
import { TestCluster } from '../opensearch/cluster.ts';
import { fetchHome } from '../opensearch/home.ts';
import { runKills, type Target } from '../opensearch/kill-rounds.ts';
import { HOME } from '../opensearch/test-cluster.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, minutes: { type: 'string', default: '60' } },
});
const kills = Number(positionals[0] ?? 50);
const seed = Number(values.seed);
const home = fetchHome(process.env[HOME] ?? join(tmpdir(), 'colloquy-opensearch'));
if ('reason' in home) throw new Error(home.reason);
const started = performance.now();
await using cluster = await TestCluster.start(home, { nodes: 3 });
const report = await runKills({
  ...{ cluster, kills, random: randomFrom(seed), endBy: started + Number(values.minutes) * 60_000 },
  onProblem: ({ fault, words }) => process.stderr.write(`${fault}: ${words}\n`),
  onKill: ({ kills: done, problems }) => {
    const { target, silentMs, goesOnMs } = done.at(-1)!;
    const [silent, goesOn] = [silentMs, goesOnMs].map(Math.round);
    const words = `${done.length} ${target}: silent ${silent} ms, all go on ${goesOn} ms, ${problems.length} problems`;
    process.stderr.write(`${words}\n`);
  },
});

const { lost, doubled, half, wrong } = report.faults;
const rows = ([...Map.groupBy(report.kills, ({ target }) => target)] as const).map(
  ([target, of]: [Target, typeof report.kills]) => {
    const [silent, goesOn] = [of.map(({ silentMs }) => silentMs), of.map(({ goesOnMs }) => goesOnMs)];
    const ms = [
      percentile(silent, 0.5),
      percentile(silent, 1),
      percentile(goesOn, 0.5),
      percentile(goesOn, 1),
    ];
    return `${target.padEnd(10)}${[of.length, ...ms.map(Math.round)].map((n) => String(n).padStart(12)).join('')}`;
  },
);
const seen = [...report.seen].map(([status, times]) => `${status}: ${times}`).join(', ');
const refused = [...report.refused].map(([words, times]) => `  ${times} × ${words}`).join('\n');
process.stdout.write(`${surroundings()}
${report.kills.length} kills, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s
lost ${lost}, doubled ${doubled}, half seen ${half}, wrong ${wrong}
acknowledged: ${report.batches} batches, ${report.removals} removals; ${report.walks} whole walks and exports
questions of a caller: ${seen}
refused to the processes, which did it again:
${refused || '  nothing'}
killed           kills  silent p50     longest  goes on p50  slowest
${rows.join('\n')}
`);
for (const { fault, words } of report.problems.slice(0, 50)) process.stdout.write(`${fault}: ${words}\n`);
if (report.problems.length > 0) process.exitCode = 1;

/** mulberry32: the same numbers for the same seed. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
