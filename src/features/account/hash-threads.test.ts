import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { argon2Sync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../test/helpers.ts';
import { nicenessOfThreads } from '../../../test/watched-workers.ts';
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

  /** What a process prints that runs this text as a module. */
  function printedBy(text: string, under: readonly string[] = []): string {
    using folder = temporaryFolder();
    const file = join(folder.path, 'program.mjs');
    writeFileSync(file, text);
    const [program, ...words] = [...under, process.execPath, file];
    return execFileSync(program!, words, { encoding: 'utf8', timeout: 60_000 });
  }
  const MODULE = new URL('./password.ts', import.meta.url).href;

  it('are no reason for a process to go on living', () => {
    const text = `import { hashPassword } from '${MODULE}'; process.stdout.write(await hashPassword('x'));`;
    assert.match(printedBy(text), /^\$argon2id\$/);
  });

  it('came forward, or died of it, in a process that stands back further', {
    skip: process.platform !== 'linux' && 'only Linux knows the priority of a thread',
  }, () => {
    const text = `import { HashThreads } from '${MODULE}';
      import { readdirSync } from 'node:fs';
      import { getPriority } from 'node:os';
      const derivation = { ...${JSON.stringify(DERIVATION)}, nonce: new Uint8Array(16) };
      const { length } = await new HashThreads().derive(derivation);
      const least = Math.min(...readdirSync('/proc/self/task').map((task) => getPriority(Number(task))));
      process.stdout.write(length + ' ' + least);`;
    assert.equal(printedBy(text, ['nice', '-n', '19']), '32 19');
  });

  // Elsewhere the priority would be that of the whole process.
  it('stand back behind the threads that answer', { skip: process.platform !== 'linux' }, async () => {
    await new HashThreads().derive(DERIVATION);
    const niceness = nicenessOfThreads();
    const own = getPriority();
    assert.ok(niceness.includes(10) && niceness.includes(own), `niceness of the threads: ${niceness}`);
  });
});
