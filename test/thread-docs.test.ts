// docs/threads.md: its table is compared with the code, and its examples are run.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { THREAD_PARAMETERS } from '../src/http/thread-parameters.ts';
import { openService, type Service } from './api/service.ts';
import { comment, post, temporaryFolder } from './helpers.ts';

const run = promisify(execFile);

/** One that has the modules which the examples need can be named. */
const PYTHON = process.env.COLLOQUY_PYTHON ?? 'python3';

const PAGE = readFileSync(new URL('../docs/threads.md', import.meta.url), 'utf8');

const COMMENTS = [
  ['a', 'kofq2a'],
  ['b', 'a'],
  ['c', 'kofq2a'],
  ['d', 'b'],
  ['e', 'a'],
].map(([id, parent], i) => comment({ id: id!, post: 'kofq2a', parent: parent!, created: 1000 + i }));

function block(language: string): string {
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(PAGE)![1]!;
}

function lacking(program: string, ...words: readonly string[]): string | false {
  return spawnSync(program, words).status === 0
    ? false
    : `no ${[program, ...words].join(' ')} on this machine`;
}

describe('docs/threads.md', () => {
  let service: Service;
  let address: string;
  const folder = temporaryFolder();

  before(async () => {
    service = await openService([post({ id: 'kofq2a' })], COMMENTS);
    const server = await service.build();
    await server.listen({ port: 0, host: '127.0.0.1' });
    address = `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
    const headers = { authorization: `Bearer ${service.keys.good}` };
    const { body } = await server.inject({ url: '/api/v1/thread/kofq2a', headers });
    writeFileSync(join(folder.path, 'thread.json'), body);
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const output = async (program: string, ...words: string[]) => {
    const env = { ...process.env, KEY: service.keys.good };
    return (await run(program, words, { cwd: folder.path, env })).stdout;
  };
  const here = (text: string) => text.replaceAll('127.0.0.1:8080', address);

  it('has every parameter, as its table says it', () => {
    const rows = PAGE.slice(PAGE.indexOf('| thread parameter |'))
      .split('\n\n')[0]!
      .split('\n')
      .slice(2)
      .map((line) => line.slice(2, -2).split(' | '));
    const meant = Object.entries(THREAD_PARAMETERS).map(([name, { documented }]) => [
      ...[`\`${name}\``, documented.values, documented.default],
    ]);
    assert.deepEqual(rows, meant);
  });

  it('its example is as the answer is', () => {
    const told = JSON.parse(block('json'));
    const given = JSON.parse(readFileSync(join(folder.path, 'thread.json'), 'utf8'));
    assert.deepEqual(Object.keys(told), Object.keys(given));
    assert.deepEqual(Object.keys(told.comments[0]), Object.keys(given.comments[0]));
  });

  it('curl', { skip: lacking('curl', '--version') }, async () => {
    const whole = readFileSync(join(folder.path, 'thread.json'));
    await output('sh', '-c', here(block('sh')).replace('thread.json', 'again.json'));
    assert.deepEqual(readFileSync(join(folder.path, 'again.json')), whole);
  });

  it('Python', { skip: lacking(PYTHON, '--version') }, async () => {
    assert.equal(await output(PYTHON, '-c', here(block('python'))), 'a\n  b\n    d\n  e\nc\n');
  });

  it('JavaScript', async () => {
    const program = here(block('js'));
    const printed = await output(process.execPath, '--input-type=module', '-e', program);
    assert.equal(printed, 'a 0\nb 1\nc 0\nd 2\ne 1\n');
  });

  it('DuckDB', { skip: lacking(PYTHON, '-c', 'import duckdb') }, async () => {
    const program = 'import duckdb, sys; print(duckdb.sql(sys.argv[1]).fetchall())';
    const printed = await output(PYTHON, '-c', program, block('sql'));
    assert.equal(printed, "[('a', 0), ('b', 1), ('c', 0), ('d', 2), ('e', 1)]\n");
  });

  it('R', { skip: lacking('Rscript', '-e', 'library(jsonlite)') }, async () => {
    assert.match(await output('Rscript', '-e', block('r')), /1 +a +0\n2 +b +1\n3 +c +0\n4 +d +2\n5 +e +1\n/);
  });
});
