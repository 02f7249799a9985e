// `colloquy move`: copies every record from the configured engine to another.

import { Command, Option } from 'commander';
import { openApp } from '../../app.ts';
import { commandLine, onStopSignal } from '../../cli/command-line.ts';
import { type Feature, type FeatureEntry, loadFeatures, reachedByRemovals } from '../../cli/feature.ts';
import { printJson, table } from '../../cli/listing.ts';
import { type CommonFlags, configWith, dataOption } from '../../cli/options.ts';
import { ProgressBar } from '../../cli/progress.ts';
import { type Config, ENGINE_NAMES, SETTINGS } from '../../config.ts';
import { ENGINES } from '../../engines/engines.ts';
import { UsageError } from '../../errors.ts';
import { KINDS } from '../../model/record.ts';
import type { OnRemoval } from '../../operation/operation.ts';
import type { MoveOptions, MoveProgress, MoveReport } from './move.ts';

export const feature: Feature = {
  name: 'move',
  commands: { move: async (features) => moveCommand(features) },
};

const FORMAT = '{bar} {percentage}% | {done} of {all} records, {rate} a second | {left} left';

interface MoveFlags extends CommonFlags {
  readonly to: Config['engine'];
}

function moveCommand(features: readonly FeatureEntry[]): Command {
  return new Command('move')
    .description('copy every record from the configured engine to another, and compare the two')
    .addOption(new Option('--to <engine>', 'where they go').choices([...ENGINE_NAMES]).makeOptionMandatory())
    .option('--json', 'the report as one JSON value')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
The configured engine keeps its records. If the move is stopped, run the same command to continue. Example:
  colloquy move --to opensearch --data /srv/colloquy
  COLLOQUY_ENGINE=opensearch colloquy move --to embedded --data /srv/colloquy`,
    )
    .action(async (flags: MoveFlags) => {
      process.exitCode = await runMove(flags, await reachedByRemovals(await loadFeatures(features)));
    });
}

/** Returns the exit code: 0 complete; 1 stopped or incomplete. */
async function runMove(flags: MoveFlags, reached: readonly OnRemoval[]): Promise<number> {
  const again = commandLine(['move', '--to', flags.to], flags.data);
  using bar = new ProgressBar(FORMAT, 'by command');
  using stop = onStopSignal(() => bar.endWith('stopping'));
  try {
    const report = await moveIndex(configWith(flags), flags.to, reached, {
      signal: stop.signal,
      onProgress: (now) => show(bar, now),
    });
    bar[Symbol.dispose]();
    tell(report, flags, again);
    return report.isWhole ? 0 : 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write(`stopped; to continue: ${again}\n`);
    return 1;
  }
}

function show(bar: ProgressBar, { done, total }: MoveProgress): void {
  const words = {
    done: done.toLocaleString('en'),
    all: total.toLocaleString('en'),
    ...bar.pace(done, total),
  };
  const share = total === 0 ? 100 : Math.floor((done / total) * 100);
  const line = `${words.done} of ${words.all} records (${share}%), ${words.rate} a second, ${words.left} left`;
  bar.show(done, total, words, line);
}

/** Throws a UsageError if the target is the configured engine. */
async function moveIndex(
  config: Config,
  to: Config['engine'],
  reached: readonly OnRemoval[],
  options: MoveOptions,
): Promise<MoveReport> {
  if (to === config.engine) {
    throw new UsageError(
      `expected another engine than the configured one, found \`${to}\`: ` +
        'keep the old one in `COLLOQUY_ENGINE` until the move is complete',
    );
  }
  const other = await ENGINES[to](config);
  await using app = await openApp(config, { toChange: true });
  await app.remover(reached).finishPending();
  const { engine: source, catalogue } = app;
  const { removals } = catalogue;
  const identity = catalogue.identity();
  const rules = { keepOriginals: catalogue.keepsOriginals() };
  const own = { rules, workers: config.threads, memoryBytes: config.memory, removals, identity };
  await using target = await other.open(config.dataFolder, own);
  const { moveRecords } = await import('./move.ts');
  return await moveRecords({ source, target, folder: identity, removals }, options);
}

function tell(report: MoveReport, flags: MoveFlags, again: string): void {
  const { kinds, isWhole, hidden, checkpoints, seconds } = report;
  if (flags.json) {
    printJson({ posts: kinds.post, comments: kinds.comment, checkpoints, hidden, whole: isWhole, seconds });
  } else {
    const headings = ['kind', 'records', 'fingerprint', `records in ${flags.to}`, 'fingerprint there'];
    const rows = KINDS.map((kind) => {
      const { source, target } = kinds[kind];
      const cells = [source, target].flatMap(({ records, fingerprint }) => [
        records.toLocaleString('en'),
        fingerprint,
      ]);
      return [`${kind}s`, ...cells];
    });
    process.stdout.write(table(headings, rows));
  }
  if (isWhole) {
    const setting = `${SETTINGS.engine.name}=${flags.to}`;
    process.stderr.write(
      `Everything is there. Next: set ${setting} for the server and every other command, and start the server ` +
        'again; then delete the old index, because removals no longer reach it (docs/moving.md)\n',
    );
    return;
  }
  const why =
    hidden > 0
      ? 'records were removed meanwhile, and their text is still in the index; ' +
        `erase it (${commandLine(['remove', '--purge'], flags.data)}), then repeat: `
      : 'the two differ, because records came in meanwhile; once no import is running, repeat: ';
  process.stderr.write(`The move is incomplete: ${why}${again}\n`);
}
