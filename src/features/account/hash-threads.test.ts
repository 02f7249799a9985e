import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { argon2Sync } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../test/helpers.ts';
import { type Derivation, HashThreads } from './password.ts';

const DERIVATION: Derivation = {
  ...{ message: 'correct horse battery', nonce: new Uint8Array(16).fill(7) },
  ...{ memory: 64, passes: 1, parallelism: 1, tagLength: 32 },
};

describe('threads for hashes', () => {
  it('derive what Node derives, several at once and one after the other', async () => {
    const threads = new HashThreads();
    const expected = argon2Sync('argon2id', DERIVATION);
    for (let round = 0; round < 2; round++) {
      const tags = await Promise.all([threads.derive(DERIVATION), threads.derive(DERIVATION)]);
      assert.deepEqual(tags, [expected, expected]);
    }
  });

  it('a derivation that fails fails alone', async () => {
    const threads = new HashThreads();
    await assert.rejects(threads.derive({ ...DERIVATION, passes: 0 }), { code: 'ERR_OUT_OF_RANGE' });
    assert.equal((await threads.derive(DERIVATION)).length, 32);
  });

  it('are no reason for a process to go on living', () => {
    const file = new URL('./password.ts', import.meta.url).href;
    using folder = temporaryFolder();
    const program = join(folder.path, 'program.mjs');
    const text = `import { hashPassword } from '${file}'; process.stdout.write(await hashPassword('x'));`;
    writeFileSync(program, text);
    const printed = execFileSync(process.execPath, [program], { encoding: 'utf8', timeout: 60_000 });
    assert.match(printed, /^\$argon2id\$/);
  });

  it('came forward, or died of it, in a process that stands back further', {
    skip: process.platform !== 'linux' && 'only Linux knows the priority of a thread',
  }, () => {
    const file = new URL('./password.ts', import.meta.url).href;
    const text = `import { HashThreads } from '${file}';
      import { readdirSync } from 'node:fs';
      import { getPriority } from 'node:os';
      const derivation = { ...${JSON.stringify(DERIVATION)}, nonce: new Uint8Array(16) };
      const { length } = await new HashThreads().derive(derivation);
      const least = Math.min(...readdirSync('/proc/self/task').map((task) => getPriority(Number(task))));
      process.stdout.write(length + ' ' + least);`;
    using folder = temporaryFolder();
    const program = join(folder.path, 'program.mjs');
    writeFileSync(program, text);
    const printed = execFileSync('nice', ['-n', '19', process.execPath, program], { encoding: 'utf8' });
    assert.equal(printed, '32 19');
  });

  // Elsewhere the priority would be that of the whole process.
  it('stand back behind the threads that answer', { skip: process.platform !== 'linux' }, async () => {
    await new HashThreads().derive(DERIVATION);
    const niceness = readdirSync('/proc/self/task').map((task) => {
      const fields = readFileSync(`/proc/self/task/${task}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return Number(fields[16]);
    });
    const own = getPriority();
    assert.ok(niceness.includes(10) && niceness.includes(own), `niceness of the threads: ${niceness}`);
  });
});
