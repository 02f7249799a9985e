// Features are taken out, some of them at a time, their folders and their lines in the list: types hold, and a server
// without them serves the sample: every endpoint and page of the others answers. With COLLOQUY_TEST_FEATURES=NAME,NAME
// only these are, each alone.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { keyWish } from './account-fixtures.ts';
import { listen as listenAt } from './api/export-client.ts';
import { allFeatures, serverOver } from './archive.ts';
import { temporaryFolder } from './helpers.ts';
import { ofTests } from './of-tests.ts';
import { project, read } from './project.ts';

const LIST = 'src/features.ts';
const NAMES = readdirSync(join(project, 'src/features'));
const WANTED = process.env.COLLOQUY_TEST_FEATURES?.split(',') ?? NAMES;
/** Features that are out together. Any of them is in once while any other one is out. */
const OUT = WANTED === NAMES ? groupsOf(NAMES) : WANTED.map((name) => [name]);
const run = promisify(execFile);

const data = ofTests(temporaryFolder());
const config = { ...readConfig({}), dataFolder: data.path };
const key = await keyOfSample();

/** Of an account in the folder, which serves the sample. */
async function keyOfSample(): Promise<string> {
  await using app = await openApp(config, { sample: true });
  return app.accounts.createKey(keyWish()).key;
}

/** The status of each endpoint, and of each page that the first one leads to. */
async function statuses(address: string): Promise<Record<string, number>> {
  const told: Record<string, number> = {};
  const ask = async (path: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(address + path, { headers, redirect: 'manual' });
    told[path] = response.status;
    return response;
  };
  const { paths } = (await (await ask('/api/v1/openapi.json')).json()) as {
    paths: Record<string, { get: { parameters?: { name: string; in: string; required?: boolean }[] } }>;
  };
  for (const [path, { get }] of Object.entries(paths)) {
    const given = (get.parameters ?? []).filter((one) => one.in === 'query' && one.required);
    const values = given.map(({ name }) => `${name}=${name === 'ids' ? 'a' : 'solar'}`).join('&');
    await (await ask(`${path.replace(/\{\w+\}/g, 'x')}?${values}`)).body?.cancel();
  }
  const home = await (await ask('/')).text();
  const linked = new Set([...home.matchAll(/<a [^>]*?href="(\/[^"?#]*)/g)].map(([, path]) => path!));
  for (const path of linked) await (await ask(path)).body?.cancel();
  return told;
}

/** The project without its tests, which is changed and mended in place. */
const checkout = ofTests(temporaryFolder());
const at = (path: string) => join(checkout.path, path);
symlinkSync(join(project, 'node_modules'), at('node_modules'));
for (const path of ['src', 'bin', 'docs', 'sample', 'package.json', 'tsconfig.json']) copy(path);
const settings = JSON.parse(readFileSync(at('tsconfig.json'), 'utf8'));
writeFileSync(at('tsconfig.json'), JSON.stringify({ ...settings, include: ['src'] }));
const PROGRAM = at('bin/colloquy.mjs');
/** Files that a change does not reach are not checked again. */
const TSC = ['--noEmit', '--incremental', '--tsBuildInfoFile', at('types.tsbuildinfo')];
cpSync(data.path, at('data'), { recursive: true });

const app = ofTests(await openApp(config, { sample: true }));
const features = await allFeatures();

/** Into the checkout, as it is in the project. */
function copy(path: string): void {
  cpSync(join(project, path), at(path), {
    recursive: true,
    filter: (source) => !source.endsWith('.test.ts'),
  });
}

/** Each is in three of six, and no two in the same three. */
function groupsOf(names: readonly string[]): string[][] {
  const codes = Array.from({ length: 64 }, (_, code) => code).filter(
    (code) => code.toString(2).replaceAll('0', '').length === 3,
  );
  assert.ok(names.length <= codes.length);
  return Array.from({ length: 6 }, (_, bit) => names.filter((_name, at) => (codes[at]! >> bit) & 1));
}

/** What is wrong with its types as it stands now; empty: nothing. */
async function faultsOfTypes(): Promise<string> {
  const tsc = run(at('node_modules/.bin/tsc'), TSC, { cwd: checkout.path });
  return (await tsc.catch((error: { stdout: string }) => error)).stdout;
}

/** Rewrites the list line by line. */
function changeList(change: (lines: readonly string[]) => readonly string[]) {
  writeFileSync(at(LIST), change(readFileSync(at(LIST), 'utf8').split('\n')).join('\n'));
}

describe('features', { timeout: 1_200_000 }, () => {
  it('each has one line in the list', () => {
    const list = read(LIST).split('\n');
    for (const name of NAMES)
      assert.equal(list.filter((line) => line.includes(`./features/${name}/`)).length, 1, name);
  });

  for (const out of OUT) {
    it(`without ${out.join(', ')} types hold, and whatever else there is answers`, async () => {
      for (const name of out) rmSync(at(`src/features/${name}`), { recursive: true });
      changeList((lines) =>
        lines.filter((line) => !out.some((name) => line.includes(`./features/${name}/`))),
      );
      const faults = await faultsOfTypes().finally(() => {
        for (const path of [LIST, ...out.map((name) => `src/features/${name}`)]) copy(path);
      });
      assert.equal(faults, '');
      const others = features.filter(({ name }) => !out.includes(name));
      assert.equal(others.length, features.length - out.length);
      await using server = await serverOver(app, { features: others });
      const told = await statuses(`http://127.0.0.1:${await listenAt(server)}`);
      const failed = Object.entries(told).filter(([, status]) => status >= 500);
      assert.deepEqual(failed, []);
      assert.ok(Object.keys(told).length > 5);
    });
  }

  it('the one of CONTRIBUTING.md is added as it stands there', async () => {
    const section = read('CONTRIBUTING.md').split('## Add a feature\n')[1]!;
    const blocks = [...section.split('\n## ')[0]!.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text!);
    for (const text of blocks.slice(0, -1)) {
      const path = at(/^\/\/ (\S+)/.exec(text)![1]!);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    changeList((lines) => lines.flatMap((line) => (line === '];' ? [blocks.at(-1)!, line] : [line])));
    assert.equal(await faultsOfTypes(), '');
    const serve = [PROGRAM, 'serve', '--port', '0', '--data', at('data')];
    const server = spawn(process.execPath, serve, { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [ready] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
      const told = await statuses(/http:\S+/.exec(`${ready}`)![0]);
      assert.equal(told['/api/v1/total/comments?query=solar'], 200);
    } finally {
      if (server.kill()) await once(server, 'exit');
    }
    const words = ['total', 'comments', 'solar', '--data', at('data')];
    const { stdout: printed } = await run(process.execPath, [PROGRAM, ...words]);
    assert.match(printed, /^[1-9]\d*\n$/);
  });
});
