// `colloquy backup`: a consistent copy of the data folder.

import { resolve } from 'node:path';
import { Command } from 'commander';
import { backupFolder } from '../../app.ts';
import type { BackupReport } from '../../folder/backup.ts';
import { counted } from '../../http/views/format.ts';
import { commandLine, onStopSignal } from '../command-line.ts';
import { printJson } from '../listing.ts';
import { configWith, dataOption } from '../options.ts';
import { ByteProgress, gigabytes } from '../progress.ts';

interface BackupFlags {
  readonly data?: string;
  readonly json?: boolean;
  readonly withDatasets?: boolean;
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('make a consistent copy of the data folder, even while a server or an import uses it')
    .argument('<folder>', 'the folder for the copy; it must be empty or not exist yet')
    .option('--with-datasets', 'the files of data sets too; otherwise a server on the copy makes them again')
    .option('--json', 'as JSON: folder, files, bytes, seconds; elsewhere, if the index is not in the folder')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
The copy is a data folder. Example:
  colloquy backup /backups/monday --data /srv/colloquy
  colloquy serve --data /backups/monday`,
    )
    .action(async (folder: string, flags: BackupFlags) => {
      const stop = new AbortController();
      using _signals = onStopSignal(() => stop.abort());
      using progress = new ByteProgress();
      try {
        const report = await backupFolder(configWith(flags), folder, {
          signal: stop.signal,
          withDatasets: flags.withDatasets === true,
          onProgress: ({ bytes, totalBytes }) => progress.show(bytes, totalBytes),
        });
        progress[Symbol.dispose]();
        if (flags.json) printJson(report);
        else process.stdout.write(`${report.folder}: ${contentOf(report)}\n`);
        if (report.elsewhere !== undefined) {
          process.stderr.write(`The index is not in it: it is ${report.elsewhere}\n`);
          return;
        }
        process.stderr.write(`Next: ${commandLine(['check'], resolve(folder))}\n`);
      } catch (error) {
        if (!stop.signal.aborted) throw error;
        process.stderr.write('stopped: no part of the backup was kept\n');
        process.exitCode = 1;
      }
    });
}

function contentOf({ bytes, files, elsewhere, datasets = 0 }: BackupReport): string {
  const more = datasets === 0 ? '' : ` and ${counted(datasets, 'data set')}`;
  if (elsewhere !== undefined) return `${gigabytes(bytes)}, the databases${more === '' ? ' alone' : more}`;
  return `${gigabytes(bytes)} in ${counted(files, 'file')} of the index, and the databases${more}`;
}
