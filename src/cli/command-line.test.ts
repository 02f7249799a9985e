import assert from 'node:assert/strict';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { commandLine, programName } from './command-line.ts';

const isWindows = process.platform === 'win32';

test('a hint names the program as it was typed', { skip: isWindows && 'paths of another shape' }, () => {
  const onPath = (process.env.PATH ?? '').split(delimiter)[0]!;
  const cases: readonly (readonly [script: string, folder: string, name: string])[] = [
    ['/opt/colloquy/bin/colloquy.mjs', '/opt/colloquy', 'node bin/colloquy.mjs'],
    ['/opt/colloquy/bin/colloquy.mjs', '/opt/colloquy/bin', 'node colloquy.mjs'],
    ['/opt/colloquy/bin/colloquy.mjs', '/home/ann', 'node /opt/colloquy/bin/colloquy.mjs'],
    ["/opt/ann's own/bin/colloquy.mjs", '/', "node 'opt/ann'\\''s own/bin/colloquy.mjs'"],
    [join(onPath, 'colloquy'), '/', 'colloquy'],
    ['/opt/not-on-path/.bin/colloquy', '/opt', './not-on-path/.bin/colloquy'],
    ['/opt/not-on-path/.bin/colloquy', '/srv', '/opt/not-on-path/.bin/colloquy'],
  ];
  for (const [script, folder, name] of cases) assert.equal(programName(script, folder), name, script);
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
