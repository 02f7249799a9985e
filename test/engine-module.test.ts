// What the composition root may ask of any engine, and what an engine may leave out.

import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Accounts } from '../src/accounts/accounts.ts';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import { readConfig } from '../src/config.ts';
import { EMBEDDED } from '../src/engines/embedded/module.ts';
import { engineOf } from '../src/engines/engines.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { UsageError } from '../src/errors.ts';
import { checkFolder, writeBackup } from '../src/features/upkeep/backup.ts';
import { expectDataFolder, expectPlaceForData } from '../src/folder/data-folder.ts';
import type { EngineModule } from '../src/model/engine-module.ts';
import { comment, post, temporaryFolder } from './helpers.ts';

/** An engine that keeps its index elsewhere. */
const FAR: EngineModule = { name: 'far', files: [], open: EMBEDDED.open };

const rules = { keepOriginals: false };

describe('the module of an engine', () => {
  it('embedded is what COLLOQUY_ENGINE calls it, and its index is in files that it names', async () => {
    using folder = temporaryFolder();
    const config = { ...readConfig({ COLLOQUY_ENGINE: 'embedded' }), dataFolder: folder.path };
    const engine = await engineOf(config);
    assert.equal(engine.name, 'embedded');
    {
      await using index = await engine.open(folder.path, { rules, workers: 0 });
      assert.deepEqual(readdirSync(folder.path), [], 'nothing is made before the first record');
      await index.index('post', packRecords([post({ id: 'p' })]));
      await index.index('comment', packRecords([comment({ id: 'c' })]));
    }
    const names = readdirSync(folder.path);
    for (const file of engine.files) assert.ok(names.includes(file), file);
    await expectDataFolder(config);
    await expectPlaceForData(config);
  });

  it('opensearch is what COLLOQUY_ENGINE calls it; it has no file in a data folder, and opens nothing yet', async () => {
    using folder = temporaryFolder();
    const set = { COLLOQUY_ENGINE: 'opensearch', COLLOQUY_OPENSEARCH_NODES: 'http://127.0.0.1:9' };
    const config = { ...readConfig(set), dataFolder: folder.path };
    const { name, files } = await engineOf(config);
    assert.deepEqual([name, files], ['opensearch', []]);
    await expectPlaceForData(config);
    await assert.rejects(expectDataFolder(config), UsageError, 'not even a catalogue');
    assert.deepEqual(readdirSync(folder.path), []);
    await assert.rejects(engineOf({ ...config, openSearchNodes: [] }), UsageError);
  });

  it('without `check` or `snapshot` says so to who wants them, and nothing is made', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    {
      await using index = await EMBEDDED.open(data, { rules, workers: 0 });
      await index.index('post', packRecords([post({ id: 'p' })]));
    }
    const before = readdirSync(folder.path);
    for (const work of [
      checkFolder(FAR, data),
      writeBackup(FAR, data, join(folder.path, 'copy'), { kept: [] }),
    ]) {
      await assert.rejects(work, (error: Error) => {
        assert.ok(error instanceof UsageError, 'exit code 2');
        return /^expected an engine that can .*, found `far`, which cannot$/.test(error.message);
      });
    }
    assert.deepEqual(readdirSync(folder.path), before);
  });

  it('whose index is elsewhere: a backup has the databases alone, and says where the index is', async () => {
    using folder = temporaryFolder();
    const [data, target] = [join(folder.path, 'data'), join(folder.path, 'copy')];
    {
      await using catalogue = Catalogue.open(data);
      catalogue.setKeepsOriginals(true);
      await using _accounts = Accounts.open(data);
    }
    writeFileSync(join(data, 'posts.db'), 'of another engine');
    const report = await writeBackup({ ...FAR, elsewhere: 'in a cluster' }, data, target, { kept: [] });
    assert.deepEqual([report.files, report.elsewhere], [0, 'in a cluster']);
    assert.deepEqual(readdirSync(target).sort(), ['accounts.db', 'catalogue.db']);
    await using copy = Catalogue.openToRead(target);
    assert.equal(copy.keepsOriginals(), true);
  });

  it('a check of the embedded engine can be broken off, and reports nothing then', async () => {
    using folder = temporaryFolder();
    {
      await using index = await EMBEDDED.open(folder.path, { rules, workers: 0 });
      for (const id of ['p', 'q']) await index.index('post', packRecords([post({ id })]));
    }
    const stop = new AbortController();
    const checked = EMBEDDED.check(folder.path, { progress: () => stop.abort(), signal: stop.signal });
    await assert.rejects(checked, { name: 'AbortError' });
    assert.deepEqual((await EMBEDDED.check(folder.path)).problems, []);
  });
});
