import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, globSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packRecords } from '../../src/packing/packed-records.ts';
import { post, temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from './reference-engine.ts';

const open = (folder: string) => openReferenceEngine(folder, { rules: { keepOriginals: false } });
const batch = packRecords([post({ id: 'a', title: 'solar' })]);

describe('the journal of the reference engine', () => {
  it("has one writer, who is named to a second one; a dead one is in nobody's way", async () => {
    using folder = temporaryFolder();
    await using first = await open(folder.path);
    await first.index('post', batch);
    await using second = await open(folder.path);
    await assert.rejects(second.index('post', batch), {
      name: 'UsageError',
      message: new RegExp(`is being written by process ${process.pid}: wait until it has ended`),
    });
    await first[Symbol.asyncDispose]();
    const [lock] = globSync('*.lock', { cwd: folder.path });
    assert.equal(lock, undefined);
    const { pid } = spawnSync(process.execPath, ['--version']);
    for (const owner of [String(pid), '', 'nobody']) {
      const names = readdirSync(folder.path).filter((name) => name.includes('post'));
      writeFileSync(join(folder.path, `${names[0]}.lock`), owner);
      await using later = await open(folder.path);
      assert.equal((await later.index('post', batch)).unchanged, 1, owner);
    }
  });

  it('a line that is no whole commit is damage of its kind', async () => {
    for (const line of ['nothing\n', '{"crc":1,"commit":{}\n', '{"crc":1,"commit":{}}\n']) {
      using folder = temporaryFolder();
      {
        await using engine = await open(folder.path);
        await engine.index('post', batch);
      }
      const [name] = readdirSync(folder.path).filter((each) => each.includes('post'));
      appendFileSync(join(folder.path, name!), line);
      await using engine = await open(folder.path);
      await assert.rejects(engine.ask({ kind: 'post', query: { items: [] } }), /found it damaged/);
      assert.ok(existsSync(join(folder.path, name!)));
    }
  });
});
