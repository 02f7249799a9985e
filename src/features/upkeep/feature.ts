// `colloquy stats`, with the commands to check and back up a data folder.

import { basename } from 'node:path';
import { Command } from 'commander';
import { type App, openApp } from '../../app.ts';
import { commandLine, withTypedCommands } from '../../cli/command-line.ts';
import type { Feature } from '../../cli/feature.ts';
import { printJson, table } from '../../cli/listing.ts';
import { type CommonFlags, configWith, dataOption } from '../../cli/options.ts';
import { EXTRA_PLACES } from '../../http/requests/admission.ts';
import type { ImportEntry } from '../../model/coverage.ts';
import type { KindStats, LackingFacts, MemoryUse, SearchEngine } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readableTime } from '../../model/time.ts';

export const feature: Feature = {
  name: 'upkeep',
  commands: {
    stats: async () => statsCommand(),
    check: async () => (await import('./backup.ts')).checkCommand(),
    backup: async (features) => await (await import('./backup.ts')).backupCommand(features),
  },
};

function statsCommand(): Command {
  return new Command('stats')
    .description('show what is in the index, and the last import')
    .option('--json', 'print JSON, with the number of records per month')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy stats --data /srv/colloquy')
    .action(async (options: CommonFlags) => {
      // Shows the memory that a server takes.
      const asServer = { toRead: true, spareThreads: EXTRA_PLACES };
      await using app = await openApp(configWith(options), asServer);
      const stats = await app.engine.stats();
      const kinds = {
        post: await holdingsOf(app.engine, 'post', stats.post),
        comment: await holdingsOf(app.engine, 'comment', stats.comment),
      };
      const lastImport = app.catalogue.listImports().at(-1) ?? null;
      if (options.json) {
        printJson({
          posts: kindAsJson(kinds.post),
          comments: kindAsJson(kinds.comment),
          last_import: lastImport === null ? null : asJson(lastImport),
          memory: app.engine.memoryUse?.() ?? null,
        });
      } else {
        tell(app, kinds, lastImport, options.data);
      }
      for (const found of Object.values(kinds)) {
        if (!(found instanceof IndexDamage)) continue;
        process.stderr.write(`colloquy: ${withTypedCommands(found.message, options.data)}\n`);
        process.exitCode = 1;
      }
    });
}

/** `months`: ascending. */
type Holdings = Exclude<Awaited<ReturnType<typeof holdingsOf>>, IndexDamage>;

async function holdingsOf(engine: SearchEngine, kind: Kind, stats: KindStats | IndexDamage) {
  if (stats instanceof IndexDamage) return stats;
  const question = { kind, query: { items: [] }, timeline: { step: 'month' } } as const;
  const { buckets } = (await engine.ask(question)).timeline!;
  const months = buckets
    .filter(({ count }) => count > 0)
    .map(({ start, count }) => ({ start, records: count }));
  return { stats, months };
}

function tell(
  app: App,
  kinds: Record<Kind, Holdings | IndexDamage>,
  lastImport: ImportEntry | null,
  data: string | undefined,
): void {
  const headings = ['', 'records', 'communities', 'first (UTC)', 'last (UTC)', 'months', 'segments', 'bytes'];
  const rows = KINDS.map((kind) => [`${kind}s`, ...cells(kinds[kind])]);
  process.stdout.write(table(headings, rows));
  const use = app.engine.memoryUse?.() ?? null;
  if (use !== null && use.wanted > 0) process.stdout.write(`${memoryLine(use)}\n`);
  for (const line of lackingLines(kinds)) process.stdout.write(`${line}\n`);
  if (lastImport !== null) {
    const { file, where, started, finished } = lastImport;
    const part = where === null ? '' : ` (in part: ${where})`;
    const end = finished === null ? 'interrupted' : `ended ${readableTime(finished)}`;
    process.stdout.write(`last import: ${file}${part}, started ${readableTime(started)}, ${end} UTC\n`);
    const { sha256, bytes } = lastImport;
    if (sha256 !== null) process.stdout.write(`  SHA-256 ${sha256}, ${bytes!.toLocaleString('en')} bytes\n`);
  }
  if (Object.values(kinds).every((found) => !(found instanceof IndexDamage) && found.stats.records === 0)) {
    const folder = app.config.dataFolder;
    process.stderr.write(
      `Nothing has been imported into ${folder} yet. Next: ${commandLine(['import', 'FILE'], data)}\n`,
    );
  }
}

function memoryLine({ wanted, budget, parts }: MemoryUse): string {
  const [all, most, threads, columns] = [wanted, budget, parts.threads, parts.columns].map(
    (bytes) => `${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MiB`,
  );
  const room = wanted <= budget ? 'within its limit' : `over its limit: columns get ${columns}`;
  return `memory: a server takes up to ${all}, ${threads} for threads, ${room} (COLLOQUY_MEMORY: ${most})`;
}

/** Which fields records lack, and how to fill them; may be empty. */
function lackingLines(kinds: Record<Kind, Holdings | IndexDamage>): string[] {
  const lackingOf = (kind: Kind): LackingFacts => {
    const found = kinds[kind];
    return found instanceof IndexDamage ? { parents: 0, arrivals: 0 } : found.stats.lacking;
  };
  const { parents } = lackingOf('comment');
  const arrivals = KINDS.map((kind) => lackingOf(kind).arrivals);
  const lines: string[] = [];
  if (parents > 0) {
    const many = `${parents.toLocaleString('en')} comments have no parent`;
    const what = `${parents === 1 ? '1 comment has no parent' : many} (parent_id)`;
    lines.push(`${what}: import their dump again to fill it in, if the dump has it`);
  }
  if (arrivals.some((count) => count > 0)) {
    const [posts, comments] = arrivals.map((count) => count.toLocaleString('en'));
    lines.push(`${posts} posts and ${comments} comments came in before arrival times were stored`);
  }
  return lines;
}

function kindAsJson(found: Holdings | IndexDamage) {
  if (found instanceof IndexDamage) return { damage: found.message };
  return { ...found.stats, months: found.months };
}

function asJson({ file, checksum: _, ...entry }: ImportEntry) {
  return { ...entry, name: entry.name ?? basename(file) };
}

function cells(found: Holdings | IndexDamage): string[] {
  if (found instanceof IndexDamage) return ['cannot be read', '', '', '', '', '', ''];
  const { records, communities, first, last, segments, bytes } = found.stats;
  const time = (seconds: number | null) => (seconds === null ? '' : readableTime(seconds));
  const count = (value: number) => value.toLocaleString('en');
  return [
    ...[count(records), count(communities), time(first), time(last)],
    ...[count(found.months.length), count(segments), count(bytes)],
  ];
}
