// The operator's tables, settings and commands, are compared with the code.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Command } from 'commander';
import { COMMANDS } from '../src/cli/run.ts';
import { SETTINGS } from '../src/config.ts';

function rows(name: string): string[][] {
  const page = readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

/** `keys create` → its options; a command with others below it is not called itself. */
function callable(command: Command, path = command.name()): [string, string[]][] {
  if (command.commands.length > 0) {
    return command.commands.flatMap((sub) => callable(sub, `${path} ${sub.name()}`));
  }
  return [[path, command.options.map((option) => option.long ?? '').sort()]];
}

describe('docs/settings.md', () => {
  it('has every setting', () => {
    const documented = rows('settings.md').map(([name]) => name!.replaceAll('`', ''));
    assert.deepEqual(
      documented.sort(),
      Object.values(SETTINGS)
        .map((setting) => setting.name)
        .sort(),
    );
  });
});

describe('docs/commands.md', () => {
  it('has every command with its options', async () => {
    const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
    const coded = commands.flatMap((command) => callable(command)).sort();
    const documented = rows('commands.md').map(([usage, options]) => [
      usage!
        .replace(/`([a-z]+(?: [a-z-]+)?(?=[ `])).*/, '$1')
        .replace(/^(serve|import|search|export|remove|stats|check|backup) .*/, '$1'),
      [...options!.matchAll(/`(--[a-z-]+)`/g)].map(([, name]) => name!).sort(),
    ]);
    assert.deepEqual(documented.sort(), coded);
  });

  for (const name of Object.keys(COMMANDS)) {
    it(`${name}: every help has an example`, async () => {
      const command = await COMMANDS[name]!();
      for (const leaf of command.commands.length > 0 ? command.commands : [command]) {
        let help = '';
        leaf.configureOutput({ writeOut: (text) => (help += text) });
        leaf.outputHelp();
        assert.match(help, /\n {2}(colloquy|curl) /, leaf.name());
      }
    });
  }
});
