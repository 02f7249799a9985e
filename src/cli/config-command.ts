// `colloquy config`: settings that are stored in a data folder and move with it.

import { Argument, Command } from 'commander';
import { Catalogue } from '../catalogue/catalogue.ts';
import { expectPlaceForData } from '../folder/data-folder.ts';
import { configWith, dataOption } from './options.ts';

interface SetOptions {
  readonly data?: string;
}

export function configCommand(): Command {
  return new Command('config')
    .description('change a setting of the data folder')
    .addHelpText('after', '\nExample:\n  colloquy config set keep-originals yes')
    .addCommand(setCommand());
}

function setCommand(): Command {
  return new Command('set')
    .description(
      'keep-originals: whether to keep a copy with its text when a later copy was deleted or removed on the site',
    )
    .addArgument(new Argument('<name>', 'the setting').choices(['keep-originals']))
    .addArgument(new Argument('<value>', 'its value').choices(['yes', 'no']))
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
Holds for imports from now on; what is in the index stays as it is.
  colloquy config set keep-originals yes`,
    )
    .action(async (name: string, value: string, options: SetOptions) => {
      const config = configWith(options);
      await expectPlaceForData(config);
      await using catalogue = Catalogue.open(config.dataFolder);
      catalogue.setKeepsOriginals(value === 'yes');
      process.stderr.write(`${name} is now ${value}, for all imports from now on\n`);
    });
}
