// `colloquy check`: reads the whole index back.

import { Command } from 'commander';
import { checkDataFolder } from '../../app.ts';
import { counted } from '../../http/views/format.ts';
import { printJson } from '../listing.ts';
import { configWith, dataOption } from '../options.ts';

interface CheckOptions {
  readonly data?: string;
  readonly json?: boolean;
}

export function checkCommand(): Command {
  return new Command('check')
    .description('read and verify everything: checksums, counts, order, posting lists against records')
    .option('--json', 'as JSON: segments, records, problems')
    .addOption(dataOption())
    .addHelpText(
      'after',
      '\nYou can run it while a server or an import is running. Example:\n  colloquy check --data /srv/colloquy',
    )
    .action(async (options: CheckOptions) => {
      const config = configWith(options);
      const report = await checkDataFolder(config, {
        progress: (segment) => process.stderr.write(`reading ${segment}\n`),
      });
      if (options.json) printJson(report);
      else {
        for (const problem of report.problems) process.stdout.write(`${problem}\n`);
        process.stdout.write(
          `${counted(report.records, 'record')} in ${counted(report.segments, 'segment')}: ${verdict(report.problems)}\n`,
        );
      }
      if (report.problems.length === 0) return;
      process.stderr.write('Next: import the dumps again into a new folder (--data), or restore a backup\n');
      process.exitCode = 1;
    });
}

function verdict(problems: readonly string[]): string {
  return problems.length === 0 ? 'no problems' : `${problems.length} problems`;
}
