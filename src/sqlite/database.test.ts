import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/helpers.ts';
import { StorageError, UsageError } from '../errors.ts';
import { copyDatabase, inTransaction, openDatabase } from './database.ts';

const FIRST = 'CREATE TABLE steps (n INTEGER) STRICT; INSERT INTO steps VALUES (1)';
const SECOND = 'INSERT INTO steps SELECT max(n) + 1 FROM steps';
const BROKEN = 'INSERT INTO steps VALUES (99); INSERT INTO nowhere VALUES (1)';

/** Opens, reads the steps taken, closes. */
function stepsAfter(file: string, migrations: readonly string[]): unknown[] {
  const database = openDatabase(file, migrations);
  try {
    return numbersIn(database);
  } finally {
    database.close();
  }
}

function numbersIn(database: DatabaseSync): unknown[] {
  const rows = database.prepare('SELECT n FROM steps ORDER BY n').all();
  return rows.map(({ n }) => n);
}

describe('database', () => {
  it('migrations run in order and once each, from whatever version the file is', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'deep', 'folder', 'test.db');
    assert.deepEqual(stepsAfter(file, [FIRST]), [1]);
    assert.deepEqual(stepsAfter(file, [FIRST]), [1]);
    assert.deepEqual(stepsAfter(file, [FIRST, SECOND, SECOND]), [1, 2, 3]);
    assert.deepEqual(stepsAfter(file, [FIRST, SECOND, SECOND]), [1, 2, 3]);
  });

  it('a migration that fails leaves the file as it was', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'test.db');
    assert.deepEqual(stepsAfter(file, [FIRST]), [1]);
    assert.throws(() => stepsAfter(file, [FIRST, SECOND, BROKEN]), /no such table: nowhere/);
    assert.deepEqual(stepsAfter(file, [FIRST]), [1]);
    assert.deepEqual(stepsAfter(file, [FIRST, SECOND]), [1, 2]);
  });

  it('processes that make it at the same moment all get it, migrated once', async () => {
    using folder = temporaryFolder();
    const rounds = 20;
    // All wait for the same instant of each round; without a second try some 5 in 100 find the file locked.
    const program = `
      import { openDatabase } from ${JSON.stringify(new URL('database.ts', import.meta.url).href)};
      const [folder, start, migration] = process.argv.slice(1);
      for (let round = 0; round < ${rounds}; round++) {
        while (Date.now() < Number(start) + round * 30);
        openDatabase(folder + '/' + round + '.db', [migration]).close();
      }`;
    const args = [folder.path, String(Date.now() + 800), FIRST];
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', program, ...args]);
        return text(child.stderr);
      }),
    );
    assert.deepEqual(outcomes, ['', '', '']);
    for (let round = 0; round < rounds; round++) {
      assert.deepEqual(stepsAfter(join(folder.path, `${round}.db`), [FIRST]), [1]);
    }
  });

  it('a copy is of one state, for its owner alone, whoever writes meanwhile', async () => {
    using folder = temporaryFolder();
    const [file, copy] = [join(folder.path, 'test.db'), join(folder.path, 'copy.db')];
    const database = openDatabase(file, [FIRST]);
    const other = openDatabase(file, [FIRST]);
    const copied = copyDatabase(database, copy);
    for (let i = 0; i < 50; i++) inTransaction(other, () => other.exec(`${SECOND}; ${SECOND}`));
    await copied;
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.equal(stepsAfter(copy, [FIRST]).length % 2, 1);
    database.close();
    other.close();
  });

  it('a damaged file is told by name, as is one of a newer version or of something else', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'test.db');
    stepsAfter(file, [FIRST, SECOND]);
    const whole = readFileSync(file);
    const damaged = Buffer.from(whole);
    // The header of the table that holds the schema, behind the 100 bytes of the file's own.
    damaged.fill(0xff, 100, 108);
    const text = Buffer.from('no database, but text\n'.repeat(50));
    const cases = [
      [damaged, [FIRST, SECOND], StorageError, /restore a backup$/],
      [whole, [FIRST], UsageError, /a newer version of Colloquy/],
      [text, [FIRST], UsageError, /./],
    ] as const;
    for (const [bytes, migrations, kind, message] of cases) {
      writeFileSync(file, bytes);
      const isMeant = (error: Error) =>
        error instanceof kind && message.test(error.message) && error.message.includes(file);
      assert.throws(() => stepsAfter(file, migrations), isMeant);
    }
  });

  it('a transaction that throws is rolled back, and the next one works', () => {
    using folder = temporaryFolder();
    const database = openDatabase(join(folder.path, 'test.db'), [FIRST]);
    const failing = () => {
      database.exec(SECOND);
      throw new Error('on purpose');
    };
    assert.throws(() => inTransaction(database, failing), /on purpose/);
    inTransaction(database, () => database.exec(SECOND));
    assert.deepEqual(numbersIn(database), [1, 2]);
    database.close();
  });
});
