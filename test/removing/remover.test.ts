// Removals through the catalogue and an engine: what is out, what stays out, what comes back, whenever a process dies.

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable, IndexDamage } from '../../src/model/engine-errors.ts';
import { KINDS, type Kind } from '../../src/model/record.ts';
import type { RemovalEntry, RemovalList } from '../../src/model/removals.ts';
import { Remover } from '../../src/removals/remover.ts';
import type { Target } from '../../src/removals/target.ts';
import { interpretWithoutWindow } from '../../src/search/language/interpret.ts';
import { comment, instead, post, temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';
import { wholeStats } from '../whole-stats.ts';

const rules = { keepOriginals: false };

/** What threads find of removals is asked in the tests of threads, and of a server in serving.test.ts. */
const ENGINES = {
  'reference engine': (folder: string, removals: RemovalList) =>
    openReferenceEngine(join(folder, 'reference'), { rules, removals }),
  'embedded engine': (folder: string, removals: RemovalList) =>
    openEmbeddedEngine(folder, { rules, removals, workers: 0 }),
};

/** A remover with this engine, which erases nothing beside the index. */
function removerWith(engine: SearchEngine, { removals: log }: Catalogue, onStep?: (step: string) => void) {
  return new Remover({ copies: [], log, engine, eraseBeside() {} }, ({ step }) => onStep?.(step));
}

function failingRemover({ engine, catalogue }: Place, method: keyof SearchEngine, fault: Error): Remover {
  return removerWith(
    instead(engine, method, () => Promise.reject(fault)),
    catalogue,
  );
}

interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly catalogue: Catalogue;
  readonly engine: SearchEngine;
  readonly remover: Remover;
  /** How often texts beside the index were erased. */
  erasures(): number;
}

const POSTS = [
  post({ id: 'p1', community: 'energy', title: 'solar roof' }),
  post({ id: 'p2', community: 'energy', title: 'wind' }),
  post({ id: 'p3', community: 'cats', title: 'solar cat' }),
];
const COMMENTS = [
  comment({ id: 'c1', community: 'energy', post: 'p1', body: 'solar' }),
  comment({ id: 'c2', community: 'energy', post: 'p1', body: 'rain' }),
  comment({ id: 'c3', community: 'energy', post: 'p2', body: 'rain' }),
  comment({ id: 'c4', community: 'cats', post: 'p3', body: 'solar' }),
  comment({ id: 'p1', community: 'cats', post: 'p3', body: 'of the same id as a post' }),
];
const ALL = ['p1', 'p2', 'p3', 'c1', 'c2', 'c3', 'c4', 'p1'].sort();

function records(of: Kind, ids: readonly string[], withComments = false): Target {
  return { kind: 'records', of, ids, withComments };
}

function query(text: string, kinds: readonly Kind[] = KINDS, withComments = false): Target {
  return { kind: 'query', query: interpretWithoutWindow(text).query, kinds, withComments };
}

for (const [name, open] of Object.entries(ENGINES)) {
  const openPlace = async (folder: string): Promise<Place> => {
    const catalogue = Catalogue.open(folder);
    const engine = await open(folder, catalogue.removals);
    let erasures = 0;
    return {
      ...{ folder, catalogue, engine },
      remover: new Remover({ copies: [], log: catalogue.removals, engine, eraseBeside: () => erasures++ }),
      erasures: () => erasures,
      async [Symbol.asyncDispose]() {
        await engine[Symbol.asyncDispose]();
        await catalogue[Symbol.asyncDispose]();
      },
    };
  };

  /** How many records were refused. */
  async function fill({ engine }: Place): Promise<number> {
    const posts = await engine.index('post', packRecords(POSTS));
    const comments = await engine.index('comment', packRecords(COMMENTS));
    return posts.removed + comments.removed;
  }

  /** A test in a place that holds all records. */
  function test(rule: string, body: (place: Place) => Promise<void>): void {
    it(rule, async () => {
      using folder = temporaryFolder();
      await using place = await openPlace(folder.path);
      await fill(place);
      await body(place);
    });
  }

  /** Ids of both kinds, sorted. */
  async function found({ engine }: Place): Promise<string[]> {
    await engine.refresh();
    const ids: string[] = [];
    for (const kind of KINDS) {
      for await (const batch of engine.scan(kind, { items: [] }, 'oldest')) {
        for (const { id } of batch) ids.push(id);
      }
      const { total } = await engine.ask({ kind, query: { items: [] } });
      assert.equal(total, (await wholeStats(engine))[kind].records);
    }
    return ids.sort();
  }

  describe(`removals, ${name}: what goes`, () => {
    /** What is left, and how many posts, comments and unknown ids are told. */
    const cases: readonly (readonly [string, Target, string, number, number, number?])[] = [
      ['posts by id alone', records('post', ['p1', 'p1', 'p9']), 'c1 c2 c3 c4 p1 p2 p3', 1, 0, 1],
      ['a post with its comments', records('post', ['p1'], true), 'c3 c4 p1 p2 p3', 1, 2],
      ['comments of a post not there', records('post', ['p9', 'p2'], true), 'c1 c2 c4 p1 p1 p3', 1, 1, 1],
      ['a comment by id, not the post of it', records('comment', ['p1', 'c2']), 'c1 c3 c4 p1 p2 p3', 0, 2],
      ['communities', { kind: 'communities', names: ['cats', 'unknown'] }, 'c1 c2 c3 p1 p2', 1, 2],
      ['both kinds by query', query('solar'), 'c2 c3 p1 p2', 2, 2],
      ['one kind by query', query('solar', ['comment']), 'c2 c3 p1 p1 p2 p3', 0, 2],
      ['posts by query with their comments, each counted once', query('solar', KINDS, true), 'c3 p2', 2, 4],
    ];
    for (const [rule, target, left, posts, comments, notThere = 0] of cases) {
      test(rule, async (place) => {
        const counts = { posts, comments, notThere };
        assert.deepEqual(await place.remover.preview(target), counts);
        assert.deepEqual(await found(place), ALL);
        assert.deepEqual(await place.remover.remove(target), { id: 1, ...counts });
        assert.equal((await found(place)).join(' '), left);
        // Again: nothing is there any more. And what an import brings stays out.
        const again = await place.remover.preview(target);
        assert.deepEqual([again.posts, again.comments], [0, 0]);
        assert.equal(await fill(place), posts + comments);
        assert.equal((await found(place)).join(' '), left);
        assert.deepEqual(await place.remover.undo(1), { back: posts + comments, notBack: 0 });
        assert.deepEqual(await found(place), ALL);
        assert.equal(await fill(place), 0);
      });
    }

    test('a query takes out what matches at that moment, not what comes later', async (place) => {
      await place.remover.remove(query('solar'));
      const left = await found(place);
      const later = packRecords([post({ id: 'p4', title: 'solar' })]);
      const { added, removed } = await place.engine.index('post', later);
      assert.deepEqual([added, removed], [1, 0]);
      assert.deepEqual(await found(place), [...left, 'p4']);
    });
  });

  describe(`removals, ${name}: undo and purge`, () => {
    test('after a purge nothing is hidden any more, nothing comes back but by an import', async (place) => {
      await place.remover.remove(query('solar'));
      await place.remover.purge();
      assert.equal(place.erasures(), 1);
      assert.equal(await place.engine.hiddenCount(), 0);
      assert.ok(place.catalogue.removals.all()[0]!.erased !== null);
      await fill(place);
      assert.deepEqual(await found(place), ['c2', 'c3', 'p1', 'p2']);
      assert.deepEqual(await place.remover.undo(1), { back: 0, notBack: 4 });
      assert.deepEqual(await found(place), ['c2', 'c3', 'p1', 'p2']);
      assert.equal(await fill(place), 0);
      assert.deepEqual(await found(place), ALL);
    });

    test('what an engine will erase later is not said to be erased before it is', async (place) => {
      const engine = instead(place.engine, 'purge', async () => ({ erased: 'scheduled' }));
      const { removals: log } = place.catalogue;
      let erasures = 0;
      const remover = new Remover({ copies: [], log, engine, eraseBeside: () => erasures++ });
      await remover.remove(query('solar'));
      assert.deepEqual(await remover.purge(), { erased: 'scheduled' });
      assert.equal(erasures, 1, 'texts beside the index are erased at once');
      await remover.maintain(0);
      assert.equal(log.all()[0]!.erased, null);
      await place.engine.purge();
      await remover.maintain(0);
      assert.ok(log.all()[0]!.erased !== null);
      assert.deepEqual(await place.remover.purge(), { erased: 'now' });
    });

    it('behind a lost list brought back what the removal of the same number hid: a new list has other numbers', async () => {
      using folder = temporaryFolder();
      {
        await using place = await openPlace(folder.path);
        await fill(place);
        await place.remover.remove(records('post', ['p1']));
      }
      for (const file of readdirSync(folder.path).filter((each) => each.startsWith('catalogue.db')))
        rmSync(join(folder.path, file));
      await using place = await openPlace(folder.path);
      const { id } = await place.remover.remove(records('post', ['p2']));
      await assert.rejects(place.remover.undo(1), /removal/);
      assert.deepEqual(await place.remover.undo(id!), { back: 1, notBack: 0 });
      const left = await found(place);
      assert.deepEqual([left.includes('p2'), left.filter((each) => each === 'p1')], [true, ['p1']]);
      assert.equal((await place.remover.remove(records('post', ['p3']))).id, id! + 1);
    });

    it('behind a backup of an older list brought back what a later removal of the same number hid', async () => {
      using folder = temporaryFolder();
      using backup = temporaryFolder();
      const files = (of: string) => readdirSync(of).filter((each) => each.startsWith('catalogue.db'));
      {
        await using place = await openPlace(folder.path);
        await fill(place);
        await place.remover.remove(records('comment', ['c4']));
      }
      for (const file of files(folder.path)) copyFileSync(join(folder.path, file), join(backup.path, file));
      {
        await using place = await openPlace(folder.path);
        await place.remover.remove(records('post', ['p1']));
      }
      for (const file of files(folder.path)) rmSync(join(folder.path, file));
      for (const file of files(backup.path)) copyFileSync(join(backup.path, file), join(folder.path, file));
      await using place = await openPlace(folder.path);
      const { id } = await place.remover.remove(records('post', ['p2']));
      assert.deepEqual(await place.remover.undo(id!), { back: 1, notBack: 0 });
      const left = await found(place);
      // A comment has the id of the post that the list does not know.
      assert.deepEqual([id, left.includes('p2'), left.filter((each) => each === 'p1')], [3, true, ['p1']]);
    });

    test('of an engine that is out of reach, says that it is noted: it said "timed out" alone', async (place) => {
      const fault = new EngineUnavailable('no answer within 30 s');
      const failing = (method: keyof SearchEngine) => failingRemover(place, method, fault);
      const rest = 'a running server does the rest, as does the next import or removal';
      await assert.rejects(failing('hide').remove(query('solar')), {
        message: `no answer within 30 s (removal 1 is noted; ${rest})`,
      });
      await place.remover.finishPending();
      assert.deepEqual(await found(place), ['c2', 'c3', 'p1', 'p2']);
      await assert.rejects(failing('restore').undo(1), {
        message: `no answer within 30 s (removal 1 is being undone; ${rest})`,
      });
      await place.remover.finishPending();
      assert.deepEqual(await found(place), ALL);
    });

    test('an engine that fails for another reason than damage stops removing, purging and finishing', async (place) => {
      const fault = new Error('out of order');
      const failing = (method: keyof SearchEngine) => failingRemover(place, method, fault);
      await assert.rejects(failing('purge').purge(), fault);
      await assert.rejects(failing('hide').remove(query('solar')), fault);
      await assert.rejects(failing('hide').finishPending(), fault);
      assert.deepEqual(await found(place), ALL);
      await place.remover.finishPending();
      assert.deepEqual(await found(place), ['c2', 'c3', 'p1', 'p2']);
    });

    test('what cannot be erased since its kind is damaged is told after the rest is', async (place) => {
      const { removals: log } = place.catalogue;
      await place.remover.remove(query('solar'));
      const damage = new IndexDamage('comment', 'a file is cut');
      const engine = instead(place.engine, 'purge', ([kind]: readonly Kind[]) =>
        kind === 'comment' ? Promise.reject(damage) : place.engine.purge([kind!]),
      );
      await assert.rejects(removerWith(engine, place.catalogue).purge(), damage);
      assert.equal(log.all()[0]!.erased, null);
      assert.deepEqual(await place.remover.purge(), { erased: 'now' });
      assert.ok(log.all()[0]!.erased !== null);
    });

    test('a removal that is broken off while it is listed takes nothing out, now or later', async (place) => {
      const stop = new Error('stopped');
      const stopping = removerWith(place.engine, place.catalogue, (step) => {
        if (step === 'listing') throw stop;
      });
      await assert.rejects(stopping.remove(records('post', ['p1'])), stop);
      assert.deepEqual(place.catalogue.removals.all(), []);
      await place.remover.finishPending();
      assert.deepEqual(await found(place), ALL);
    });

    test('a newer copy that came while the record was out is found after the undo and an import', async (place) => {
      const newer = { ...POSTS[0]!, title: 'later', retrieved: 99 };
      await place.remover.remove(records('post', ['p1']));
      assert.equal((await place.engine.index('post', packRecords([newer]))).removed, 1);
      await place.remover.undo(1);
      assert.deepEqual(await found(place), ALL);
      assert.equal((await place.engine.index('post', packRecords([newer]))).replaced, 1);
    });

    test('what was removed long enough ago is erased by upkeep, what is younger is not', async (place) => {
      await place.remover.remove(records('post', ['p1']));
      await place.remover.maintain(3600);
      await place.remover.catchUp(3600);
      assert.equal(place.erasures(), 0);
      // The engine goes by its own clock: what it still hides is not said to be erased.
      await place.remover.maintain(0);
      assert.equal(place.erasures(), 1);
      assert.equal(place.catalogue.removals.all()[0]?.erased, null);
      await place.remover.undo(1);
      assert.deepEqual(await found(place), ALL);
      await place.remover.remove(records('post', ['p1']));
      await place.remover.catchUp(0);
      assert.equal(place.erasures(), 2);
      assert.equal(await place.engine.hiddenCount(), 0);
    });
  });

  describe(`removals, ${name}: a process that dies`, () => {
    /** A removal as a process leaves it that dies once it is listed, or held. */
    function begun(
      { catalogue: { removals } }: Place,
      entries: readonly RemovalEntry[],
      isHeld = true,
    ): number {
      const removal = removals.begin('query', false);
      removals.add(removal, entries);
      if (isHeld) removals.hold(removal);
      return removal;
    }
    const entry = (kind: RemovalEntry['kind'], name: string): RemovalEntry => ({ kind, name });

    test('while it lists: it has not happened', async (place) => {
      begun(place, [entry('post', 'p1')], false);
      assert.equal(await fill(place), 0);
      await place.remover.finishPending();
      assert.deepEqual(place.catalogue.removals.all(), []);
      assert.deepEqual(await found(place), ALL);
    });

    test('before all is hidden: imports refuse, and the next process brings it to its end', async (place) => {
      const id = begun(place, [entry('post', 'p1'), entry('comment', 'c2'), entry('comment', 'c3')]);
      const hidden = await place.engine.hide(id, 'comment', { ids: ['c2'] });
      place.catalogue.removals.count(id, 'comment', hidden);
      assert.equal(await fill(place), 3);
      await using next = await openPlace(place.folder);
      await next.remover.finishPending();
      assert.deepEqual(await found(next), ['c1', 'c4', 'p1', 'p2', 'p3']);
      const [{ state, posts, comments } = assert.fail()] = next.catalogue.removals.all();
      assert.deepEqual({ state, posts, comments }, { state: 'done', posts: 1, comments: 2 });
      assert.deepEqual(await next.remover.undo(id), { back: 3, notBack: 0 });
    });

    test('a record that another removal had taken out stays out when that one is undone', async (place) => {
      await place.remover.remove({ kind: 'communities', names: ['cats'] });
      const id = begun(place, [entry('comment', 'c4'), entry('comment', 'c1')]);
      await place.remover.finishPending();
      await place.remover.undo(1);
      assert.equal((await found(place)).join(' '), 'c2 c3 p1 p1 p2 p3');
      await place.remover.undo(id);
      assert.deepEqual(await found(place), ALL);
    });

    test('communities, and comments of posts, go whole', async (place) => {
      const id = begun(place, [entry('thread', 'p2'), entry('community', 'cats'), entry('comment', 'none')]);
      await place.remover.finishPending();
      assert.deepEqual(await found(place), ['c1', 'c2', 'p1', 'p2']);
      assert.equal(await place.engine.hiddenCount(), 4);
      assert.deepEqual(await place.remover.undo(id), { back: 4, notBack: 0 });
    });

    test('a copy that gave way to one of another community goes with its own', async (place) => {
      const first = comment({ id: 'c9', community: 'moving', body: 'first' });
      const moved = comment({ id: 'c9', community: 'dogs', body: 'moved', retrieved: 9 });
      // A segment of which much is dead would be written anew.
      const beside = Array.from({ length: 20 }, (_, i) => comment({ id: `d${i}`, community: 'dogs' }));
      await place.engine.index('comment', packRecords([first, ...beside]));
      await place.engine.index('comment', packRecords([moved]));
      begun(place, [entry('community', 'moving')]);
      await place.remover.finishPending();
      assert.deepEqual(await found(place), [...ALL, 'c9', ...beside.map(({ id: other }) => other)].sort());
      // An engine that keeps no such copy has nothing to erase.
      assert.equal(await place.engine.hiddenCount(), name.startsWith('embedded') ? 1 : 0);
      await place.remover.purge();
      for await (const batch of place.engine.buried('comment')) assert.deepEqual(batch, []);
    });

    test('no batch may bring in what is listed any more, before it is looked for', async (place) => {
      begun(place, [entry('post', 'p1')]);
      const calls: string[] = [];
      const engine = new Proxy(place.engine, {
        get: (target, method) => {
          const value = Reflect.get(target, method, target) as (...values: unknown[]) => unknown;
          return (...values: unknown[]) => {
            calls.push([String(method), ...values.map((each) => JSON.stringify(each))].join(' '));
            return value.apply(target, values);
          };
        },
      });
      await removerWith(engine, place.catalogue).finishPending();
      const ofPosts = calls.filter((call) => /^(hide|scan|buried)/.test(call) && call.includes('"post"'));
      assert.deepEqual(ofPosts, [
        'hide 1 "post" {"ids":[]}',
        'scan "post" {"items":[]} "newest"',
        'buried "post"',
        'hide 1 "post" {"ids":["p1"]}',
      ]);
    });

    test('within an undo: the next removal brings it to its end first', async (place) => {
      await place.remover.remove(records('post', ['p1', 'p2']));
      place.catalogue.removals.beginUndo(1);
      assert.equal(await fill(place), 2);
      await place.remover.remove(records('post', ['p3']));
      const [{ state: first } = assert.fail(), { state: second } = assert.fail()] =
        place.catalogue.removals.all();
      assert.deepEqual([first, second], ['undone', 'done']);
      assert.equal((await found(place)).join(' '), 'c1 c2 c3 c4 p1 p1 p2');
    });

    test('what another process is at work on is left to it', async (place) => {
      await using other = await openPlace(place.folder);
      begun(place, [entry('post', 'p1')]);
      {
        using _ = place.catalogue.removals.tryToLock();
        await other.remover.finishPending();
        assert.deepEqual(await found(other), ALL);
      }
      await other.remover.finishPending();
      assert.equal((await found(other)).length, ALL.length - 1);
    });

    test('a removal waits for the one of another process', async (place) => {
      await using other = await openPlace(place.folder);
      const steps: string[] = [];
      const waiting = removerWith(other.engine, other.catalogue, (step) => steps.push(step));
      const lock = place.catalogue.removals.tryToLock();
      const removing = waiting.remove(records('post', ['p1']));
      assert.deepEqual(steps, ['waiting']);
      lock?.[Symbol.dispose]();
      assert.equal((await removing).posts, 1);
    });
  });
}
