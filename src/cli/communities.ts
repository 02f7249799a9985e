// `colloquy communities`: what the operator says about communities.

import { Command, Option } from 'commander';
import { Catalogue } from '../catalogue/catalogue.ts';
import { expectPlaceForData } from '../folder/data-folder.ts';
import type { CommunityKnowledge } from '../model/community.ts';
import { communitiesImportCommand } from './communities-import.ts';
import { communityName } from './community-name.ts';
import { printJson } from './listing.ts';
import { configWith, dataOption } from './options.ts';

interface SetOptions {
  readonly data?: string;
  readonly json?: boolean;
  readonly nsfw: keyof typeof WORDS;
}

/** What `--nsfw` takes, and what each means. */
const WORDS = { yes: true, no: false, unknown: null } as const;

const NOTHING_SAID: CommunityKnowledge = { operator: null, record: null, dump: null, id: '' };

export function communitiesCommand(): Command {
  return new Command('communities')
    .description('set or import what is known about communities')
    .addHelpText('after', '\nExample:\n  colloquy communities set energy --nsfw no')
    .addCommand(setCommand())
    .addCommand(communitiesImportCommand());
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
