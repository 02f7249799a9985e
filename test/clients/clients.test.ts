// Clients that are made of the OpenAPI document of today, against a service of tomorrow: a new field or a new code of
// an error broke them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CODE_OF_TOMORROW } from '../api/tomorrow.ts';
import { temporaryFolder } from '../helpers.ts';
import { openServiceOfTomorrow } from './service-of-tomorrow.ts';
import { PYTHON, PYTHON_GENERATOR, TYPESCRIPT_GENERATOR } from './tools.ts';

const run = promisify(execFile);

/** What both programs print. */
const EXPECTED = `post 2 video1,cats1\npost 2 video1,cats1\n400 ${CODE_OF_TOMORROW}\n401 ${CODE_OF_TOMORROW}\n`;

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
