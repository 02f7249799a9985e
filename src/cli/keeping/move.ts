// `colloquy move`: every record from the engine that is set to another.

import { Command, Option } from 'commander';
import { moveIndex } from '../../app.ts';
import { type Config, ENGINE_NAMES, SETTINGS } from '../../config.ts';
import { KINDS } from '../../model/record.ts';
import type { KindReport, MoveReport } from '../../moving/move.ts';
import { commandLine, onStopSignal } from '../command-line.ts';
import { printJson, table } from '../listing.ts';
import { configWith, dataOption } from '../options.ts';
import { MoveProgressLine } from '../progress.ts';

interface MoveFlags {
  readonly to: Config['engine'];
  readonly data?: string;
  readonly json?: boolean;
}

export function moveCommand(): Command {
  return new Command('move')
    .description('copy every record from the engine that is set to another, and compare the two')
    .addOption(new Option('--to <engine>', 'where they go').choices([...ENGINE_NAMES]).makeOptionMandatory())
    .option('--json', 'the report as one JSON value')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
The engine that is set keeps its records. If it is stopped, run the same command to continue. Example:
  colloquy move --to opensearch --data /srv/colloquy
  COLLOQUY_ENGINE=opensearch colloquy move --to embedded --data /srv/colloquy`,
    )
    .action(async (flags: MoveFlags) => {
      process.exitCode = await runMove(flags);
    });
}

/** Returns the exit code: 0 everything is there; 1 stopped, or not everything is there. */
async function runMove(flags: MoveFlags): Promise<number> {
  const again = commandLine(['move', '--to', flags.to], flags.data);
  const stop = new AbortController();
  using progress = new MoveProgressLine();
  using _signals = onStopSignal(() => {
    progress.endWith('stopping');
    stop.abort();
  });
  try {
    const report = await moveIndex(configWith(flags), flags.to, {
      signal: stop.signal,
      onProgress: (now) => progress.show(now),
    });
    progress[Symbol.dispose]();
    tell(report, flags, again);
    return report.isWhole ? 0 : 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write(`stopped; to go on: ${again}\n`);
    return 1;
  }
}

function tell(report: MoveReport, flags: MoveFlags, again: string): void {
  const { kinds, isWhole, hidden } = report;
  if (flags.json) printJson(asJson(report));
  else {
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
        'again; then delete the old index, which no removal reaches any more (docs/moving.md)\n',
    );
    return;
  }
  const why =
    hidden > 0
      ? 'records were removed meanwhile, and their text is still in the index; ' +
        `erase it (${commandLine(['remove', '--purge'], flags.data)}), then repeat: `
      : 'the two are not equal, since records came in meanwhile; when nothing is being imported, repeat: ';
  process.stderr.write(`Not everything is there: ${why}${again}\n`);
}

function asJson({ kinds, checkpoints, hidden, isWhole, seconds }: MoveReport) {
  const ofKind = ({ copied, source, target }: KindReport) => ({ copied, source, target });
  return {
    posts: ofKind(kinds.post),
    comments: ofKind(kinds.comment),
    ...{ checkpoints, hidden, whole: isWhole, seconds },
  };
}
