// What removals do to data sets.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { MakingProgress } from '../../src/features/export/datasets/maker.ts';
import { copiesOf } from '../../src/features/export/datasets/members.ts';
import { DatasetPlaces } from '../../src/features/export/datasets/places.ts';
import { shelfOf } from '../../src/features/export/datasets/shelf.ts';
import { datasetsOf } from '../../src/features/export/datasets/store.ts';
import { REACHED } from '../archive.ts';
import { comment, post, temporaryFolder } from '../helpers.ts';
import { runHistory } from './histories.ts';
import { define, filesBelow, folderOf, linesOf, make, openData } from './house.ts';

/** In a folder that goes with it. */
async function openPlace() {
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const app = await openData(data);
  const dispose = async () => {
    await app[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  };
  return { app, data, [Symbol.asyncDispose]: dispose };
}

/** Two comments of a post, one of another, and a data set of each word. */
async function openHouse() {
  const house = await openPlace();
  const { app } = house;
  await app.engine.index('post', packRecords([post({ id: 'p1', title: 'solar' })]));
  const comments = [
    comment({ id: 'c1', body: 'solar', post: 'p1' }),
    comment({ id: 'c2', body: 'solar', post: 'p2', community: 'cats' }),
    comment({ id: 'c3', body: 'wind', post: 'p1' }),
  ];
  await app.engine.index('comment', packRecords(comments));
  for (const name of ['solar', 'wind']) {
    define(app, { name, query: name, kinds: ['comment'], formats: ['ndjson.zst'] });
    await make(app, name);
  }
  return house;
}

/** A test in a house of its own. */
function test(
  rule: string,
  body: (house: Awaited<ReturnType<typeof openHouse>>, t: TestContext) => Promise<void>,
): void {
  it(rule, async (t) => {
    await using house = await openHouse();
    await body(house, t);
  });
}

const withdrawnIn = (app: App) =>
  shelfOf(app)
    .list()
    .filter(({ edition }) => edition === null)
    .map(({ dataset }) => dataset.name);

const records = (of: 'post' | 'comment', ids: string[], withComments = false) =>
  ({ kind: 'records', of, ids, withComments }) as const;

/** Makes it until its base is whole. */
async function breakOff(app: App, name: string): Promise<void> {
  const stop = new AbortController();
  const onProgress = ({ step, done, total }: MakingProgress) => {
    if (step === 'reading' && done === total) stop.abort();
  };
  await assert.rejects(make(app, name, { signal: stop.signal, onProgress }));
}

describe('a removal withdraws the data sets that it meets, and no other', () => {
  it('in random histories', async () => {
    using folder = temporaryFolder();
    const done: Record<string, number> = {};
    for (const seed of [1, 2]) {
      for (const [name, count] of Object.entries(await runHistory(folder.path, seed, 22)))
        done[name] = (done[name] ?? 0) + count;
    }
    assert.ok(done.withdrawals! > 3 && done.undo! > 2, JSON.stringify(done));
  });

  test('also a record that does not match any more, since another copy came in', async ({ app }) => {
    const newer = comment({ id: 'c1', body: '[deleted]', withdrawn: true, post: 'p1', retrieved: 5 });
    await app.engine.index('comment', packRecords([newer]));
    await app.remover(REACHED).remove(records('comment', ['c1']));
    assert.deepEqual(withdrawnIn(app), ['solar']);
  });

  test('that a process listed and did not live to carry out is met when another one completes it', async (place) => {
    const { app } = place;
    const { removals } = app.catalogue;
    const id = removals.begin('comments', false);
    removals.add(id, [{ kind: 'comment', name: 'c3' }]);
    removals.hold(id);
    assert.deepEqual(withdrawnIn(app), []);
    await app.remover(REACHED).finishPending();
    assert.deepEqual(withdrawnIn(app), ['wind']);
  });

  test('withdraws one whose list of members is lost', async ({ app }) => {
    writeFileSync(join(folderOf(app, 'wind'), 'members.db'), 'lost');
    await app.remover(REACHED).remove(records('comment', ['nobody']));
    assert.deepEqual(withdrawnIn(app), ['wind']);
  });
});

describe('a slow download of a withdrawn edition went on once the data set was made anew', () => {
  /** A data set of more than a piece of what is sent at once, of which the first piece is read. */
  async function openSlow() {
    const place = await openPlace();
    const { app } = place;
    const long = ['l1', 'l2', 'l3'].map((id) =>
      comment({ id, body: `long ${randomBytes(300_000).toString('base64')}` }),
    );
    await app.engine.index('comment', packRecords(long));
    define(app, { name: 'long', query: 'long', kinds: ['comment'], formats: ['ndjson.zst'] });
    await make(app, 'long');
    const file = await shelfOf(app).open('long', 'long-comments.ndjson.zst');
    const read = file.read(0, file.bytes);
    const first = (await read.next()).value!.length;
    assert.ok(first < file.bytes);
    return {
      app,
      async rest(): Promise<number> {
        // A moment longer than pieces are read without a look into the catalogue.
        await setTimeout(300);
        let got = first;
        for await (const piece of read) got += piece.length;
        return got;
      },
      bytes: file.bytes,
      async [Symbol.asyncDispose]() {
        await file[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  }

  it('by a removal', async () => {
    await using slow = await openSlow();
    const { app } = slow;
    await app.remover(REACHED).remove(records('comment', ['l3']));
    await make(app, 'long');
    assert.equal(shelfOf(app).get('long').dataset.state, 'published');
    await assert.rejects(slow.rest(), { code: 'dataset_withdrawn' });
  });

  it('after its data set was deleted, under the same name', async () => {
    await using slow = await openSlow();
    const { app } = slow;
    shelfOf(app).remove('long');
    await app.remover(REACHED).remove(records('comment', ['l3']));
    define(app, { name: 'long', query: 'long', kinds: ['comment'] }, 1_700_000_001);
    await make(app, 'long');
    await assert.rejects(slow.rest(), { code: 'dataset_withdrawn' });
  });

  it('one that was only made anew is sent to its end', async () => {
    await using slow = await openSlow();
    const { app } = slow;
    await make(app, 'long');
    assert.equal(await slow.rest(), slow.bytes);
  });
});

describe('a removal while an edition is made', () => {
  test('is not in it: what was read before is made again', async ({ app }) => {
    let removed: Promise<unknown> | null = null;
    await make(app, 'solar', {
      onProgress: ({ step }) => {
        if (step === 'writing') removed ??= app.remover(REACHED).remove(records('post', ['p1'], true));
      },
    });
    await removed;
    if (withdrawnIn(app).includes('solar')) await make(app, 'solar');
    const ids = linesOf(folderOf(app, 'solar'), 'solar-comments.ndjson.zst').map(({ id }) => id);
    assert.deepEqual(ids, ['c2']);
  });

  test('of other records does not stop it', async ({ app }) => {
    let removed: Promise<unknown> | null = null;
    let readings = 0;
    const edition = await make(app, 'solar', {
      onProgress: ({ step, done }) => {
        if (step === 'reading' && done === 2) readings++;
        removed ??= app.remover(REACHED).remove(records('comment', ['c3']));
      },
    });
    await removed;
    assert.equal(edition.tables[0]!.records, 2);
    assert.ok(readings >= 1);
    assert.deepEqual(withdrawnIn(app), ['wind']);
  });

  test('that was broken off: its texts are erased with the others', async ({ app, data }) => {
    const left = join(data, 'datasets', 'solar', 'making');
    mkdirSync(left);
    writeFileSync(join(left, 'base-comments.ndjson.zst.part'), 'solar');
    await app.remover(REACHED).purge();
    assert.ok(!existsSync(left));
    assert.ok(filesBelow(join(data, 'datasets')).length > 0, 'what is published stays');
  });
});

describe('a sweep of what is left', () => {
  /** The base of `solar`, whole, of a making that was broken off. */
  async function baseOfBroken(app: App, data: string): Promise<string> {
    await breakOff(app, 'solar');
    const base = join(new DatasetPlaces(data).making('solar'), 'base-comments.ndjson.zst');
    assert.ok(existsSync(base));
    return base;
  }

  test('is not said to be whole while another process has removed text in a base', async ({ app, data }) => {
    const base = await baseOfBroken(app, data);
    const erased = () => app.catalogue.removals.all()[0]!.erased;
    {
      using _maker = new DatasetPlaces(data).tryToLock('solar');
      await app.remover(REACHED).remove(records('comment', ['c1']));
      assert.deepEqual(await app.remover(REACHED).purge(), { erased: 'scheduled' });
      await app.remover(REACHED).maintain(0);
      assert.deepEqual([existsSync(base), erased()], [true, null]);
    }
    // It died: upkeep erases at once what it left, though nothing in the index is due.
    await app.remover(REACHED).maintain(3600);
    assert.ok(!existsSync(base));
    assert.deepEqual(await app.remover(REACHED).purge(), { erased: 'now' });
    assert.ok(erased() !== null);
  });

  test('leaves a base of which nothing was removed, for the run that goes on with it', async (place) => {
    const { app, data } = place;
    const base = await baseOfBroken(app, data);
    await app.remover(REACHED).maintain(0);
    assert.deepEqual(await app.remover(REACHED).purge(), { erased: 'now' });
    assert.ok(existsSync(base));
  });

  test('leaves an edition that another process published just before it had the lock', async ({
    app,
    data,
  }, t) => {
    const store = datasetsOf(app.catalogue);
    // Another process publishes and ends between the beginning of the sweep and its lock.
    const publish = () => {
      const next = join(folderOf(app, 'solar'), '..', '2');
      mkdirSync(next);
      writeFileSync(join(next, 'edition.json'), '{}');
      assert.ok(store.publish('solar', 2, app.catalogue.removals.version()));
    };
    const { tryToLock } = DatasetPlaces.prototype;
    t.mock.method(DatasetPlaces.prototype, 'tryToLock', function (this: DatasetPlaces, name: string) {
      if (name === 'solar') publish();
      return tryToLock.call(this, name);
    });
    mkdirSync(new DatasetPlaces(data).making('solar'));
    copiesOf(app).eraseLeft();
    const left = (name: string) => readdirSync(join(data, 'datasets', name));
    assert.deepEqual([left('solar'), left('wind')], [['2'], ['1']]);
  });
});

test('an undo makes anew what the removal withdrew, with the records that came back', async ({ app }) => {
  const { id } = await app.remover(REACHED).remove(records('comment', ['c1']));
  assert.equal((await make(app, 'solar')).tables[0]!.records, 1);
  assert.deepEqual(shelfOf(app).due(), []);
  await app.remover(REACHED).undo(id!);
  assert.deepEqual([shelfOf(app).due(), withdrawnIn(app)], [['solar'], []]);
  assert.equal((await make(app, 'solar')).tables[0]!.records, 2);
  assert.deepEqual(shelfOf(app).due(), []);
});

describe('an undo of a removal that met no served edition', () => {
  test('makes anew what another removal had withdrawn by then', async ({ app }) => {
    await app.remover(REACHED).remove(records('comment', ['c1']));
    const { id } = await app.remover(REACHED).remove(records('comment', ['c2']));
    const emptied = await make(app, 'solar');
    assert.equal(emptied.tables[0]!.records, 0);
    assert.deepEqual(shelfOf(app).due(), []);
    await app.remover(REACHED).undo(id!);
    assert.deepEqual(shelfOf(app).due(), ['solar']);
    assert.equal((await make(app, 'solar')).tables[0]!.records, 1);
    assert.deepEqual(shelfOf(app).due(), []);
  });

  test('makes anew what was being made for the first time', async ({ app }) => {
    define(app, { name: 'all', kinds: ['comment'], formats: ['ndjson.zst'] });
    await breakOff(app, 'all');
    await app.remover(REACHED).remove(records('comment', ['c1']));
    assert.equal((await make(app, 'all')).tables[0]!.records, 2);
    await make(app, 'solar');
    await app.remover(REACHED).undo(1);
    assert.deepEqual(shelfOf(app).due(), ['all', 'solar']);
    assert.equal((await make(app, 'all')).tables[0]!.records, 3);
  });
});

test('a list of members has no id in plain words', async ({ app }) => {
  await app.engine.index('comment', packRecords([comment({ id: 'zqxjkzqxjk', body: 'wind' })]));
  await make(app, 'wind');
  const bytes = readFileSync(join(folderOf(app, 'wind'), 'members.db'), 'latin1');
  assert.ok(!bytes.includes('zqxjkzqxjk'));
  await app.remover(REACHED).remove(records('comment', ['zqxjkzqxjk']));
  assert.deepEqual(withdrawnIn(app), ['wind']);
});
