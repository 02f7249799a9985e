// Containerfile: what it takes is there and all that a release needs, what it runs is the package, by nobody in
// particular. No image is made here; `npm run test:long -- package` runs the package as the image does.

import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { WHOLE } from '../../release/staging.ts';
import { readConfig } from '../../src/config.ts';
import { project, read } from '../project.ts';

const manifest = JSON.parse(read('package.json'));

const WORDS =
  /^(?:FROM|WORKDIR|COPY|RUN|USER|ENV|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD) [^\s].*$/;

interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly lines: readonly string[];
}

const lines = read('Containerfile')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const stages: readonly Stage[] = lines
  .join('\n')
  .split(/^(?=FROM )/m)
  .map((text) => {
    const [head = '', ...rest] = text.trim().split('\n');
    const [, image = '', name] = /^FROM (\S+)(?: AS (\S+))?$/.exec(head) ?? [];
    return { image, name, lines: rest };
  });
const [making, running] = stages as [Stage, Stage];

const of = (stage: Stage, word: string) =>
  stage.lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));

describe('Containerfile', () => {
  it('has words that there are, in two stages by the Node that Colloquy needs', () => {
    for (const line of lines) assert.match(line, WORDS);
    const [, major] = /const NEEDED_MAJOR = (\d+)/.exec(read('bin/colloquy.mjs'))!;
    const named = stages.map(({ image, name }) => `${image} ${name}`);
    assert.deepEqual(named, [`node:${major}-slim package`, `node:${major}-slim undefined`]);
  });

  it('is given all that a release takes, and nothing else', () => {
    const given = Array.from(read('.dockerignore').matchAll(/^!(.*)$/gm), ([, name]) => name!);
    const taken = [...WHOLE, 'bin', 'src', 'release', 'package.json', 'package-lock.json'];
    assert.deepEqual(given.sort(), taken.sort());
    for (const name of given) assert.ok(existsSync(join(project, name)), name);
    // Packages are not installed there.
    for (const name of globSync('release/*.ts', { cwd: project }))
      assert.doesNotMatch(read(name), /from '(?!node:|\.)/);
  });

  it('makes the package by commands that there are, without scripts of others', () => {
    assert.deepEqual(of(making, 'COPY'), ['package.json package-lock.json ./', '. .']);
    const commands = of(making, 'RUN');
    const own = commands.map((command) => /^npm run (\S+)/.exec(command)?.[1]).filter(Boolean);
    assert.deepEqual(own, ['release']);
    assert.ok('release' in manifest.scripts);
    for (const command of commands.filter((text) => /^npm (?:ci|install)/.test(text))) {
      assert.match(command, / --ignore-scripts /);
    }
    assert.match(commands.at(-1)!, /^npm install .*--offline .*\/package\/colloquy-\*\.tgz$/);
  });

  it('runs the package and nothing else of what made it, as nobody in particular', () => {
    assert.deepEqual(of(running, 'COPY'), ['--from=package /app /app']);
    assert.deepEqual(of(running, 'ENTRYPOINT'), [JSON.stringify(Object.keys(manifest.bin))]);
    assert.deepEqual(of(running, 'CMD'), ['["serve"]']);
    assert.deepEqual(of(running, 'WORKDIR'), ['/app/node_modules/colloquy']);
    assert.deepEqual(of(running, 'USER'), ['node']);
    const places = running.lines.map((line) => line.split(' ')[0]);
    assert.ok(places.indexOf('USER') > places.lastIndexOf('RUN'));
    assert.match(of(running, 'ENV')[0]!, /^PATH=\/app\/node_modules\/\.bin:/);
  });

  it('keeps its data where it says, and asks itself whether it is ready', () => {
    const pairs = of(running, 'ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
    const config = readConfig(Object.fromEntries(pairs));
    assert.equal(config.dataFolder, of(running, 'VOLUME')[0]);
    assert.equal(`${config.port}`, of(running, 'EXPOSE')[0]);
    assert.match(of(running, 'HEALTHCHECK')[0]!, new RegExp(`http://127\\.0\\.0\\.1:${config.port}/readyz`));
    assert.match(of(running, 'RUN').join(), /mkdir \/data && chown node:node \/data/);
  });
});
