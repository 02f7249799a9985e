// Clients that are made of the OpenAPI document of today, against a service of tomorrow: a new field or a new code of
// an error broke them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { COMMENTS, POSTS } from '../api/corpus.ts';
import { openService } from '../api/service.ts';
import { CODE_OF_TOMORROW, ofTomorrow } from '../api/tomorrow.ts';
import { temporaryFolder } from '../helpers.ts';

const run = promisify(execFile);

/** What both programs print. */
const EXPECTED = `post 2 video1,cats1\npost 2 video1,cats1\n400 ${CODE_OF_TOMORROW}\n401 ${CODE_OF_TOMORROW}\n`;

/** Where `.ci/run` installs the programs that make clients; elsewhere the tests skip. */
const FOLDER = process.env.COLLOQUY_CLIENT_TOOLS ?? '';
const TYPESCRIPT_GENERATOR = tool('node_modules/openapi-typescript/bin/cli.js');
const PYTHON_GENERATOR = tool('python/bin/openapi-python-client');
const PYTHON = tool('python/bin/python');

function tool(place: string) {
  const path = join(FOLDER, place);
  if (FOLDER === '') return { path, skip: 'COLLOQUY_CLIENT_TOOLS names no folder' };
  return { path, skip: existsSync(path) ? false : `no ${path}` };
}

/** The service as a later version may be: every object of every answer has a field more, and errors have a new code. */
async function openServiceOfTomorrow() {
  const service = await openService(POSTS, COMMENTS);
  const today = await service.build();
  const server = createServer(async (request, response) => {
    const { authorization = '' } = request.headers;
    const answer = await today.inject({ url: request.url ?? '/', headers: { authorization } });
    response.writeHead(answer.statusCode, { 'Content-Type': String(answer.headers['content-type']) });
    response.end(JSON.stringify(ofTomorrow(answer.json())));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: service.keys.good,
    /** The OpenAPI document of today. */
    document: (await today.inject('/api/v1/openapi.json')).body,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

describe('generated clients survive a new field and a new code', () => {
  it('TypeScript (openapi-typescript)', { skip: TYPESCRIPT_GENERATOR.skip }, async () => {
    await using service = await openServiceOfTomorrow();
    using folder = temporaryFolder();
    const place = (name: string) => join(folder.path, name);
    writeFileSync(place('openapi.json'), service.document);
    writeFileSync(place('package.json'), '{"type":"module"}');
    copyFileSync(here('typescript-client.ts.txt'), place('client.ts'));
    const generate = [TYPESCRIPT_GENERATOR.path, place('openapi.json'), '-o', place('openapi.ts')];
    await run(process.execPath, generate);
    const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
    const options = '--strict --noEmit --target esnext --module nodenext --lib esnext,dom'.split(' ');
    const files = ['--allowImportingTsExtensions', '--skipLibCheck', place('client.ts')];
    await run(process.execPath, [compiler, ...options, ...files], { cwd: folder.path });
    const { stdout } = await run(process.execPath, [place('client.ts'), service.address, service.key]);
    assert.equal(stdout, EXPECTED);
  });

  it('Python (openapi-python-client)', { skip: PYTHON_GENERATOR.skip }, async () => {
    await using service = await openServiceOfTomorrow();
    using folder = temporaryFolder();
    const place = (name: string) => join(folder.path, name);
    writeFileSync(place('openapi.json'), service.document);
    const paths = ['--path', place('openapi.json'), '--output-path', place('colloquy_client')];
    await run(PYTHON_GENERATOR.path, ['generate', ...paths, '--meta', 'none']);
    const env = { ...process.env, PYTHONPATH: folder.path };
    const words = [here('python-client.py'), service.address, service.key];
    const { stdout } = await run(PYTHON.path, words, { env });
    assert.equal(stdout, EXPECTED);
  });
});
