// `colloquy communities import`: what a dump of communities says about them.

import { Command } from 'commander';
import { UsageError } from '../errors.ts';
import type { ImportReport } from '../ingest/report.ts';
import { importExitCode, importInto, tell } from './import.ts';
import { dataOption } from './options.ts';

interface CommunitiesImportFlags {
  readonly data?: string;
  readonly json?: boolean;
}

export function communitiesImportCommand(): Command {
  return new Command('import')
    .description('import a dump of communities: which of them are nsfw, and their ids')
    .argument(
      '<file...>',
      'JSON lines with `display_name`, `over18`, `id`, plain or compressed; - for standard input',
    )
    .option('--json', 'print the report as one JSON value')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy communities import subreddits_2024-01.zst')
    .action(async (files: string[], flags: CommunitiesImportFlags) => {
      const { report, isStopped } = await importInto(files, { ...flags, kind: 'community', restart: true });
      if (report.communities === 0 && report.read > 0) throw new UsageError(noCommunities(report));
      tell(report, flags, 'posts');
      process.exitCode = importExitCode(report, isStopped);
    });
}

function noCommunities(report: ImportReport): string {
  const n = report.read.toLocaleString('en');
  return `expected a dump of communities (\`display_name\`, \`over18\`), found ${n} objects without \`display_name\``;
}
