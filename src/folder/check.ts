// Checks a data folder as a whole: the index through its engine, and the databases beside it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Accounts } from '../accounts/accounts.ts';
import { Catalogue } from '../catalogue/catalogue.ts';
import { UsageError, wordsOf } from '../errors.ts';
import type { CheckOptions, CheckReport, EngineModule } from '../model/engine-module.ts';
import { lostAccounts, lostCatalogue } from './data-folder.ts';

/** Throws a UsageError if the engine cannot check its index. */
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

/** What is wrong with a database beside the index; a missing one is not made. */
async function databaseProblems(
  folder: string,
  name: string,
  open: (folder: string) => AsyncDisposable & { problems(): string[] },
): Promise<string[]> {
  if (!existsSync(join(folder, name))) return [];
  try {
    await using database = open(folder);
    return database.problems().map((line) => `${name}: ${line}`);
  } catch (error) {
    return [`${name}: ${wordsOf(error)}`];
  }
}
