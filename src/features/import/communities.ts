// `colloquy communities`: lets the operator mark communities.
//
// `colloquy communities import`: marks them from a dump of communities.

import { Command, Option } from 'commander';
import { Catalogue } from '../../catalogue/catalogue.ts';
import type { FeatureEntry } from '../../cli/feature.ts';
import { printJson } from '../../cli/listing.ts';
import { type CommonFlags, communityName, configWith, dataOption } from '../../cli/options.ts';
import { UsageError } from '../../errors.ts';
import { expectPlaceForData } from '../../folder/data-folder.ts';
import type { CommunityKnowledge } from '../../model/community.ts';
import { importInto, tell } from './command.ts';
import { importExitCode } from './sources.ts';

interface SetOptions extends CommonFlags {
  readonly nsfw: keyof typeof WORDS;
}

/** Values of `--nsfw`. */
const WORDS = { yes: true, no: false, unknown: null } as const;

const NOTHING_SAID: CommunityKnowledge = { operator: null, record: null, dump: null, id: '' };

export function communitiesCommand(features: readonly FeatureEntry[]): Command {
  return new Command('communities')
    .description('set or import what is known about communities')
    .addHelpText('after', '\nExample:\n  colloquy communities set energy --nsfw no')
    .addCommand(setCommand())
    .addCommand(communitiesImportCommand(features));
}

function setCommand(): Command {
  return new Command('set')
    .description('set whether a community is nsfw, whatever imports and posts say')
    .argument('<name>', 'name of the community, with or without /r/')
    .addOption(
      new Option('--nsfw <word>', 'unknown undoes an earlier choice')
        .choices(Object.keys(WORDS))
        .makeOptionMandatory(),
    )
    .option('--json', 'print what is known about the community as JSON: name, operator, record, dump, id')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy communities set /r/energy --nsfw no')
    .action(async (text: string, options: SetOptions) => {
      const name = communityName(text);
      const config = configWith(options);
      await expectPlaceForData(config);
      await using catalogue = Catalogue.open(config.dataFolder);
      catalogue.setNsfw(name, WORDS[options.nsfw]);
      if (options.json) printJson({ name, ...(catalogue.knowledgeOf([name]).get(name) ?? NOTHING_SAID) });
      process.stderr.write(`${sentence(name, options.nsfw)}; answers show this at once\n`);
    });
}

function sentence(name: string, word: SetOptions['nsfw']): string {
  if (word === 'unknown') return `whether /r/${name} is nsfw is now decided by imports and posts`;
  return `/r/${name} is ${word === 'yes' ? 'nsfw' : 'not nsfw'}`;
}

function communitiesImportCommand(features: readonly FeatureEntry[]): Command {
  return new Command('import')
    .description('import a dump of communities: which of them are nsfw, and their ids')
    .argument(
      '<file...>',
      'JSON lines with `display_name`, `over18`, `id`, plain or compressed; - for standard input',
    )
    .option('--json', 'print the report as one JSON value')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy communities import subreddits_2024-01.zst')
    .action(async (files: string[], flags: CommonFlags) => {
      const wanted = { ...flags, kind: 'community', restart: true, features } as const;
      const { report, isStopped } = await importInto(files, wanted);
      if (report.communities === 0 && report.read > 0)
        throw new UsageError(
          `expected a dump of communities (\`display_name\`, \`over18\`), found ${report.read.toLocaleString('en')} objects without \`display_name\``,
        );
      tell(report, flags, 'posts');
      process.exitCode = importExitCode(report, isStopped);
    });
}
