// `colloquy communities`: the operator's word on communities.

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
    .description('what is known of communities')
    .addHelpText('after', '\nExample:\n  colloquy communities set energy --nsfw no')
    .addCommand(setCommand())
    .addCommand(communitiesImportCommand());
}

function setCommand(): Command {
  return new Command('set')
    .description('say whether a community is nsfw: this goes over what imports and posts say')
    .argument('<name>', 'name of the community, also as /r/name')
    .addOption(
      new Option('--nsfw <word>', 'unknown takes an earlier word back')
        .choices(Object.keys(WORDS))
        .makeOptionMandatory(),
    )
    .option('--json', 'what was said of the community as JSON: name, operator, record, dump, id')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy communities set /r/energy --nsfw no')
    .action(async (text: string, options: SetOptions) => {
      const name = communityName(text);
      const config = configWith(options);
      await expectPlaceForData(config);
      await using catalogue = Catalogue.open(config.dataFolder);
      catalogue.setNsfw(name, WORDS[options.nsfw]);
      if (options.json) printJson({ name, ...(catalogue.knowledgeOf([name]).get(name) ?? NOTHING_SAID) });
      process.stderr.write(`${sentence(name, options.nsfw)}; answers show it at once\n`);
    });
}

function sentence(name: string, word: SetOptions['nsfw']): string {
  if (word === 'unknown') return `/r/${name} is nsfw or not as imports and posts say`;
  return `/r/${name} is ${word === 'yes' ? 'nsfw' : 'not nsfw'}`;
}
