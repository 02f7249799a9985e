// `npm run test:long -- schemathesis [--seconds 300] [--seed 1] [--program schemathesis]`: an outside witness for the
// API. Schemathesis (pip install schemathesis) makes requests of the OpenAPI document, right and wrong ones, asks a
// server over the sample and holds every answer against the document: no 5xx, status, type, headers and body as said,
// wrong requests refused, other methods 405 with `Allow`, no route that forgets the key. Left out is its rule that
// whatever fits the schema is accepted: no schema says what the query language takes. Ends with its code, 0: no
// failure.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../helpers.ts';
import { colloquy, start, until } from '../processes.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    program: { type: 'string', default: 'schemathesis' },
  },
});

using folder = temporaryFolder();
const data = join(folder.path, 'data');
await done('import', 'sample/posts.ndjson', 'sample/comments.ndjson', '--data', data);
const key = (await done('keys', 'create', '--account', 'ann@example.org', '--data', data)).trim();
const server = start(['serve', '--port', '0', '--data', data], { COLLOQUY_REQUESTS_PER_MINUTE: '0' });
try {
  const address = await until(async () => /ready: (http:\S+)/.exec(server.output.stdout)?.[1] ?? null);
  const words = [
    ...['run', `${address}/api/v1/openapi.json`, '--header', `Authorization: Bearer ${key}`],
    ...['--checks', 'all', '--exclude-checks', 'positive_data_acceptance', '--continue-on-failure'],
    ...['--max-time', values.seconds, '--seed', values.seed],
  ];
  const asking = spawn(values.program, words, { cwd: folder.path, stdio: 'inherit' });
  asking.on('error', (error) => {
    process.stderr.write(
      `${error.message}; \`pip install schemathesis\` brings it, \`--program\` names it\n`,
    );
    process.exitCode = 2;
  });
  const [code] = (await once(asking, 'close')) as [number];
  process.exitCode ??= code;
} finally {
  server.process.kill('SIGTERM');
  await server.ended;
}

async function done(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await colloquy(words);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}
