import assert from 'node:assert/strict';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { commandLine, programName, withTypedCommands, withTypedExamples } from './command-line.ts';

const isWindows = process.platform === 'win32';

test('a hint names the program as it was typed', { skip: isWindows && 'paths of another shape' }, () => {
  const onPath = (process.env.PATH ?? '').split(delimiter)[0]!;
  const cases: readonly (readonly [script: string, folder: string, name: string])[] = [
    ['/opt/colloquy/bin/colloquy.mjs', '/opt/colloquy', 'node bin/colloquy.mjs'],
    ['/opt/colloquy/bin/colloquy.mjs', '/opt/colloquy/bin', 'node colloquy.mjs'],
    ['/opt/colloquy/bin/colloquy.mjs', '/home/ann', 'node /opt/colloquy/bin/colloquy.mjs'],
    ["/opt/ann's own/bin/colloquy.mjs", '/opt', "node 'ann'\\''s own/bin/colloquy.mjs'"],
    ['/opt/colloquy/bin/colloquy', '/', '/opt/colloquy/bin/colloquy'],
    [join(onPath, 'colloquy'), '/', 'colloquy'],
    ['/opt/not-on-path/.bin/colloquy', '/opt', './not-on-path/.bin/colloquy'],
    ['/opt/not-on-path/.bin/colloquy', '/srv', '/opt/not-on-path/.bin/colloquy'],
  ];
  for (const [script, folder, name] of cases) assert.equal(programName(script, folder, false), name, script);
  assert.equal(programName(join(onPath, 'colloquy'), '/', true), 'npx colloquy');
});

test('a hint can be pasted: its words are quoted, and --data stays', {
  skip: isWindows && 'another shell',
}, () => {
  const program = programName();
  assert.equal(commandLine(['check']), `${program} check`);
  assert.equal(commandLine(['search', 'posts', ''], '/srv/x'), `${program} search posts '' --data /srv/x`);
  assert.equal(commandLine(['check'], 'my data'), `${program} check --data 'my data'`);
  assert.equal(commandLine(['search', 'posts', "it's"]), `${program} search posts 'it'\\''s'`);
});

test('commands that messages and help name are lines to paste', () => {
  const program = programName();
  const message = 'expected a page, found another; run `colloquy check`, or restore a `backup`';
  assert.equal(withTypedCommands(message), message.replace('colloquy', program));
  const typed = message.replace('colloquy check', `${program} check --data x`);
  assert.equal(withTypedCommands(message, 'x'), typed);
  const help =
    'Examples:\n  colloquy stats\n  curl x | colloquy import -\n  COLLOQUY_KEY=$(colloquy keys create)\n';
  assert.equal(withTypedExamples(help), help.replaceAll('colloquy', program));
  const plain = '  --data <folder>  of colloquy itself';
  assert.equal(withTypedExamples(plain), plain);
});
