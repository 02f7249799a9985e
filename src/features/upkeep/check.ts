// `colloquy check`: reads the whole index through its engine, and checks the databases beside it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { Accounts } from '../../accounts/accounts.ts';
import { Catalogue } from '../../catalogue/catalogue.ts';
import { printJson } from '../../cli/listing.ts';
import { type CommonFlags, configWith, dataOption } from '../../cli/options.ts';
import { engineOf } from '../../engines/engines.ts';
import { UsageError, wordsOf } from '../../errors.ts';
import { expectDataFolder, lostAccounts, lostCatalogue } from '../../folder/data-folder.ts';
import { counted } from '../../http/views/format.ts';
import type { CheckOptions, CheckReport, EngineModule } from '../../model/engine-module.ts';
import { integrityProblems, type TableHome } from '../../sqlite/database.ts';

export function checkCommand(): Command {
  return new Command('check')
    .description('read and verify everything: checksums, counts, order, posting lists against records')
    .option('--json', 'as JSON: segments, records, problems')
    .addOption(dataOption())
    .addHelpText(
      'after',
      '\nYou can run it while a server or an import is running. Example:\n  colloquy check --data /srv/colloquy',
    )
    .action(async (flags: CommonFlags) => {
      const config = configWith(flags);
      await expectDataFolder(config);
      const report = await checkFolder(await engineOf(config), config.dataFolder, {
        progress: (segment) => process.stderr.write(`reading ${segment}\n`),
      });
      if (flags.json) printJson(report);
      else {
        for (const problem of report.problems) process.stdout.write(`${problem}\n`);
        const verdict = report.problems.length === 0 ? 'no problems' : `${report.problems.length} problems`;
        const found = `${counted(report.records, 'record')} in ${counted(report.segments, 'segment')}`;
        process.stdout.write(`${found}: ${verdict}\n`);
      }
      if (report.problems.length === 0) return;
      process.stderr.write('Next: import the dumps again into a new folder (--data), or restore a backup\n');
      process.exitCode = 1;
    });
}

export async function checkFolder(
  engine: EngineModule,
  folder: string,
  options: CheckOptions = {},
): Promise<CheckReport> {
  if (engine.check === undefined) {
    throw new UsageError(
      `expected an engine that can read its index back, found \`${engine.name}\`, which cannot`,
    );
  }
  const report = await engine.check(folder, options);
  const lost = { 'catalogue.db': lostCatalogue(folder, engine), 'accounts.db': lostAccounts(folder, engine) };
  const problems = [
    ...Object.entries(lost).flatMap(([name, words]) => (words === null ? [] : [`${name}: ${words}`])),
    ...(await databaseProblems(folder, 'catalogue.db', Catalogue.openToRead)),
    ...(await databaseProblems(folder, 'accounts.db', Accounts.openToRead)),
  ];
  return { ...report, problems: [...report.problems, ...problems] };
}

/** The problems of a database beside the index. Does not create a missing one. */
async function databaseProblems(
  folder: string,
  name: string,
  open: (folder: string) => AsyncDisposable & TableHome,
): Promise<string[]> {
  if (!existsSync(join(folder, name))) return [];
  try {
    await using home = open(folder);
    return integrityProblems(home.database).map((line) => `${name}: ${line}`);
  } catch (error) {
    return [`${name}: ${wordsOf(error)}`];
  }
}
