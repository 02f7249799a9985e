// `npm run test:long -- opensearch-kills [N] [--seed S] [--minutes M] [--targets 'node,manager in a bulk']`: N kills
// (60) of nodes of OpenSearch, three of them, and of our own processes while they import, remove and walk; prints what
// they came to and what a caller saw, and ends with 1 where anything was lost, doubled, half seen or counted wrongly.
// Targets are killed in turn; without names all are. Fetches OpenSearch where it was not fetched yet.

import { parseArgs } from 'node:util';
import { randomNumbers } from '../../bench/corpus.ts';
import { percentile, surroundings } from '../chaos/figures.ts';
import { runKills, TARGETS } from '../opensearch/kill-rounds.ts';
import { ownCluster } from '../opensearch/test-cluster.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    targets: { type: 'string', default: TARGETS.join() },
  },
});
const kills = Number(positionals[0] ?? 60);
const names = values.targets.split(',');
const targets = TARGETS.filter((target) => names.includes(target));
const seed = Number(values.seed);
const started = performance.now();
await using cluster = await ownCluster({ nodes: 3 });
const report = await runKills({
  ...{
    cluster,
    kills,
    targets,
    random: randomNumbers(seed),
    endBy: started + Number(values.minutes) * 60_000,
  },
  onProblem: ({ fault, words }) => process.stderr.write(`${fault}: ${words}\n`),
  onKill: ({ kills: done, problems }) => {
    const { target, silentMs, goesOnMs } = done.at(-1)!;
    const [silent, goesOn] = [silentMs, goesOnMs].map(Math.round);
    const words = `${done.length} ${target}: silent ${silent} ms, all go on ${goesOn} ms, ${problems.length} problems`;
    process.stderr.write(`${words}\n`);
  },
});

const { lost, doubled, half, wrong } = report.faults;
const rows = ([...Map.groupBy(report.kills, ({ target }) => target)] as const).map(([target, of]) => {
  const [silent, goesOn] = [of.map(({ silentMs }) => silentMs), of.map(({ goesOnMs }) => goesOnMs)];
  const ms = [percentile(silent, 0.5), percentile(silent, 1), percentile(goesOn, 0.5), percentile(goesOn, 1)];
  return `${target.padEnd(18)}${[of.length, ...ms.map(Math.round)].map((n) => String(n).padStart(12)).join('')}`;
});
const seen = [...report.seen].map(([status, times]) => `${status}: ${times}`).join(', ');
const refused = [...report.refused].map(([words, times]) => `  ${times} × ${words}`).join('\n');
process.stdout.write(`${surroundings()}
${report.kills.length} kills, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s
lost ${lost}, doubled ${doubled}, half seen ${half}, wrong ${wrong}
acknowledged: ${report.batches} batches, ${report.removals} removals; ${report.walks} whole walks and exports
questions of a caller: ${seen}
refused to the processes, which did it again:
${refused || '  nothing'}
killed                   kills  silent p50     longest  goes on p50  slowest
${rows.join('\n')}
`);
for (const { fault, words } of report.problems.slice(0, 50)) process.stdout.write(`${fault}: ${words}\n`);
if (report.problems.length > 0) process.exitCode = 1;
